import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../lib/replace-file.ts';

/** Names the games in dist/ that were written without recording them: drafts, and all that `gamedata build --watch` writes. No reader of dist/ reads it. */
const UNRECORDED = '.unrecorded.json';

/** Returns the games in dist/ that were written without recording them, by slug. */
export async function readUnrecorded(out: string): Promise<string[]> {
  try {
    const slugs: unknown = JSON.parse(await readFile(path.join(out, UNRECORDED), 'utf8'));
    return Array.isArray(slugs) ? slugs.filter((slug) => typeof slug === 'string') : [];
  } catch {
    return [];
  }
}

/** Adds games to these, or removes them. */
export async function noteUnrecorded(out: string, slugs: readonly string[], isTrue: boolean): Promise<void> {
  const others = (await readUnrecorded(out)).filter((slug) => !slugs.includes(slug));
  const after = isTrue ? [...others, ...slugs].sort() : others;
  const file = path.join(out, UNRECORDED);
  if (after.length === 0) await rm(file, { force: true });
  else await replaceFile(file, Buffer.from(`${JSON.stringify(after)}\n`));
}
