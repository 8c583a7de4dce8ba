import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileRef, filesOf, INDEX_FILE, type Index } from '../../scripts/format/dist-format.ts';
import { inParallel } from '../../scripts/lib/in-parallel.ts';
import { replaceFile } from '../../scripts/lib/replace-file.ts';
import type { Log } from '../log/log.ts';
import { type BoundedSource, boundSource } from './bounded-source.ts';
import { DistError, parseIndex, readManifest } from './dist-folder.ts';
import type { DistSource } from './dist-source.ts';
import { tell } from './follow-dist.ts';

/** What a mirror needs besides its source and its folder. */
export interface MirrorOptions {
  /** Loads a state whose files are in the folder. Rejects with a DistError where it cannot be loaded, and the state before stays. */
  tryState: (index: Index) => Promise<void>;
  log: Log;
  /** How long to wait from one look at the index to the next, in ms. */
  interval: number;
  /** How long a file may take, in ms, beside a second for each 32 KiB. */
  patience?: number;
}

/** What keeps a local folder like a dist/ elsewhere. */
export interface DistMirror {
  /** Stops looking. */
  close(): void;
}

/** How many files are fetched at once. */
const AT_ONCE = 8;
/** Far more than any index has, in bytes. */
const LARGEST_INDEX = 16 * 1024 * 1024;
/** What a mirror writes, or leaves when it is killed. */
const MIRRORED = /^[^/]+\/[a-z0-9_.]+\.json(?:\.gz|\.br)?(?:\.\d+\.tmp)?$/;
/** How long a state is left alone that came whole and cannot be loaded, in ms. */
const RETRY_MS = 60_000;
/** How long a file stays that is named no more: another gateway may be about to need it, in ms. */
const KEPT_MS = 86_400_000;

/**
 * Keeps a local folder like a dist/ elsewhere: every file that its index leads to is fetched and compared with its SHA-256, and when the
 * state could be loaded, the index takes the place of the one before. Who follows the folder sees whole states only; and while the source is
 * gone, or has none that can be loaded, the last. Several gateways may share a folder.
 *
 * @throws DistError where the folder has no index yet, and the source cannot be mirrored
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
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;

  const look = async () => {
    try {
      const index = await source.read(INDEX_FILE, LARGEST_INDEX);
      if (refused?.index.equals(index) && performance.now() - refused.at < RETRY_MS) return;
      if (!mirrored?.equals(index)) {
        // At the start nobody knows what became of the files that are there.
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
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}

type IsThere = (file: string, ref: FileRef) => Promise<boolean>;

/** Fetches what is not there of the files that an index leads to. @returns the index, and all files that it leads to */
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
  // An index may lead to none.
  await mkdir(folder, { recursive: true });
  return { index, named };
}

/** @throws DistError where the source has no such file, or not those bytes */
async function fetchFile(source: BoundedSource, { file, bytes, sha256 }: FileRef): Promise<Buffer> {
  const content = await source.read(file, bytes);
  if (content.length === bytes && hash('sha256', content) === sha256) return content;
  throw new DistError(
    `${source.name}/${file} is not what the index there promises: run gamedata publish --verify`,
  );
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
