import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { BULK_FORMATS, BULK_TRAITS, FILE_EXTENSION, INDEX_FILE } from '../format/dist-format.ts';
import { CommandError, makeFolder, orCommandError, replaceFile, TEMPORARY_SUFFIX } from '../system.ts';

export const ENDPOINT_HELP = 'address of an S3-compatible store other than AWS, https://…';
/** The environment variable that all tools for S3 read. */
export const ENDPOINT_VARIABLE = 'AWS_ENDPOINT_URL_S3';

/** A file at a target: its size in bytes, and when it was written, in ms since 1970. */
export interface PresentFile {
  bytes: number;
  at: number;
}

/** A place where files are published. Its failures reject with a `CommandError`. */
export interface Target {
  /** Its name in messages. */
  name: string;
  /** Lists the files whose paths match `IMMUTABLE_FILE`, by path. */
  list(): Promise<Map<string, PresentFile>>;
  /** @returns undefined if the file does not exist */
  read(file: string): Promise<Buffer | undefined>;
  /** Writes a file; readers see all of it or nothing. */
  write(file: string, content: Buffer): Promise<void>;
  remove(file: string): Promise<void>;
}

/** The path of an immutable file of dist/, or of its temporary file from a killed process. */
const IMMUTABLE_FILE = new RegExp(
  String.raw`^[a-z0-9-]+/[a-z0-9_.]+\.[0-9a-f]{32}\.${FILE_EXTENSION}(?:${TEMPORARY_SUFFIX})?$`,
);

export function isObjectStore(address: string): boolean {
  return /^s3:/i.test(address);
}

/**
 * Opens a target: a folder, or `s3://bucket/prefix`. The client for S3 is loaded only if it is needed.
 *
 * @param endpoint the address of a store other than AWS
 */
export async function openTarget(address: string, endpoint?: string): Promise<Target> {
  return isObjectStore(address) ? await openBucket(address, endpoint) : openFolder(address);
}

/** Readers of a published folder are other users; the umask decides which. */
const PUBLIC_MODE = 0o666;

/** A folder of a web server, or one that other machines mount. */
export function openFolder(folder: string): Target {
  const orFail = <T>(work: Promise<T>) =>
    orCommandError(work, (reason) => `cannot publish to ${folder}: ${reason}`);
  return {
    name: folder,
    async list() {
      const found = fastGlob('*/*', { cwd: folder, stats: true, followSymbolicLinks: false });
      const files = (await orFail(found)).flatMap(({ path: file, stats }): [string, PresentFile][] =>
        stats && IMMUTABLE_FILE.test(file) ? [[file, { bytes: stats.size, at: stats.mtimeMs }]] : [],
      );
      return new Map(files);
    },
    read: (file) => readFile(path.join(folder, file)).catch(() => undefined),
    async write(file, content) {
      const target = path.join(folder, file);
      await orFail(makeFolder(path.dirname(target)));
      await orFail(replaceFile(target, content, PUBLIC_MODE));
    },
    remove: (file) => orFail(rm(path.join(folder, file), { force: true })),
  };
}

/** Clients may keep such a file forever: its name contains the hash of its content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Opens a place in a bucket. The store accepts a file only if its bytes match the SHA-256 that is sent with them. */
async function openBucket(address: string, endpoint: string | undefined): Promise<Target> {
  const { ObjectStore } = await import('./object-store.ts');
  const store = new ObjectStore(address, endpoint);
  const orFail = async <T>(work: Promise<T>, doing = 'publish to'): Promise<T> =>
    await work.catch((error: Error) => {
      throw new CommandError(`cannot ${doing} ${store.name}: ${error.message}`);
    });
  const list = async () => {
    const files = new Map<string, PresentFile>();
    for await (const { file, ...present } of store.list())
      if (IMMUTABLE_FILE.test(file)) files.set(file, present);
    return files;
  };
  return {
    name: store.name,
    list: () => orFail(list()),
    read: (file) => orFail(store.read(file), 'read'),
    async write(file, content) {
      const [, coding] = /\.(gz|br)$/.exec(file) ?? [];
      const headers = {
        'content-type': mediaTypeOf(file),
        ...(coding !== undefined && { 'content-encoding': coding === 'gz' ? 'gzip' : 'br' }),
        'cache-control': file === INDEX_FILE ? 'no-cache' : IMMUTABLE,
        'x-amz-checksum-sha256': hash('sha256', content, 'base64'),
        'x-amz-content-sha256': hash('sha256', content),
      };
      await orFail(store.write(file, content, headers));
    },
    remove: (file) => orFail(store.remove(file)),
  };
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  zip: 'application/zip',
  ...Object.fromEntries(BULK_FORMATS.map((format) => [format, BULK_TRAITS[format].mediaType])),
};

/** Returns the media type of a file's content, whether or not it is compressed. */
export function mediaTypeOf(file: string): string {
  const extension = /\.([a-z]+)(?:\.gz|\.br)?$/.exec(file)?.[1] ?? '';
  return MEDIA_TYPES[extension] ?? 'application/octet-stream';
}
