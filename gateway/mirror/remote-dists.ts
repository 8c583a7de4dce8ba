import { hash } from 'node:crypto';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { type FileRef, filesOf, INDEX_FILE, type Index } from '../../scripts/format/dist-format.ts';
import { ObjectStore, readBody, StoreFailure, sendRequest } from '../../scripts/publish/object-store.ts';
import { GAME_FILE } from '../../scripts/publish/targets.ts';
import {
  describeSystemError,
  errorOf,
  inParallel,
  isSystemError,
  makePrivateFolder,
  readRegularFile,
  replacePrivateFile,
} from '../../scripts/system.ts';
import {
  type DegradedState,
  DegradedStates,
  DistError,
  parseIndex,
  readIndex as readFolderIndex,
  readManifest,
} from '../data/dist-files.ts';
import { type DistFollower, describeError, FOLLOW_MS, followDist } from '../data/follow-dist.ts';
import type { Log } from '../http/log.ts';

export interface MirrorOptions {
  log: Log;
  /** Collects what is degraded. */
  degraded: DegradedStates;
  /** How often the index is checked, in ms. */
  interval?: number;
  /** How long the index may take, in ms; other files may take one second more per 32 KiB. */
  patience?: number;
}

/** A download is aborted after this time, plus its size divided by the lowest rate. */
const PATIENCE_MS = 20_000;
const LEAST_BYTES_PER_MS = 32;
const INTERVAL_MS = 1000;
/** How many intervals to wait after a file could not be downloaded. */
const FAULT_PAUSE = 10;
/** Far larger than any index. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** How many files of a game are downloaded at once. */
const FILES_AT_ONCE = 8;
/** How long a file is kept after the index stopped referencing it: another gateway with the same folder may still need it. */
const KEPT_MS = 86_400_000;

/**
 * Follows the dist/ at an address with a copy in the folder of `--cache`.
 *
 * @throws DistError when the copy has no state yet and none can be downloaded
 */
export async function follow(
  address: string,
  { now, log, cache }: { now: () => number; log: Log; cache: string },
): Promise<DistFollower> {
  const degraded = new DegradedStates();
  const copy = new Mirror(openSource(address, process.env.AWS_ENDPOINT_URL_S3), cache, { log, degraded });
  await copy.start();
  return await followDist(cache, { now, log, interval: FOLLOW_MS, degraded, copy });
}

/**
 * Keeps a folder equal to a published dist/. Every file that the source's index references is compared with its SHA-256, also those already in the
 * folder; missing and damaged files are downloaded. Then the index is replaced, so that readers see only complete states. While the source is
 * unreachable or damaged, they see the last state. A game whose files cannot be downloaded keeps its state; the others move on. Several gateways may
 * share a folder.
 */
