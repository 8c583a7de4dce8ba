import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../lib/replace-file.ts';

/** Names the games that `gamedata build --watch` wrote to dist/ without recording them in builds.lock.json. No reader of dist/ reads it. */
const UNRECORDED_FILE = '.unrecorded.json';

/** Returns the games in dist/ whose builds are not recorded, by slug. */
export async function readUnrecorded(out: string): Promise<string[]> {
  try {
    const slugs: unknown = JSON.parse(await readFile(path.join(out, UNRECORDED_FILE), 'utf8'));
    return Array.isArray(slugs) ? slugs.filter((slug) => typeof slug === 'string') : [];
  } catch {
    return [];
  }
}

/** Notes whether the builds of some games in dist/ are recorded. */
export async function noteRecorded(
  out: string,
  slugs: readonly string[],
  isRecorded: boolean,
): Promise<void> {
  const before = await readUnrecorded(out);
  const others = before.filter((slug) => !slugs.includes(slug));
  const after = isRecorded ? others : [...others, ...slugs].sort();
  const file = path.join(out, UNRECORDED_FILE);
  if (after.length === 0) await rm(file, { force: true });
  else await replaceFile(file, Buffer.from(`${JSON.stringify(after)}\n`));
}
