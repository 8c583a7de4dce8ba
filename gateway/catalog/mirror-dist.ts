import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileRef, filesOf, INDEX_FILE, type Index } from '../../scripts/format/dist-format.ts';
import { inParallel } from '../../scripts/lib/in-parallel.ts';
import { replaceFile, TEMPORARY_SUFFIX } from '../../scripts/lib/replace-file.ts';
import type { Log } from '../log/log.ts';
import { type BoundedSource, boundSource } from './bounded-source.ts';
import { DistError, parseIndex, readManifest } from './dist-folder.ts';
import type { DistSource } from './dist-source.ts';
import { tell } from './follow-dist.ts';
import type { MirrorState } from './mirror-state.ts';

/** Options of a mirror. */
export interface MirrorOptions {
  /** Loads a state whose files are in the folder. Rejects with a DistError when it cannot be loaded; then the previous state stays. */
  tryState: (index: Index) => Promise<void>;
  log: Log;
  /** How long to wait between two checks of the index, in ms. */
  interval: number;
  /** How long a file may take in ms, besides one second per 32 KiB. */
  patience?: number;
}

/** A running mirror. */
export interface DistMirror {
  readonly state: MirrorState;
  /** Stops checking the source. */
  close(): void;
}

/** How many files are fetched at once. */
const AT_ONCE = 8;
/** Far larger than any index. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** Matches the files that a mirror writes, or leaves behind when it is killed. */
const MIRRORED = new RegExp(String.raw`^[^/]+/[a-z0-9_.]+\.json(?:\.gz|\.br)?(?:${TEMPORARY_SUFFIX})?$`);
/** How long to wait before loading a complete state again that failed to load. */
const RETRY_MS = 60_000;
/** How long an unreferenced file stays: another gateway may still need it. */
const KEPT_MS = 86_400_000;

/**
 * Keeps a local folder equal to a dist/ elsewhere. Every file that the source's index references is fetched and compared with its SHA-256;
 * when the state can be loaded, its index replaces the one before. Readers of the folder see only complete states; while the source cannot
 * be reached or loaded, they see the last one. Several gateways may share a folder.
 *
 * @throws DistError when the folder has no index yet and the source cannot be mirrored
 */
export async function mirrorDist(
  unbounded: DistSource,
  folder: string,
  { tryState, log, interval, patience }: MirrorOptions,
): Promise<DistMirror> {
  const source = boundSource(unbounded, patience);
  let mirrored: Buffer | undefined;
  let refused: { index: Buffer; at: number } | undefined;
  let failure = '';
  let readAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;

  const look = async () => {
    try {
      const index = await source.read(INDEX_FILE, MAX_INDEX_BYTES);
      readAt = Date.now();
      if (refused?.index.equals(index) && performance.now() - refused.at < RETRY_MS) return;
      if (!mirrored?.equals(index)) {
        // At the start the files in the folder are unknown.
        const isThere = mirrored === undefined ? isWhole : hasSize;
        const state = await fetchState(source, folder, index, isThere);
        await tryState(state.index).catch((error: unknown) => {
          refused = { index, at: performance.now() };
          throw error;
        });
        await replaceFile(path.join(folder, INDEX_FILE), index);
        await removeUnnamed(folder, state.named);
        mirrored = index;
        log.info('dist mirrored', { source: source.name, folder });
      }
      failure = '';
    } catch (error) {
      const told = describeFailure(error, folder);
      if (told !== failure)
        log.error('dist not mirrored, serving what is there', { source: source.name, error: told });
      failure = told;
    }
  };
  const lookLater = () => {
    timer = setTimeout(() => void look().then(() => isOpen && lookLater()), interval).unref();
  };
  await look();
  if (mirrored === undefined && !(await exists(path.join(folder, INDEX_FILE)))) throw new DistError(failure);
  lookLater();
  return {
    get state() {
      return { readAt, failure: failure || undefined };
    },
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}

type IsThere = (file: string, ref: FileRef) => Promise<boolean>;

/** Fetches the missing files that an index references. @returns the index and all files that it references */
async function fetchState(
  source: BoundedSource,
  folder: string,
  indexBytes: Buffer,
  isThere: IsThere,
): Promise<{ index: Index; named: ReadonlySet<string> }> {
  const index = parseIndex(indexBytes, `${source.name}/${INDEX_FILE}`);
  const { games } = index;
  const named = new Set<string>();
  const fetchAll = async (refs: readonly FileRef[]) => {
    const further = new Map(refs.filter(({ file }) => !named.has(file)).map((ref) => [ref.file, ref]));
    for (const file of further.keys()) named.add(file);
    await inParallel([...further.values()], AT_ONCE, async (ref) => {
      const target = path.join(folder, ref.file);
      if (await isThere(target, ref)) return;
      await mkdir(path.dirname(target), { recursive: true });
      await replaceFile(target, await fetchFile(source, ref));
    });
  };
  await fetchAll(games.map(({ manifest }) => manifest));
  for (const { manifest } of games)
    await fetchAll((await readManifest(folder, manifest)).builds.flatMap(filesOf));
  // An index may reference no files.
  await mkdir(folder, { recursive: true });
  return { index, named };
}

/** @throws DistError when the source does not have the file, or has other bytes */
async function fetchFile(source: BoundedSource, { file, bytes, sha256 }: FileRef): Promise<Buffer> {
  const content = await source.read(file, bytes);
  if (content.length === bytes && hash('sha256', content) === sha256) return content;
  throw new DistError(`${source.name}/${file} differs from the index there: run gamedata publish --verify`);
}

async function removeUnnamed(folder: string, named: ReadonlySet<string>): Promise<void> {
  const entries = await readdir(folder, { recursive: true });
  for (const entry of entries.map((name) => name.replaceAll(path.sep, '/'))) {
    if (named.has(entry) || !MIRRORED.test(entry)) continue;
    const file = path.join(folder, entry);
    const found = await stat(file).catch(() => undefined);
    if (found && found.mtimeMs < Date.now() - KEPT_MS) await rm(file, { force: true });
  }
}

function describeFailure(error: unknown, folder: string): string {
  const isRefused = error instanceof Error && 'syscall' in error;
  return isRefused ? `${folder} cannot be written: ${error.message}` : tell(error);
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

async function hasSize(file: string, { bytes }: FileRef): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.size === bytes;
}

async function isWhole(file: string, { sha256 }: FileRef): Promise<boolean> {
  const content = await readFile(file).catch(() => undefined);
  return content !== undefined && hash('sha256', content) === sha256;
}