export class Mirror {
  /** Why the folder differs from the source; undefined if it does not. */
  failure: string | undefined;
  readonly #source: DistSource;
  readonly #folder: string;
  readonly #options: Required<MirrorOptions>;
  /** The files that are in the folder and were compared with their SHA-256, which is part of their names. */
  #verified = new Set<string>();
  #hasFaults = false;
  /** The index whose files are all in the folder. */
  #mirrored: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(source: DistSource, folder: string, options: MirrorOptions) {
    this.#source = source;
    this.#folder = folder;
    this.#options = { interval: INTERVAL_MS, patience: PATIENCE_MS, ...options };
  }

  /** @throws DistError when the folder has no state and none can be downloaded */
  async start(): Promise<void> {
    const failure = await this.#look();
    const index = await readRegularFile(path.join(this.#folder, INDEX_FILE)).catch(() => undefined);
    if (failure !== undefined && index === undefined) throw new DistError(failure);
    this.#lookLater();
  }

  /** Downloads a file into the folder. @throws DistError */
  async fetch({ file, bytes, sha256 }: FileRef): Promise<void> {
    const content = await this.#read(file, bytes, bytes / LEAST_BYTES_PER_MS);
    if (content.length !== bytes || hash('sha256', content) !== sha256)
      throw new DistError(
        `${this.#source.name}/${file} differs from the index there: run gamedata publish --verify`,
      );
    const target = path.join(this.#folder, file);
    await makePrivateFolder(path.dirname(target));
    await replacePrivateFile(target, content);
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
  }

  #lookLater(): void {
    const look = () => void this.#look().then(() => this.#isOpen && this.#lookLater());
    this.#timer = setTimeout(look, this.#options.interval * (this.#hasFaults ? FAULT_PAUSE : 1)).unref();
  }

  /** @returns why the source cannot be mirrored */
  async #look(): Promise<string | undefined> {
    try {
      const bytes = await this.#read(INDEX_FILE, MAX_INDEX_BYTES);
      if (this.#mirrored?.equals(bytes)) this.#report([]);
      else await this.#mirror(bytes);
      return undefined;
    } catch (error) {
      const failure = isSystemError(error)
        ? `${this.#folder} cannot be written: ${describeSystemError(error)}`
        : describeError(error);
      const problem = `${failure}; what is there is served`;
      this.#report([{ game: undefined, problem }], 'dist not mirrored, serving what is there');
      return failure;
    }
  }

  /** Reads a file of the source. @throws DistError */
  async #read(file: string, limit: number, moreMs = 0): Promise<Buffer> {
    const maxMs = Math.ceil(this.#options.patience + moreMs);
    const signal = AbortSignal.timeout(maxMs);
    try {
      return await this.#source.read(file, limit, signal);
    } catch (error) {
      const isOver = signal.aborted && !(error instanceof RangeError);
      const why = isOver ? `it was not whole after ${Math.ceil(maxMs / 1000)} s` : errorOf(error).message;
      const isRefused = error instanceof RangeError || (error instanceof StoreFailure && error.reason !== '');
      const fault = `${this.#source.name}/${file} cannot be fetched: ${why || 'no connection'}`;
      throw new DistError(fault, { isAway: !isOver && !isRefused });
    }
  }

  async #mirror(bytes: Buffer): Promise<void> {
    const index = parseIndex(bytes, `${this.#source.name}/${INDEX_FILE}`);
    await makePrivateFolder(this.#folder);
    const faults = new Map<string, DistError>();
    const named = new Set<string>();
    for (const game of index.games) {
      await this.#fetchGame(game.manifest, named).catch((error: unknown) => {
        if (!(error instanceof DistError) || error.isAway) throw error;
        this.#verified.delete(game.manifest.file);
        faults.set(game.slug, error);
      });
    }
    const [first] = faults.values();
    this.#hasFaults = first !== undefined;
    if (first && faults.size === index.games.length) throw first;
    this.#mirrored = undefined;
    await this.#replaceIndex(first ? await this.#keepFailed(index, faults) : bytes);
    this.#mirrored = first ? undefined : bytes;
    if (!first) await this.#removeUnnamed(named);
    const kept = 'the state before of this game is served, if there is one';
    this.#report([...faults].map(([game, { message }]) => ({ game, problem: `${message}; ${kept}` })));
  }

  /** Returns the index with the earlier entries of the games that failed, without those that are new. */
  async #keepFailed(index: Index, faults: ReadonlyMap<string, DistError>): Promise<Buffer> {
    const before = await readFolderIndex(this.#folder).catch(() => undefined);
    // Without a previous index, failed games stay in the index: it is unknown which of them are new.
    const games = index.games.flatMap((game) => {
      if (before === undefined || !faults.has(game.slug)) return game;
      return before.games.find(({ slug }) => slug === game.slug) ?? [];
    });
    return Buffer.from(`${JSON.stringify({ ...index, games }, null, 1)}\n`);
  }

  async #replaceIndex(content: Buffer): Promise<void> {
    const target = path.join(this.#folder, INDEX_FILE);
    if ((await readRegularFile(target).catch(() => undefined))?.equals(content)) return;
    await replacePrivateFile(target, content);
    this.#options.log.info('dist mirrored', { source: this.#source.name, folder: this.#folder });
  }

  /** @param named gets the files of the game */
  async #fetchGame(manifest: FileRef, named: Set<string>): Promise<void> {
    const fetchMissing = async (ref: FileRef) => {
      named.add(ref.file);
      if (this.#verified.has(ref.file)) return;
      const content = await readRegularFile(path.join(this.#folder, ref.file)).catch(() => undefined);
      if (content === undefined || hash('sha256', content) !== ref.sha256) await this.fetch(ref);
      this.#verified.add(ref.file);
    };
    await fetchMissing(manifest);
    const refs = (await readManifest(this.#folder, manifest)).builds.flatMap(filesOf);
    await inParallel([...new Map(refs.map((ref) => [ref.file, ref])).values()], FILES_AT_ONCE, fetchMissing);
  }

  /** When files lose their names, removes those that lost them more than a day ago. */
  async #removeUnnamed(named: Set<string>): Promise<void> {
    const [before, now] = [this.#verified, new Date()];
    this.#verified = named;
    // Not after a start: it is unknown what the index before named.
    if (before.size === named.size) return;
    for (const file of before)
      if (!named.has(file)) await utimes(path.join(this.#folder, file), now, now).catch(() => {});
    for (const file of await readdir(this.#folder, { recursive: true })) {
      if (named.has(file) || !GAME_FILE.test(file)) continue;
      const target = path.join(this.#folder, file);
      const at = (await stat(target).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
      if (at < Date.now() - KEPT_MS) await rm(target, { force: true });
    }
  }

  /** Reports what is degraded; each problem is logged once. */
  #report(parts: readonly DegradedState[], message = 'dist mirrored in part'): void {
    const error = parts.map(({ game, problem }) => (game ? `${game}: ${problem}` : problem)).join('; ');
    const { name: source } = this.#source;
    if (error !== '' && error !== this.failure) this.#options.log.error(message, { source, error });
    this.failure = error || undefined;
    this.#options.degraded.set('source', parts);
  }
}

/** A published dist/ on another machine. */
interface DistSource {
  /** Its name for messages, without a password. */
  name: string;
  /** Reads a file of at most `limit` bytes. @throws RangeError if the source works, but does not have it */
  read(file: string, limit: number, signal: AbortSignal): Promise<Buffer>;
}

/**
 * Opens a published dist/.
 *
 * @param address `http(s)://…`, where a user name and password are sent (RFC 7617), or `s3://bucket/prefix`
 * @param endpoint of an S3-compatible store other than AWS
 * @throws DistError when it is not an address
 */
export function openSource(address: string, endpoint: string | undefined): DistSource {
  if (/^s3:/i.test(address)) {
    const store = new ObjectStore(address, endpoint);
    const read: DistSource['read'] = async (...asked) => {
      const bytes = await store.read(...asked);
      if (bytes) return bytes;
      throw new RangeError('there is no such file');
    };
    return { name: store.name, read };
  }
  if (!URL.canParse(address))
    throw new DistError('--dist is not an address; expected one such as https://example.org/dist');
  const base = new URL(address);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const shown = Object.assign(new URL(base), { username: '', password: '' });
  return {
    name: shown.href.replace(/\/$/, ''),
    async read(file, limit, signal) {
      const response = await sendRequest(new URL(file, base), { signal });
      if (response.statusCode === 200) return await readBody(response, limit);
      response.resume();
      throw new RangeError(`the server responds ${response.statusCode}, expected 200`);
    },
  };
}
