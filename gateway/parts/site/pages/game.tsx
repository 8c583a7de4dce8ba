import type { JSX } from 'preact';
import type { GameBuild } from '../../../core/catalog/game-build.ts';
import { Count, CountOf, countOf, Since } from '../layout/format.tsx';
import { summarize } from '../game-summary.ts';
import { AttributeTable } from '../parts/attribute-table.tsx';
import { GameHead } from '../parts/game-head.tsx';
import { SampleTable } from '../parts/sample-table.tsx';
import { TimeLine } from '../parts/time-line.tsx';
import { sampleOf } from '../sample.ts';
import { gameOf, type SitePage } from '../site-page.ts';

const CHARACTERS = 'characters';

export const gamePage: SitePage = {
  path: '/games/:game',
  make(visit) {
    const game = gameOf(visit);
    const { counts } = summarize(game);
    return {
      title: game.title,
      description: `${countOf(counts.characters, 'character')} and ${countOf(counts.datasets, 'dataset')} of ${game.title} as JSON: attributes, ranges, builds.`,
      path: `/games/${game.slug}`,
      width: 'wide',
      body: (
        <>
          <GameHead game={game} current="overview" />
          <Facts game={game} />
          <h2>Builds</h2>
          <TimeLine builds={game.builds} />
          <h2>Characters</h2>
          <SampleTable sample={sampleOf(game)} game={game} />
          <Datasets game={game} />
          <h2 id="attributes">Attributes of characters</h2>
          <p>
            What a character has, how many have it, and what the values are like. Each key is a filter:{' '}
            <code>key=value</code>.
          </p>
          <AttributeTable
            attributes={game.dictionary.describe(CHARACTERS, () => game.roster)}
            list={game.roster}
          />
        </>
      ),
    };
  },
};

function Facts({ game }: { game: GameBuild }): JSX.Element {
  const { counts, build, released_at } = summarize(game);
  const facts: [label: string, value: JSX.Element | string][] = [
    ['characters', <Count value={counts.characters} />],
    ['datasets', <Count value={counts.datasets} />],
    ['current build', build],
    ['released', <Since time={released_at} />],
  ];
  return (
    <dl class="facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Datasets({ game: { slug, datasets } }: { game: GameBuild }): JSX.Element | null {
  if (datasets.size === 0) return null;
  return (
    <>
      <h2 id="datasets">Datasets</h2>
      <ul class="rows">
        {[...datasets.values()].map((dataset) => (
          <li key={dataset.key}>
            {dataset.kind === 'list' ? (
              <a href={`/games/${slug}/explore/${dataset.key}`}>
                <strong>{dataset.key}</strong>
              </a>
            ) : (
              <strong>{dataset.key}</strong>
            )}
            <code>
              /api/{slug}/{dataset.key}
            </code>
            <span class="muted">
              {dataset.kind === 'list' ? <CountOf count={dataset.list.count} noun="record" /> : 'one object'}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
