import { readUnrecorded } from '../dist/notes.ts';
import type { GamePlan } from '../dist/plan.ts';
import { readIndex, readManifest } from '../dist/read-dist.ts';
import { type Manifest, ownValue } from '../format/dist-format.ts';
import { type RecordedBuilds, recordBuilds } from './builds-lock.ts';

/** What is published of a game: its builds, and how many corrections each of them has. */
export interface PublishedGame {
  builds: RecordedBuilds;
  amended: Readonly<Record<string, number>>;
}

/** What is published, by slug. */
export type PublishedGames = Readonly<Record<string, PublishedGame>>;

/** What builds are compared with besides builds.lock.json. */
export interface Published {
  games: PublishedGames;
  /** Where it is published, for messages. */
  place: string;
  /** Whether it counts even where builds.lock.json has another record, as for a pull request that changes both. */
  isAuthority: boolean;
}

/** What a manifest publishes. */
export function describePublished({ builds }: Manifest): PublishedGame {
  return {
    builds: recordBuilds(builds),
    amended: Object.fromEntries(builds.map(({ build, amended }) => [build, amended.length])),
  };
}

/**
 * Reads what a dist/ folder publishes. What `gamedata build --watch` wrote there counts as not published, and so does what cannot be read: it is
 * written again.
 */
export async function readPublishedFolder(out: string): Promise<Published> {
  const index = await readIndex(out).catch(() => undefined);
  const unrecorded = await readUnrecorded(out);
  const games: Record<string, PublishedGame> = {};
  for (const { slug, manifest: ref } of index?.games ?? []) {
    const manifest = unrecorded.includes(slug) ? undefined : await readManifest(out, ref);
    if (manifest) games[slug] = describePublished(manifest);
  }
  return { games, place: `${out}/`, isAuthority: false };
}

/**
 * The records that the builds of a plan have to match: those of builds.lock.json and of what is published. A published build needs no match
 * if the plan declares that it was corrected or withdrawn since.
 */
export function recordsToMatch(
  lock: RecordedBuilds,
  published: Published | undefined,
  plan: Pick<GamePlan, 'slug' | 'entries' | 'withdrawn'>,
): RecordedBuilds {
  const game = published && ownValue(published.games, plan.slug);
  if (published === undefined || game === undefined) return lock;
  const isBinding = ([build]: [string, unknown]) => !isDeclared(plan, game, build);
  const binding = Object.fromEntries(Object.entries(game.builds).filter(isBinding));
  return published.isAuthority ? { ...lock, ...binding } : { ...binding, ...lock };
}

/** Whether a plan declares that a published build was corrected or withdrawn since. */
export function isDeclared(
  { entries, withdrawn }: Pick<GamePlan, 'entries' | 'withdrawn'>,
  game: PublishedGame,
  build: string,
): boolean {
  const entry = entries.find((candidate) => candidate.build === build);
  return entry ? entry.amended.length > (ownValue(game.amended, build) ?? 0) : withdrawn.includes(build);
}
