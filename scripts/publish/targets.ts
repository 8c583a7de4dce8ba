import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { BULK_FORMATS, BULK_TRAITS, FILE_EXTENSION } from '../format/dist-format.ts';
import { isAbsent, makeFolder, orCommandError, replaceFile, TEMPORARY_SUFFIX } from '../system.ts';
import type { ObjectStore } from './object-store.ts';

export const ENDPOINT_HELP = 'address of an S3-compatible store other than AWS, https://…';
/** The environment variable that all tools for S3 read. */
export const ENDPOINT_VARIABLE = 'AWS_ENDPOINT_URL_S3';

/** The path of a file of a game in dist/, or of its temporary file from a killed process. */
export const GAME_FILE = new RegExp(
  String.raw`^[a-z0-9-]+/[a-z0-9_.]+\.[0-9a-f]{32}\.${FILE_EXTENSION}(?:${TEMPORARY_SUFFIX})?$`,
);

/** A place where files are published. Its failures reject with a `CommandError`. Where it cannot send the `headers` of files, it ignores them. */
export type Target = Pick<ObjectStore, 'name' | 'list' | 'read' | 'write' | 'remove'>;

export function isObjectStore(address: string): boolean {
  return /^s3:/i.test(address);
}

/**
 * Opens a target: a folder, or `s3://bucket/prefix`. The client for S3 is loaded only if it is needed.
 *
 * @param endpoint the address of a store other than AWS
 */
export async function openTarget(address: string, endpoint?: string): Promise<Target> {
  if (!isObjectStore(address)) return openFolder(address);
  const { ObjectStore } = await import('./object-store.ts');
  return new ObjectStore(address, endpoint);
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
      const { default: fastGlob } = await import('fast-glob');
      const found = await orFail(fastGlob('*/*', { cwd: folder, stats: true }));
      return found.map(({ path: file, stats }) => ({ file, bytes: stats?.size ?? 0 }));
    },
    async read(file) {
      const source = path.join(folder, file);
      return (await isAbsent(source)) ? undefined : await orFail(readFile(source));
    },
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

/** Returns the header fields that a bucket stores with a file. */
export function headersOf(file: string): Record<string, string> {
  const [, coding] = /\.(gz|br)$/.exec(file) ?? [];
  return {
    'content-type': mediaTypeOf(file),
    ...(coding !== undefined && { 'content-encoding': coding === 'gz' ? 'gzip' : 'br' }),
    'cache-control': GAME_FILE.test(file) ? IMMUTABLE : 'no-cache',
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
