import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../lib/replace-file.ts';

/** A note about games in dist/: a file there that names them, and that no reader of dist/ reads. */
export type Note = '.unrecorded.json' | '.unchecked.json';

/** The games that were written without recording them in builds.lock.json: drafts, and all that `gamedata build --watch` writes. */
export const UNRECORDED: Note = '.unrecorded.json';
/** The games with a build that was accepted although nothing compared it with the build before. */
export const UNCHECKED: Note = '.unchecked.json';

/** Returns the games in dist/ that a note names, by slug. */
export async function readNote(out: string, note: Note): Promise<string[]> {
  try {
    const slugs: unknown = JSON.parse(await readFile(path.join(out, note), 'utf8'));
    return Array.isArray(slugs) ? slugs.filter((slug) => typeof slug === 'string') : [];
  } catch {
    return [];
  }
}

/** Adds games to a note, or removes them from it. */
export async function writeNote(
  out: string,
  note: Note,
  slugs: readonly string[],
  isTrue: boolean,
): Promise<void> {
  const before = await readNote(out, note);
  const others = before.filter((slug) => !slugs.includes(slug));
  const after = isTrue ? [...others, ...slugs].sort() : others;
  const file = path.join(out, note);
  if (after.length === 0) await rm(file, { force: true });
  else await replaceFile(file, Buffer.from(`${JSON.stringify(after)}\n`));
}
