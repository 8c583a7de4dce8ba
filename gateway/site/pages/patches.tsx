import type { JSX } from 'preact';
import type { BuildEntry } from '../../../scripts/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import { HttpProblem } from '../../http/problem.ts';
import { Code } from '../../layout/code.tsx';
import { Day, Since } from '../../layout/format.tsx';
import { quote, suggest } from '../../lib/suggest.ts';
import { type BuildChanges, readChanges } from '../build-changes.ts';
import { describeChanges } from '../parts/describe-changes.tsx';
import { GameHead } from '../parts/game-head.tsx';
import { TimeLine } from '../parts/time-line.tsx';
import { gameOf, type ProOffer, type SitePage } from '../site-page.ts';

export const patchesPage: SitePage = {
  path: '/games/:game/patches',
  async make(visit) {
    const game = gameOf(visit);
    const changes = await readChanges(visit.services.archive, game);
    return {
      title: `Patches of ${game.title}`,
      description: `The builds of ${game.title}, newest first, and what the newest one changed.`,
      path: `/games/${game.slug}/patches`,
      width: 'wide',
      body: (
        <>
          <GameHead game={game} current="patches" heading={`Patches of ${game.title}`} />
          <TimeLine builds={game.builds} />
          <ol class="rows" reversed>
            {game.builds.toReversed().map((entry, index) => (
              <li key={entry.build}>
                <a href={patchPath(game, entry)}>
                  <strong>{entry.build}</strong>
                </a>
                <span>{index === 0 ? describeChanges(changes) : ''}</span>
                <span class="muted">
                  <Day time={entry.released_at} />
                </span>
              </li>
            ))}
          </ol>
        </>
      ),
    };
  },
};

export const patchPage: SitePage = {
  path: '/games/:game/patches/:build',
  async make(visit) {
    const game = gameOf(visit);
    const entry = findBuild(game, visit.params.build ?? '');
    const isNewest = entry === game.builds.at(-1);
    const changes = isNewest ? await readChanges(visit.services.archive, game) : undefined;
    const heading = `${game.title} ${entry.build}`;
    return {
      title: heading,
      description: `What build ${entry.build} of ${game.title} changed.`,
      path: patchPath(game, entry),
      width: 'text',
      body: (
        <>
          <GameHead game={game} current={undefined} heading={heading} />
          <p class="lead">
            Released <Since time={entry.released_at} />
          </p>
          {changes ? (
            <Changes changes={changes} />
          ) : (
            <p>This page shows the changes of the newest build only.</p>
          )}
          <WholePatch game={game} entry={entry} pro={visit.services.pro} />
          <Neighbours game={game} entry={entry} />
        </>
      ),
    };
  },
};

function patchPath({ slug }: GameBuild, { build }: BuildEntry): string {
  return `/games/${slug}/patches/${encodeURIComponent(build)}`;
}

/** @throws HttpProblem `unknown-build` */
function findBuild({ slug, builds }: GameBuild, name: string): BuildEntry {
  const found = builds.find(({ build }) => build === name);
  if (found) return found;
  const near = suggest(name, builds.map(({ build }) => build).reverse());
  throw new HttpProblem('unknown-build', `${slug} has no build ${quote(name)}${near}`);
}

const SIGNS = { added: 'new', changed: 'changed', removed: 'removed' } as const;

function Changes({ changes }: { changes: BuildChanges }): JSX.Element {
  const { isFirst, names, added, changed, removed } = changes;
  const left = added + changed + removed - names.length;
  return (
    <>
      <p>{isFirst ? 'This is the first build of the game.' : `In short: ${describeChanges(changes)}.`}</p>
      {!isFirst && names.length > 0 && (
        <ul class="change-list">
          {names.map(({ id, name, kind }) => (
            <li key={id}>
              <span class={`badge badge-${kind}`}>{SIGNS[kind]}</span> {name}
            </li>
          ))}
          {left > 0 && <li class="muted">and {left} more</li>}
        </ul>
      )}
    </>
  );
}

/** Says how to get everything that a build changed. */
function WholePatch({
  game,
  entry,
  pro,
}: {
  game: GameBuild;
  entry: BuildEntry;
  pro: ProOffer;
}): JSX.Element | null {
  const previous = game.builds[game.builds.indexOf(entry) - 1];
  if (previous === undefined) return null;
  const [join] = pro.links;
  return (
    <div class="notice">
      <h2>Every change, value by value</h2>
      <p>
        A Pro key gets the whole patch: each attribute before and after, in characters and datasets.{' '}
        {join ? <a href={join.address}>Join on {join.name}</a> : <a href="/#plans">What Pro has</a>}
      </p>
      <Code
        text={`curl -H "X-API-Key: $KEY" '…/api/${game.slug}/diff?from=${previous.build}&to=${entry.build}'`}
      />
    </div>
  );
}

function Neighbours({ game, entry }: { game: GameBuild; entry: BuildEntry }): JSX.Element {
  const at = game.builds.indexOf(entry);
  const [before, after] = [game.builds[at - 1], game.builds[at + 1]];
  return (
    <nav class="actions" aria-label="Other builds">
      {before && <a href={patchPath(game, before)}>Previous: {before.build}</a>}
      {after && <a href={patchPath(game, after)}>Next: {after.build}</a>}
      <a href={`/games/${game.slug}/patches`}>All builds</a>
    </nav>
  );
}
