import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { FILE_EXTENSION } from '../../scripts/format/dist-format.ts';
import { TEMPORARY_SUFFIX } from '../../scripts/system.ts';

/** Matches the files of a game that a mirror writes, or leaves behind when it is killed. */
const MIRRORED = new RegExp(String.raw`^[a-z0-9_.]+\.${FILE_EXTENSION}(?:${TEMPORARY_SUFFIX})?$`);
/** How long an unreferenced file stays: another gateway may still need it. */
const KEPT_MS = 86_400_000;

/**
 * Removes the files of a mirror's folder that are not named, a day after they were written.
 *
 * @param slugs the games of the index
 * @param named the files of the games that changed, by slug; only these games and those that are not in the index are looked at
 */
export async function removeUnnamed(
  folder: string,
  slugs: ReadonlySet<string>,
  named: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const kept = named.get(entry.name) ?? new Set();
    if (slugs.has(entry.name) && !named.has(entry.name)) continue;
    for (const name of await readdir(path.join(folder, entry.name))) {
      if (!kept.has(`${entry.name}/${name}`) && MIRRORED.test(name))
        await removeIfOld(path.join(folder, entry.name, name));
    }
  }
}

async function removeIfOld(file: string): Promise<void> {
  const stats = await stat(file).catch(() => undefined);
  if (stats && stats.mtimeMs < Date.now() - KEPT_MS) await rm(file, { force: true });
}
