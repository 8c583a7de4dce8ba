import type { JSX } from 'preact';
import { CHARACTERS, type GameBuild } from '../../data/game-build.ts';
import { describeAttributes } from '../../attributes/attributes-of.ts';
import { wordsOf } from '../model/format-value.ts';
import { endedLast, markOf, successorOf } from '../game-summary.ts';
import { Count, countOf, Since } from '../layout/format.tsx';
import { Scroll } from '../layout/scroll.tsx';
import { listAddressOf } from '../model/linked.ts';
import type { SitePage } from '../site-page.ts';

/** What a game has, for the tables of the page. */
interface Contents {
  game: GameBuild;
  /** The letters of its picture, which name its column. */
  mark: string;
  hasEnded: boolean;
  /** How many records each collection has; null for one that is one object. */
  counts: ReadonlyMap<string, number | null>;
  records: number;
  /** The collections whose records name pictures. */
  pictured: string[];
}

export const contentsPage: SitePage = {
  path: '/contents',
  make({ view }) {
    const byTitle = [...view.games.values()].sort((a, b) => a.title.localeCompare(b.title, 'en'));
    const all = endedLast(view, byTitle).map(
      (game): Contents => ({
        game,
        mark: markOf(view, game.slug),
        hasEnded: successorOf(view, game) !== undefined,
        ...countRecords(game),
      }),
    );
    return {
      title: 'What each game has',
      description: `The datasets, languages, pictures and builds of ${countOf(all.length, 'game')}, side by side.`,
      path: '/contents',
      width: 'wide',
      body: (
        <>
          <h1>What each game has</h1>
          <p>
            The newest build of each game that visitors and free keys see. <a href="/status">Status</a> says
            which games are late.
          </p>
          {view.isPartial && <p>The tables are not complete: a game cannot be read right now.</p>}
          {all.length === 0 ? <p>There are no games yet.</p> : <Tables all={all} />}
        </>
      ),
    };
  },
};

function countRecords(game: GameBuild): Omit<Contents, 'game' | 'mark' | 'hasEnded'> {
  const { roster, datasets } = game;
  const counts = new Map<string, number | null>([[CHARACTERS, roster.count]]);
  for (const [key, dataset] of datasets) counts.set(key, dataset.kind === 'list' ? dataset.list.count : null);
  const hasPictures = (key: string) =>
    describeAttributes(game, key, () => roster).attributes.some(
      ({ kind, count }) => kind === 'image' && count > 0,
    );
  return {
    counts,
    records: [...counts.values()].reduce<number>((sum, count) => sum + (count ?? 0), 0),
    pictured: [...counts.keys()].filter(hasPictures),
  };
}

function Tables({ all }: { all: readonly Contents[] }): JSX.Element {
  return (
    <>
      <h2 id="games">Games</h2>
      <Games all={all} />
      <h2 id="datasets">Records of each dataset</h2>
      <p>Each column is a game, by the letters of the table above. A dot is a dataset that is one object.</p>
      <Datasets all={all} />
    </>
  );
}

function Games({ all }: { all: readonly Contents[] }): JSX.Element {
  return (
    <Scroll label="Games">
      <table>
        <thead>
          <tr>
            <th scope="col">Game</th>
            <th scope="col">Letters</th>
            <th scope="col">Newest build</th>
            <th scope="col">Released</th>
            <th scope="col" class="number">
              Builds
            </th>
            <th scope="col" class="number">
              Records
            </th>
            <th scope="col" class="number">
              Datasets
            </th>
            <th scope="col">Languages of names</th>
            <th scope="col">Pictures</th>
          </tr>
        </thead>
        <tbody>
          {all.map((each) => (
            <GameRow key={each.game.slug} contents={each} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function GameRow({ contents }: { contents: Contents }): JSX.Element {
  const { game, mark, hasEnded, records, pictured } = contents;
  const { slug, title, build, builds, released_at, datasets, languages } = game;
  return (
    <tr>
      <th scope="row">
        <a href={`/games/${slug}`}>{title}</a>
        {hasEnded && <span class="muted"> (ended)</span>}
      </th>
      <td>{mark}</td>
      <td>
        <a href={`/games/${slug}/patches/${encodeURIComponent(build)}`}>{build}</a>
      </td>
      <td>
        <Since time={released_at} />
      </td>
      <td class="number">
        <Count value={builds.length} />
      </td>
      <td class="number">
        <Count value={records} />
      </td>
      <td class="number">
        <Count value={datasets.size} />
      </td>
      <td>{languages.codes.join(', ') || '–'}</td>
      <td>{pictured.map(wordsOf).join(', ') || '–'}</td>
    </tr>
  );
}

function Datasets({ all }: { all: readonly Contents[] }): JSX.Element {
  const keys = [...new Set(all.flatMap(({ counts }) => [...counts.keys()]))];
  const gamesWith = (key: string) => all.filter(({ counts }) => counts.has(key)).length;
  keys.sort((a, b) => gamesWith(b) - gamesWith(a) || a.localeCompare(b, 'en'));
  return (
    <Scroll label="Records of each dataset" isTall>
      <table class="contents">
        <thead>
          <tr>
            <th scope="col">Dataset</th>
            {all.map(({ game: { slug, title }, mark }) => (
              <th key={slug} scope="col" class="number">
                <abbr title={title}>{mark}</abbr>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key}>
              <th scope="row">{wordsOf(key)}</th>
              {all.map(({ game: { slug }, counts }) => (
                <td key={slug} class="number">
                  <Cell address={listAddressOf(slug, key)} count={counts.get(key)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Cell({ address, count }: { address: string; count: number | null | undefined }): JSX.Element | null {
  if (count === undefined) return null;
  if (count !== null) {
    return (
      <a href={address}>
        <Count value={count} />
      </a>
    );
  }
  return (
    <a href={address} aria-label="one object">
      •
    </a>
  );
}
