import type { JSX } from 'preact';
import type { BuildEntry } from '../../../scripts/format/dist-format.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { HttpProblem } from '../../http/problem.ts';
import { quote } from '../../http/suggest.ts';
import { TIERS } from '../../access/account.ts';
import { type BuildChanges, readChanges, readPatch } from '../build-changes.ts';
import { Day, Since } from '../layout/format.tsx';
import { Island } from '../layout/island.tsx';
import type { PageContent } from '../layout/page-content.ts';
import type { PatchData } from '../model/page-data.ts';
import { PRO_PATCH } from '../model/patch-notes.ts';
import { describeChanges } from '../parts/describe-changes.tsx';
import { GameHead } from '../parts/game-head.tsx';
import { PublicPatch } from '../parts/public-patch.tsx';
import { TimeLine } from '../parts/time-line.tsx';
import { gameOf, type ProOffer, type SitePage, type Visit } from '../site-page.ts';
import { NewerBuilds } from '../views/patch/newer-builds.tsx';
import { Patch } from '../views/patch/patch.tsx';

/** How many builds a page lists. */
const MAX_BUILDS = 50;

export const patchesPage: SitePage = {
  path: '/games/:game/patches',
  kind: 'list',
  relevantParams: (visit) => ({ game: gameOf(visit).slug }),
  relevantQuery(query, visit) {
    const { builds } = gameOf(visit);
    const page = pageIn(query);
    return page > 1 && page <= Math.ceil(builds.length / MAX_BUILDS) ? `page=${page}` : '';
  },
  async make(visit) {
    const game = gameOf(visit);
    const { builds, slug } = game;
    const page = pageIn(visit.query);
    const first = (page - 1) * MAX_BUILDS;
    const shown = builds.toReversed().slice(first, first + MAX_BUILDS);
    const archive = visit.services.archive();
    const patches = await Promise.all(
      shown.map(async (entry) => ({ entry, changes: await readChanges(archive, game, entry) })),
    );
    const at = (next: number) => `/games/${slug}/patches${next > 1 ? `?page=${next}` : ''}`;
    return {
      title: `Patches of ${game.title}`,
      description: `The builds of ${game.title}, newest first, and what each of them changed.`,
      isUnlisted: page > 1,
      path: `/games/${slug}/patches`,
      width: 'wide',
      islands: ['patches'],
      body: (
        <>
          <GameHead view={visit.view} game={game} current="patches" heading={`Patches of ${game.title}`} />
          <TimeLine builds={builds} />
          <Island
            name="patches"
            component={NewerBuilds}
            properties={{ data: { game: slug, newest: game.build, delayHours: TIERS.free.delayHours } }}
          />
          <ol class="rows patches" reversed start={builds.length - first}>
            {patches.map(({ entry, changes }) => (
              <li key={entry.build}>
                <a href={patchPath(game, entry)}>
                  <strong>{entry.build}</strong>
                </a>
                <span>
                  <Summary changes={changes} isSample={visit.services.isSample} />
                </span>
                <span class="muted">
                  <Day time={entry.released_at} />
                </span>
              </li>
            ))}
          </ol>
          {builds.length > MAX_BUILDS && (
            <nav class="pager" aria-label="Pages">
              {page > 1 && <a href={at(page - 1)}>Newer builds</a>}
              {first + MAX_BUILDS < builds.length && <a href={at(page + 1)}>Older builds</a>}
            </nav>
          )}
        </>
      ),
    };
  },
};

