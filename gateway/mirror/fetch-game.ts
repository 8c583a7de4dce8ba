import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileRef, filesOf, type Index, type Manifest } from '../../scripts/format/dist-format.ts';
import { inParallel, makePrivateFolder, readRegularFile, replacePrivateFile } from '../../scripts/system.ts';
import type { BoundedSource } from './bounded-source.ts';
import { DamagedFileError, readManifest } from '../data/dist-folder.ts';
import { SourceFileError } from './dist-source.ts';
import { loadedFilesOf } from '../data/game-build.ts';
import { firstServed } from '../data/load-game.ts';

/** Returns whether a file need not be fetched. */
export type IsThere = (file: string, ref: FileRef) => Promise<boolean>;

/** How many files of a game are fetched at once. */
const AT_ONCE = 8;

/** The files of a game. */
export interface FetchedGame {
  /** All of them. */
  files: string[];
  /** Those that are left for later. */
  later: FileRef[];
}

/**
 * Fetches the missing files of a game into a folder.
 *
 * @param servedAt leaves out the files that are not loaded into memory at this time, in ms since 1970; undefined for none
 * @throws DistError when the source does not have one, or has other bytes
 */
export async function fetchGame(
  source: BoundedSource,
  folder: string,
  { manifest }: Index['games'][number],
  { isThere, servedAt }: { isThere: IsThere; servedAt: number | undefined },
): Promise<FetchedGame> {
  await fetchMissing(source, folder, [manifest], isThere);
  const { builds } = await readManifestAgain(source, folder, manifest);
  const files = byName(builds.flatMap(filesOf));
  const first =
    servedAt === undefined
      ? files
      : byName(builds.slice(firstServed(builds, servedAt)).flatMap(loadedFilesOf));
  await fetchMissing(source, folder, [...first.values()], isThere);
  const later = [...files.values()].filter(({ file }) => !first.has(file));
  return { files: [manifest.file, ...files.keys()], later };
}

function byName(refs: readonly FileRef[]): Map<string, FileRef> {
  return new Map(refs.map((ref) => [ref.file, ref]));
}

/** Fetches a file of a folder from the source. @throws DistError */
export async function fetchFile(source: BoundedSource, folder: string, ref: FileRef): Promise<void> {
  const { file, bytes, sha256 } = ref;
  const content = await source.read(file, bytes);
  if (content.length !== bytes || hash('sha256', content) !== sha256)
    throw new SourceFileError(
      `${source.name}/${file} differs from the index there: run gamedata publish --verify`,
    );
  const target = path.join(folder, file);
  await makePrivateFolder(path.dirname(target));
  await replacePrivateFile(target, content);
}

/** Returns whether a file has the right size. That is enough once all bytes were compared: later, only complete files are written. */
export async function hasSize(file: string, { bytes }: FileRef): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.size === bytes;
}

/** Returns whether a file has the right bytes. */
export async function isWhole(file: string, { sha256 }: FileRef): Promise<boolean> {
  const content = await readRegularFile(file).catch(() => undefined);
  return content !== undefined && hash('sha256', content) === sha256;
}

async function fetchMissing(
  source: BoundedSource,
  folder: string,
  refs: readonly FileRef[],
  isThere: IsThere,
): Promise<void> {
  await inParallel(refs, AT_ONCE, async (ref) => {
    if (!(await isThere(path.join(folder, ref.file), ref))) await fetchFile(source, folder, ref);
  });
}

/** A manifest that was damaged in the folder is fetched again. */
async function readManifestAgain(source: BoundedSource, folder: string, ref: FileRef): Promise<Manifest> {
  try {
    return await readManifest(folder, ref);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    await fetchFile(source, folder, ref);
    return await readManifest(folder, ref);
  }
}
