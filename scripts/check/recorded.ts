import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { noteUnrecorded, readUnrecorded } from '../dist/lock.ts';
import type { GamePlan } from '../dist/plan.ts';
import { readIndex, readManifest } from '../dist/read-dist.ts';
import { errorAt, type Finding } from '../findings.ts';
import { BUILD_NAME, type BuildEntry, type Manifest, ownValue } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { map, object, type Static, text } from '../format/json-schema.ts';
import { readInside } from '../read/files.ts';
import { parseJson } from '../read/json.ts';
import { checkSchema, compileSchema } from '../read/schema.ts';
import { CommandError, isAbsent, replaceFile } from '../system.ts';
import { groupBy, nameSome } from '../text.ts';

const sha256 = text({ pattern: '^[0-9a-f]{64}$' });
const recordedBuild = object({
  released_at: text({ format: 'instant' }),
  roster: sha256,
  characters: sha256,
  datasets: map(sha256),
});
const recordedBuilds = map(recordedBuild, { propertyNames: { pattern: BUILD_NAME } });
const lock = object({ builds: recordedBuilds });
const validLock = compileSchema<Static<typeof lock>>(lock);

/** A published build: the time of its release, and the SHA-256 of each file. */
export type RecordedBuild = Static<typeof recordedBuild>;
/** The recorded builds of a game, by name. */
export type RecordedBuilds = Static<typeof recordedBuilds>;

/** A recorded build that differs from its record. */
export interface ChangedBuild {
  build: string;
  recorded: RecordedBuild;
  /** The names of its lists and datasets that differ, and `released_at` if that differs. */
  parts: string[];
  /** Whether the build no longer exists. */
  missing: boolean;
}

const BUILDS_LOCK = 'builds.lock.json';

/** The path of a game's builds.lock.json. */
export function lockFileOf(folder: string): string {
  return path.posix.join(folder, BUILDS_LOCK);
}

/**
 * Reads a game's builds.lock.json.
 *
 * @returns no recorded builds if the file does not exist; findings if it cannot be read
 */
export async function readBuildsLock(
  folder: string,
): Promise<{ value: RecordedBuilds } | { findings: Finding[] }> {
  const file = lockFileOf(folder);
  if (await isAbsent(file)) return { value: {} };
  const text = await readInside(folder, BUILDS_LOCK);
  if ('finding' in text) return { findings: [withAdvice(text.finding, file)] };
  return parseBuildsLock(text.value, file);
}

/** @param file the path for findings */
export function parseBuildsLock(
  text: string,
  file: string,
): { value: RecordedBuilds } | { findings: Finding[] } {
  const parsed = parseJson(text, file);
  if ('finding' in parsed) return { findings: [withAdvice(parsed.finding, file)] };
  if (validLock(parsed.value)) return { value: parsed.value.builds };
  const [fault, ...more] = checkSchema(validLock, parsed.value, 'builds-lock', { file, pointer: '' });
  // One cause: the file is broken.
  return {
    findings: fault ? [{ ...withAdvice(fault, file), ...(more.length > 0 && { more: more.length }) }] : [],
  };
}

/** Adds advice to a finding about a builds.lock.json that cannot be used. */
function withAdvice(finding: Finding, file: string): Finding {
  const fix = `restore it from version control (git checkout -- ${file}); after a merge conflict, take either side. If it is lost, delete it: gamedata build writes it again, and what dist/ publishes stays locked`;
  return { ...finding, fix };
}

function recordOf({ released_at, roster, characters, datasets }: BuildEntry): RecordedBuild {
  return {
    released_at,
    roster: roster.sha256,
    characters: characters.sha256,
    datasets: Object.fromEntries(datasets.map(({ key, sha256 }) => [key, sha256])),
  };
}

/**
 * Returns the released builds that differ from their records. A build is released by the time in its record, with which it was published.
 *
 * @param now ms since 1970
 */
export function findChangedBuilds(
  recorded: RecordedBuilds,
  entries: readonly BuildEntry[],
  now: number,
): ChangedBuild[] {
  return Object.entries(recorded).flatMap(([build, before]): ChangedBuild[] => {
    if (Date.parse(before.released_at) > now) return [];
    const entry = entries.find((candidate) => candidate.build === build);
    if (entry === undefined) return [{ build, recorded: before, parts: [], missing: true }];
    const parts = partsThatDiffer(before, recordOf(entry));
    return parts.length > 0 ? [{ build, recorded: before, parts, missing: false }] : [];
  });
}

