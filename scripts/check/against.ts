import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { GamePlan } from '../dist/plan.ts';
import { parseIndex, parseManifest } from '../dist/read-dist.ts';
import { errorAt, type Finding } from '../findings.ts';
import { FORMAT, INDEX_FILE, isObject, ownValue } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { parseJson } from '../read/json.ts';
import { CommandError } from '../system.ts';
import { type DataAtRef, readAtRef } from './git.ts';
import * as records from './recorded.ts';

/**
 * Finds entries of builds.lock.json that were edited or removed although their builds are unchanged: after such a change is merged, a further change
 * could alter these builds without an error. A changed build is a separate finding.
 *
 * @param data the folder with the game folders
 * @param now ms since 1970
 */
export async function findEditedLocks(
  { games, place }: records.Published,
  data: string,
  plans: readonly GamePlan[],
  now: number,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const plan of plans) {
    const folder = path.posix.join(data, plan.slug);
    const game = ownValue(games, plan.slug);
    const lock = await records.readBuildsLock(folder);
    // The compiler reports a lock that cannot be read.
    if (game === undefined || 'findings' in lock) continue;
    for (const [build, recorded] of Object.entries(game.builds)) {
      const entry = plan.entries.find((each) => each.build === build);
      const isPast = Date.parse(recorded.released_at) <= now && !records.isDeclared(plan, game, build);
      if (!isPast || entry === undefined || !records.isSame(recorded, entry)) continue;
      const entryAfter = ownValue(lock.value, build);
      if (entryAfter && records.isSame(entryAfter, entry)) continue;
      const found = entryAfter ? 'another entry than before' : 'no entry any more';
      const file = records.lockFileOf(folder);
      findings.push(
        errorAt(
          'recorded-build',
          { file, pointer: entryAfter ? pointerTo('/builds', build) : '', line: 1 },
          `${found} of the released build ${build}`,
          `the entry as in ${place}: only gamedata build changes it, with --amend`,
          `take ${file} from there; if the build has to be corrected, run gamedata build --amend "<why>"`,
        ),
      );
    }
  }
  return findings;
}

/** Finds games that are published but not in data/. */
export function findMissingGames(
  { games, place }: records.Published,
  data: string,
  slugs: readonly string[],
): Finding[] {
  const missing = Object.keys(games).filter((slug) => !slugs.includes(slug));
  const fix = 'restore its folder; or name the games to check, if it is to be removed';
  return missing.map((slug) => {
    const file = path.posix.join(data, slug, 'game.json');
    return errorAt('recorded-build', file, `no game ${slug}`, `the game as published in ${place}`, fix);
  });
}

const MAX_FETCH_MS = 30_000;

/**
 * Reads what a dist/ publishes, to compare everything with it.
 *
 * @param place a folder, or its address on a web server
 * @throws CommandError if it cannot be read
 */
export async function readPublished(place: string): Promise<records.Published> {
  const readText = async (file: string) =>
    await readFrom(place, file).catch((error: Error) => {
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      throw new CommandError(
        `${file} of ${place} cannot be read: ${why}; --against expects a dist/ folder or its address, https://…`,
      );
    });
  const index = parseIndex(await readText(INDEX_FILE));
  if (index === undefined) throw new CommandError(`${place}: its ${INDEX_FILE} is not of format ${FORMAT}`);
  const games: Record<string, records.PublishedGame> = {};
  for (const { slug, manifest: ref } of index.games) {
    const text = await readText(ref.file);
    const manifest = hash('sha256', text) === ref.sha256 ? parseManifest(text) : undefined;
    if (manifest === undefined) throw new CommandError(`${place}: ${ref.file} is damaged`);
    games[slug] = records.describePublished(manifest);
  }
  return { games, place, isAuthority: true };
}

async function readFrom(place: string, file: string): Promise<string> {
  if (!/^https?:/i.test(place)) return await readFile(path.join(place, file), 'utf8');
  const address = `${place.replace(/\/+$/, '')}/${file}`;
  const response = await fetch(address, { signal: AbortSignal.timeout(MAX_FETCH_MS) });
  if (!response.ok) throw new Error(`the response has status ${response.status}`);
  return await response.text();
}

/** The files that record what was released: the lock of a game, and the corrections of its builds. */
const READ = /^[^/]+\/(?:game\.json|builds\.lock\.json|[^/]+\/build\.json)$/;

/**
 * Reads what the data recorded at a commit, to compare everything with it: a change can edit builds.lock.json, but not this.
 *
 * @param place the name of the commit in messages
 * @throws CommandError if a builds.lock.json there cannot be read
 */
export async function readPublishedAtRef(ref: DataAtRef, place: string): Promise<records.Published> {
  const files = new Map<string, string>();
  await readAtRef(
    ref,
    '',
    (file) => READ.test(file),
    (file, content) => files.set(file, content.toString('utf8')),
  );
  const games: Record<string, records.PublishedGame> = {};
  for (const file of files.keys()) {
    const [slug = '', name] = file.split('/');
    if (name === 'game.json') games[slug] = readGame(slug, files, place);
  }
  return { games, place, isAuthority: true };
}

function readGame(slug: string, files: ReadonlyMap<string, string>, place: string): records.PublishedGame {
  const file = `${slug}/builds.lock.json`;
  const lock = records.parseBuildsLock(files.get(file) ?? '{"builds": {}}', file);
  if ('findings' in lock)
    throw new CommandError(`${file} at ${place} is not valid, so nothing can be compared with it`);
  const amended = Object.keys(lock.value).map((build) => {
    const path = `${slug}/${build}/build.json`;
    const parsed = parseJson(files.get(path) ?? '{}', path);
    const list = 'value' in parsed && isObject(parsed.value) ? parsed.value.amended : undefined;
    return [build, Array.isArray(list) ? list.length : 0];
  });
  return { builds: lock.value, amended: Object.fromEntries(amended) };
}