/** Returns the number of a page in a query; 1 for what is no whole number. */
function pageIn(query: string): number {
  const page = Number(new URLSearchParams(query).get('page'));
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

/** The line of a build, with the names of what is new. */
function Summary({ changes, isSample }: { changes: BuildChanges; isSample: boolean }) {
  const { isFirst, added, names } = changes;
  const fresh = names.filter(({ kind }) => kind === 'added');
  return (
    <>
      {describeChanges(changes)}
      {!isFirst && !isSample && fresh.length > 0 && (
        <span class="small muted">
          <br />
          {fresh.map(({ name }) => name).join(', ')}
          {added > fresh.length && ' …'}
        </span>
      )}
    </>
  );
}

export const patchPage: SitePage = {
  path: '/games/:game/patches/:build',
  kind: 'list',
  relevantParams(visit) {
    const game = gameOf(visit);
    return { game: game.slug, build: findEntry(game, visit)?.build ?? '' };
  },
  async make(visit) {
    const game = gameOf(visit);
    const entry = findEntry(game, visit);
    return entry ? await shownPatch(visit, game, entry) : unseenPatch(visit, game);
  },
};

async function shownPatch(
  { view, services }: Visit,
  game: GameBuild,
  entry: BuildEntry,
): Promise<PageContent> {
  const previous = game.builds[game.builds.indexOf(entry) - 1];
  const changes = await readChanges(services.archive(), game, entry);
  const heading = `${game.title} ${entry.build}`;
  const parts =
    previous === undefined || services.isSample
      ? undefined
      : await readPatch(services.archive(), game, previous, entry);
  const short = describeChanges(changes);
  return {
    title: heading,
    description: `What build ${entry.build} of ${game.title} changed: ${short}.`,
    path: patchPath(game, entry),
    width: 'wide',
    islands: ['patch'],
    body: (
      <>
        <GameHead view={view} game={game} current={undefined} heading={heading} />
        <p class="lead">
          Released <Since time={entry.released_at} />: {short}.
        </p>
        <Regions entry={entry} />
        <CarriedFrom entry={entry} />
        {services.isSample && entry === game.builds.at(-1) && <Names changes={changes} />}
        <div id={PRO_PATCH} class="patch" />
        {parts && <PublicPatch game={game} audience={services} parts={parts} />}
        {previous && (
          <PatchIsland game={game} build={entry.build} previous={previous.build} pro={services.pro} />
        )}
        <Neighbours game={game} entry={entry} />
      </>
    ),
  };
}

/** The page of all builds that visitors do not see: those that exist have the same as those that do not. */
function unseenPatch({ view, services }: Visit, game: GameBuild): PageContent {
  const heading = `A build of ${game.title}`;
  const { entry: newest } = game;
  const { delayHours } = TIERS.free;
  return {
    title: heading,
    path: `/games/${game.slug}/patches`,
    width: 'text',
    islands: ['patch'],
    problem: new HttpProblem(
      'unknown-build',
      `${game.slug} has no such build, or it is not public yet: a build is public ${delayHours} hours after its release; the newest public one is ${quote(newest.build)}`,
    ),
    body: (
      <>
        <GameHead view={view} game={game} current={undefined} heading={heading} />
        <p class="lead">This build is not public yet, or there is no such build.</p>
        <p>
          A build is public {delayHours} hours after its release. Until then, Pro accounts see it: an alert
          links here at once. The newest public build is <a href={patchPath(game, newest)}>{newest.build}</a>,
          released <Since time={newest.released_at} />; <a href={`/games/${game.slug}/patches`}>all builds</a>
          .
        </p>
        <PatchIsland game={game} build="" previous={undefined} pro={services.pro} />
        <div id={PRO_PATCH} class="patch" />
      </>
    ),
  };
}

function PatchIsland({
  game,
  build,
  previous,
  pro,
}: { game: GameBuild; pro: ProOffer } & Pick<PatchData, 'build' | 'previous'>): JSX.Element {
  const { delayHours } = TIERS.free;
  const data: PatchData = { game: game.slug, build, previous, delayHours, join: pro.links[0] };
  return <Island name="patch" component={Patch} properties={{ data }} />;
}

/** The regions where the build is released at another time. */
function Regions({ entry }: { entry: BuildEntry }): JSX.Element | null {
  const { released_in = {} } = entry;
  const regions = Object.entries(released_in);
  if (regions.length === 0) return null;
  return (
    <ul>
      {regions.map(([region, time]) => (
        <li key={region}>
          {region}: <Day time={time} />
        </li>
      ))}
    </ul>
  );
}

/** The datasets that are still those of an earlier build. */
function CarriedFrom({ entry: { carried_from = {} } }: { entry: BuildEntry }): JSX.Element | null {
  const datasets = Object.entries(carried_from);
  if (datasets.length === 0) return null;
  return (
    <p class="muted">
      Not updated yet: {datasets.map(([dataset, build]) => `${dataset} (as in ${build})`).join(', ')}.
    </p>
  );
}

function patchPath({ slug }: GameBuild, { build }: BuildEntry): string {
  return `/games/${slug}/patches/${encodeURIComponent(build)}`;
}

/** The build of a page; undefined if visitors do not see it. */
function findEntry({ builds }: GameBuild, { params }: Visit): BuildEntry | undefined {
  return builds.find(({ build }) => build === params.build);
}

const SIGNS = { added: 'new', changed: 'changed', removed: 'removed' } as const;

/** Of a sample, some of the names. */
function Names({ changes: { isFirst, names, added, changed, removed } }: { changes: BuildChanges }) {
  const left = added + changed + removed - names.length;
  if (isFirst) return null;
  return (
    <ul class="change-list">
      {names.map(({ id, name, kind }) => (
        <li key={id}>
          <span class={`badge badge-${kind}`}>{SIGNS[kind]}</span> {name}
        </li>
      ))}
      {left > 0 && <li class="muted">and {left} more</li>}
    </ul>
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
