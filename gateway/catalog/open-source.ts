import { isObjectStore, openObjectStore } from '../../scripts/publish/object-store.ts';
import { DistError } from './dist-folder.ts';
import type { DistSource } from './dist-source.ts';
import { httpSource } from './http-source.ts';

/**
 * Opens a dist/ by its address. Only what the kind of place needs is loaded.
 *
 * @param endpoint of an S3-compatible store that is not that of AWS
 * @returns undefined where it is a folder of this machine
 * @throws DistError where it is no address
 */
export async function openSource(
  address: string,
  endpoint: string | undefined,
): Promise<DistSource | undefined> {
  if (/^https?:/i.test(address)) return httpSource(address);
  if (!isObjectStore(address)) return undefined;
  const store = await openObjectStore(address, endpoint);
  if (!store) throw new DistError(`--dist ${address} is no address of a bucket, expected s3://bucket/prefix`);
  const { s3Source } = await import('./s3-source.ts');
  return s3Source(store);
}
