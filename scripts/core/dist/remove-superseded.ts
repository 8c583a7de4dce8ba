import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FileRef } from '../format/dist-format.ts';

const MANIFEST = /^manifest\.[0-9a-f]{32}\.json$/;
/**
 * How many manifests of a game stay that the index no longer names. A manifest lists all builds, so that all of them together would grow with
 * the square of the builds. A reader reads a manifest right after the index that names it.
 */
const KEPT = 10;

/** Removes the manifests of games that many later ones have superseded. Their times say when that happened (`writeDist`). */
export async function removeSuperseded(
  folder: string,
  games: readonly { slug: string; manifest: FileRef }[],
): Promise<void> {
  for (const { slug, manifest } of games) {
    const names = (await readdir(path.join(folder, slug))).filter((name) => MANIFEST.test(name));
    const old = names.map((name) => `${slug}/${name}`).filter((file) => file !== manifest.file);
    if (old.length <= KEPT) continue;
    const times = await Promise.all(
      old.map(async (file) => ({ file, at: (await stat(path.join(folder, file))).mtimeMs })),
    );
    const superseded = times.sort((a, b) => b.at - a.at).slice(KEPT);
    for (const { file } of superseded) await rm(path.join(folder, file), { force: true });
  }
}
