import { hash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  FILE_EXTENSION,
  type FileRef,
  filesOf,
  INDEX_FILE,
  type Index,
} from '../../scripts/format/dist-format.ts';
import { isRefusal, openObjectStore, readBody, sendRequest } from '../../scripts/publish/object-store.ts';
import {
  describeSystemError,
  errorOf,
  inParallel,
  isSystemError,
  makePrivateFolder,
  readRegularFile,
  replacePrivateFile,
  TEMPORARY_SUFFIX,
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

/** Why games cannot be downloaded, by slug. */
type Failures = ReadonlyMap<string, DistError>;

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
/** Far larger than any index. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** How many files of a game are downloaded at once. */
const FILES_AT_ONCE = 8;
/** How long a file is kept that the index no longer references: another gateway with the same folder may still need it. */
const KEPT_MS = 86_400_000;
/** The files of games that a mirror writes, and those it leaves behind if it is killed. */
const MIRRORED = new RegExp(String.raw`^[a-z0-9-]+/[a-z0-9_.]+\.${FILE_EXTENSION}(?:${TEMPORARY_SUFFIX})?$`);

/**
 * Follows the dist/ at an address with a copy in the folder of `--cache`.
 *
 * @throws DistError when the copy has no state yet and none can be downloaded
 */
export async function follow(
  address: string,
  { now, log, cache = 'var/dist' }: { now: () => number; log: Log; cache?: string },
): Promise<DistFollower> {
  const degraded = new DegradedStates();
  const source = openSource(address, process.env.AWS_ENDPOINT_URL_S3);
  const mirror = new Mirror(source, cache, { log, degraded });
  await mirror.start();
  const refetch = (ref: FileRef) => mirror.fetch(ref);
  const followed = await followDist(cache, { now, log, interval: FOLLOW_MS, degraded, refetch });
  return {
    folder: followed.folder,
    files: followed.files,
    get catalog() {
      return followed.catalog;
    },
    get state() {
      return { ...followed.state, failure: followed.state.failure ?? mirror.failure };
    },
    get degraded() {
      return followed.degraded;
    },
    look: () => followed.look(),
    close() {
      mirror.close();
      followed.close();
    },
  };
}

/** A game whose files are all in the folder. */
interface Fetched {
  /** The SHA-256 of its manifest. */
  sha256: string;
  files: ReadonlySet<string>;
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
  readonly #games = new Map<string, Fetched>();
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
    const hasIndex = (await stat(path.join(this.#folder, INDEX_FILE)).catch(() => undefined)) !== undefined;
    if (failure !== undefined && !hasIndex) throw new DistError(failure);
    this.#lookLater();
  }

  /** Downloads a file into the folder. @throws DistError */
  async fetch({ file, bytes, sha256 }: FileRef): Promise<void> {
    const maxMs = this.#options.patience + bytes / LEAST_BYTES_PER_MS;
    const content = await this.#source.read(file, bytes, maxMs);
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
    this.#timer = setTimeout(look, this.#options.interval).unref();
  }

  /** @returns why the source cannot be mirrored */
  async #look(): Promise<string | undefined> {
    try {
      const bytes = await this.#source.read(INDEX_FILE, MAX_INDEX_BYTES, this.#options.patience);
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

  async #mirror(bytes: Buffer): Promise<void> {
    const index = parseIndex(bytes, `${this.#source.name}/${INDEX_FILE}`);
    await makePrivateFolder(this.#folder);
    const unfetched = new Map<string, DistError>();
    for (const game of index.games) {
      await this.#fetchGame(game).catch((error: unknown) => {
        if (!(error instanceof DistError) || error.isAway) throw error;
        unfetched.set(game.slug, error);
      });
    }
    const [first] = unfetched.values();
    if (first && unfetched.size === index.games.length) throw first;
    const before = await readFolderIndex(this.#folder).catch(() => undefined);
    const kept = `${JSON.stringify(keepFailed(index, unfetched, before), null, 1)}\n`;
    await this.#replaceIndex(unfetched.size === 0 ? bytes : Buffer.from(kept));
    this.#mirrored = unfetched.size === 0 ? bytes : undefined;
    if (this.#mirrored) await this.#removeUnnamed(index);
    this.#report(
      [...unfetched].map(([game, { message }]) => ({
        game,
        problem: `${message}; the state before of this game is served, if there is one`,
      })),
    );
  }

  async #replaceIndex(content: Buffer): Promise<void> {
    const target = path.join(this.#folder, INDEX_FILE);
    if ((await readRegularFile(target).catch(() => undefined))?.equals(content)) return;
    await replacePrivateFile(target, content);
    this.#options.log.info('dist mirrored', { source: this.#source.name, folder: this.#folder });
  }

  async #fetchGame({ slug, manifest }: Index['games'][number]): Promise<void> {
    if (this.#games.get(slug)?.sha256 === manifest.sha256) return;
    const known = this.#games.get(slug)?.files;
    const fetchMissing = async (ref: FileRef) => {
      if (known?.has(ref.file)) return;
      const content = await readRegularFile(path.join(this.#folder, ref.file)).catch(() => undefined);
      if (content === undefined || hash('sha256', content) !== ref.sha256) await this.fetch(ref);
    };
    await fetchMissing(manifest);
    const refs = (await readManifest(this.#folder, manifest)).builds.flatMap(filesOf);
    const missing = new Map(refs.map((ref) => [ref.file, ref]));
    await inParallel([...missing.values()], FILES_AT_ONCE, fetchMissing);
    this.#games.set(slug, { sha256: manifest.sha256, files: new Set([manifest.file, ...missing.keys()]) });
  }

  /** Removes files that the index no longer references, a day after they were written. */
  async #removeUnnamed({ games }: Index): Promise<void> {
    const named = new Set(games.flatMap(({ slug }) => [...(this.#games.get(slug)?.files ?? [])]));
    for (const file of await readdir(this.#folder, { recursive: true })) {
      if (named.has(file) || !MIRRORED.test(file)) continue;
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

/** Returns the index with the earlier entries of the games that failed, without those that are new. */
function keepFailed(index: Index, failures: Failures, before: Index | undefined): Index {
  // Without a previous index, failed games stay in the index: it is unknown which of them are new.
  if (before === undefined) return index;
  const games = index.games.flatMap((game) =>
    failures.has(game.slug) ? (before.games.find(({ slug }) => slug === game.slug) ?? []) : game,
  );
  return { ...index, games };
}

/** A published dist/ on another machine. */
interface DistSource {
  /** Its name for messages, without a password. */
  name: string;
  /** Reads a file of at most `limit` bytes within `maxMs`. @throws DistError */
  read(file: string, limit: number, maxMs: number): Promise<Buffer>;
}

/** Larger files cannot be served: the longest string in JavaScript has this length. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * Opens a published dist/.
 *
 * @param address `http(s)://…`, where a user name and password are sent (RFC 7617), or `s3://bucket/prefix`
 * @param endpoint of an S3-compatible store other than AWS
 * @throws DistError when it is not an address
 */
export function openSource(address: string, endpoint: string | undefined): DistSource {
  const { name, fetch } = /^https?:/i.test(address) ? webServer(address) : bucket(address, endpoint);
  return {
    name,
    async read(file, limit, maxMs) {
      const fault = (why: string, isAway = false) =>
        new DistError(`${name}/${file} cannot be fetched: ${why}`, { isAway });
      if (limit > MAX_FILE_BYTES)
        throw fault(`it has ${limit} bytes according to its index, expected ${MAX_FILE_BYTES} at most`);
      const signal = AbortSignal.timeout(Math.ceil(maxMs));
      try {
        return await fetch(file, limit, signal);
      } catch (error) {
        if (error instanceof RangeError) throw fault(error.message);
        if (signal.aborted) throw fault(`it was not whole after ${Math.ceil(maxMs / 1000)} s`);
        throw fault(errorOf(error).message || 'no connection', !isRefusal(error));
      }
    },
  };
}

function webServer(address: string) {
  if (!URL.canParse(address))
    throw new DistError('--dist is not an address; expected one such as https://example.org/dist');
  const base = new URL(address);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const shown = Object.assign(new URL(base), { username: '', password: '' });
  return {
    name: shown.href.replace(/\/$/, ''),
    /** @throws RangeError why the source does not return it */
    async fetch(file: string, limit: number, signal: AbortSignal): Promise<Buffer> {
      const response = await sendRequest(new URL(file, base), { signal });
      if (response.statusCode !== 200) {
        response.resume();
        throw new RangeError(`the server responds ${response.statusCode}, expected 200`);
      }
      const bytes = await readBody(response, limit);
      if (bytes) return bytes;
      throw new RangeError(`it has more than ${limit} bytes`);
    },
  };
}

function bucket(address: string, endpoint: string | undefined) {
  const store = openObjectStore(address, endpoint);
  if (!store)
    throw new DistError(`--dist ${address} is not the address of a bucket, expected s3://bucket/prefix`);
  return {
    name: store.name,
    async fetch(file: string, limit: number, signal: AbortSignal): Promise<Buffer> {
      const bytes = await store.read(file, limit, signal);
      if (bytes) return bytes;
      throw new RangeError('there is no such file');
    },
  };
}
