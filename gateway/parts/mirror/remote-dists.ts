import { INDEX_FILE, type Index } from '../../../scripts/core/format/dist-format.ts';
import { DistError, parseIndex } from '../../core/catalog/dist-folder.ts';
import type { DistMirror, RemoteOptions } from '../../core/catalog/remote-dist.ts';
import type { DistSource } from './dist-source.ts';
import { httpSource } from './http-source.ts';
import { mirrorDist } from './mirror-dist.ts';

/** How often to check for changes. */
const MIRROR_MS = 1000;
/** How long reading an index may take. */
const MAX_READ_MS = 10_000;
const MAX_INDEX_BYTES = 16 * 1024 * 1024;

/** Keeps a folder equal to the dist/ at an address. @throws DistError when the folder has no state yet and none can be fetched */
export async function mirror(
  address: string,
  { folder, endpoint, ...options }: RemoteOptions,
): Promise<DistMirror> {
  const source = await openSource(address, endpoint);
  return await mirrorDist(source, folder, { ...options, interval: MIRROR_MS });
}

/** Reads the index of the dist/ at an address. @throws DistError */
export async function readIndex(address: string, endpoint: string | undefined): Promise<Index> {
  const source = await openSource(address, endpoint);
  const index = await source.read(INDEX_FILE, MAX_INDEX_BYTES, AbortSignal.timeout(MAX_READ_MS));
  return parseIndex(index, source.name);
}

/**
 * Opens a dist/ by its address. It imports only the code for that kind of address.
 *
 * @param endpoint of an S3-compatible store other than AWS
 * @throws DistError when it is not an address
 */
async function openSource(address: string, endpoint: string | undefined): Promise<DistSource> {
  if (/^https?:/i.test(address)) return httpSource(address);
  const { openObjectStore } = await import('../../../scripts/shared/publication/object-store.ts');
  const store = openObjectStore(address, endpoint);
  if (!store)
    throw new DistError(`--dist ${address} is not the address of a bucket, expected s3://bucket/prefix`);
  const { s3Source } = await import('./s3-source.ts');
  return s3Source(store);
}
