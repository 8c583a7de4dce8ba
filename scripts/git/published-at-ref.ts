import { isObject } from '../format/dist-format.ts';
import { CommandError } from '../lib/command-error.ts';
import { parseJson } from '../read/formats/json.ts';
import { parseBuildsLock } from '../recorded/builds-lock.ts';
import type { Published, PublishedGame } from '../recorded/published-builds.ts';
import { type DataAtRef, readAtRef } from './data-at-ref.ts';

/** The files of a game that say what was released: its lock, and the corrections of its builds. */
const READ = /^[^/]+\/(?:game\.json|builds\.lock\.json|[^/]+\/build\.json)$/;

/**
 * Reads what the data recorded at a commit, to compare with all of it: a change cannot edit it, as it can edit builds.lock.json.
 *
 * @param place what the commit is called, for messages
 * @throws CommandError if a builds.lock.json there cannot be read
 */
export async function readPublishedAtRef(ref: DataAtRef, place: string): Promise<Published> {
  const files = new Map<string, string>();
  await readAtRef(
    ref,
    '',
    (file) => READ.test(file),
    (file, content) => files.set(file, content.toString('utf8')),
  );
  const games: Record<string, PublishedGame> = {};
  for (const file of files.keys()) {
    const [slug = '', name] = file.split('/');
    if (name === 'game.json') games[slug] = readGame(slug, files, place);
  }
  return { games, place, isAuthority: true };
}

function readGame(slug: string, files: ReadonlyMap<string, string>, place: string): PublishedGame {
  const file = `${slug}/builds.lock.json`;
  const lock = parseBuildsLock(files.get(file) ?? '{"builds": {}}', file);
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
