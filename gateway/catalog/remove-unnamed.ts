import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { TEMPORARY_SUFFIX } from '../../scripts/lib/replace-file.ts';

/** Matches the files that a mirror writes, or leaves behind when it is killed. */
const MIRRORED = new RegExp(String.raw`^[^/]+/[a-z0-9_.]+\.json(?:\.gz|\.br)?(?:${TEMPORARY_SUFFIX})?$`);
/** How long an unreferenced file stays: another gateway may still need it. */
const KEPT_MS = 86_400_000;

/** Removes the files of a mirror's folder that are not named, a day after they were written. */
export async function removeUnnamed(folder: string, named: ReadonlySet<string>): Promise<void> {
  const entries = await readdir(folder, { recursive: true });
  for (const entry of entries.map((name) => name.replaceAll(path.sep, '/'))) {
    if (named.has(entry) || !MIRRORED.test(entry)) continue;
    const file = path.join(folder, entry);
    const found = await stat(file).catch(() => undefined);
    if (found && found.mtimeMs < Date.now() - KEPT_MS) await rm(file, { force: true });
  }
}