function partsThatDiffer(before: RecordedBuild, after: RecordedBuild): string[] {
  const own = (['released_at', 'roster', 'characters'] as const).filter((key) => before[key] !== after[key]);
  const [earlier, later] = [before.datasets, after.datasets];
  const keys = Object.keys({ ...earlier, ...later }).sort();
  return [...own, ...keys.filter((key) => ownValue(earlier, key) !== ownValue(later, key))];
}

export function isSame(recorded: RecordedBuild, entry: BuildEntry): boolean {
  return partsThatDiffer(recorded, recordOf(entry)).length === 0;
}

export function recordBuilds(entries: readonly BuildEntry[]): RecordedBuilds {
  return Object.fromEntries(entries.map((entry) => [entry.build, recordOf(entry)]));
}

/** The published builds of a game, with the number of corrections of each. */
export interface PublishedGame {
  builds: RecordedBuilds;
  amended: Readonly<Record<string, number>>;
}

/** What builds are compared with besides builds.lock.json. */
export interface Published {
  /** By slug. */
  games: Readonly<Record<string, PublishedGame>>;
  /** The place of the publication, for messages. */
  place: string;
  /** Whether it counts even if builds.lock.json has another record, as for a pull request that changes both. */
  isAuthority: boolean;
}

export function describePublished({ builds }: Manifest): PublishedGame {
  return {
    builds: recordBuilds(builds),
    amended: Object.fromEntries(builds.map(({ build, amended }) => [build, amended.length])),
  };
}

/**
 * Reads the published builds of a dist/ folder. What `gamedata build --watch` wrote does not count as published, nor does what cannot be read: it is
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
 * Returns the records that the builds of a plan must match: those of builds.lock.json and of the publication, except published builds that the plan
 * declares as corrected or withdrawn since.
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

/**
 * Finds the released builds of a plan that differ from their records. Builds that differ in the same lists and datasets are one finding, because one
 * change, for example of the mapping, is probably the cause of all.
 *
 * @param folder the game's folder
 * @param lock the builds of builds.lock.json
 * @param now ms since 1970
 */
export function checkRecorded(
  folder: string,
  lock: RecordedBuilds,
  plan: GamePlan,
  published: Published | undefined,
  now: number,
): Finding[] {
  const changed = findChangedBuilds(recordsToMatch(lock, published, plan), plan.entries, now);
  const groups = groupBy(changed, ({ build, missing, parts }) =>
    missing ? `missing ${build}` : parts.join(),
  );
  return groups.map(([{ build, recorded, parts, missing }, ...others]) => {
    const isLocked = ownValue(lock, build) === recorded;
    const place =
      missing && isLocked
        ? { file: lockFileOf(folder), pointer: pointerTo('/builds', build) }
        : path.posix.join(folder, build, 'build.json');
    const all = [build, ...others.map((each) => each.build)];
    const found = `different content in ${parts.join(', ')}`;
    const expected =
      isLocked || published === undefined
        ? `the build as recorded in ${lockFileOf(folder)}`
        : `the build as published in ${published.place}`;
    const undo = `undo the change (gamedata review ${path.posix.basename(folder)} --against HEAD shows it), or record a correction with gamedata build --amend "<why>"`;
    if (missing) return errorAt('recorded-build', place, `no build ${build}`, expected, undo);
    if (others.length === 0) return errorAt('recorded-build', place, found, expected, undo);
    const more = `${found} of ${all.length} released builds: ${nameSome(all, 5)}`;
    const first = 'look for one mistake in game.json or in a file that these builds share, and';
    return errorAt('recorded-build', place, more, expected, `${first} ${undo}`);
  });
}

/**
 * Writes the builds.lock.json of each game that was built to dist/.
 *
 * @throws CommandError if one cannot be written
 */
export async function recordGames(
  { data, out }: { data: string; out: string },
  plans: readonly GamePlan[],
): Promise<void> {
  for (const { slug, entries } of plans) {
    const folder = path.posix.join(data, slug);
    const file = lockFileOf(folder);
    const text = `${JSON.stringify({ builds: recordBuilds(entries) }, null, 2)}\n`;
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    await replaceFile(file, Buffer.from(text)).catch((error: Error) => {
      throw new CommandError(
        `${file} cannot be written: ${error.message}; the builds are in dist/, but not recorded`,
      );
    });
  }
  const slugs = plans.map(({ slug }) => slug);
  await noteUnrecorded(out, slugs, false);
}

/**
 * Sets a property of a JSON file without changing its comments and layout.
 *
 * @param value undefined removes the property
 */
export async function editJsonFile(file: string, property: string, value: unknown): Promise<void> {
  const text = await readFile(file, 'utf8');
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const edits = modify(text, [property], value, { formattingOptions });
  await replaceFile(file, Buffer.from(applyEdits(text, edits)));
}
