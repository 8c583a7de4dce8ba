import { isObjectStore, openObjectStore } from '../../../scripts/core/lib/object-store.ts';
import { DistError } from '../../core/catalog/dist-folder.ts';
import type { DistSource } from './dist-source.ts';
import { httpSource } from './http-source.ts';

/**
 * Opens a dist/ by its address. It imports only the code for that kind of address.
 *
 * @param endpoint of an S3-compatible store other than AWS
 * @returns undefined for a folder on this machine
 * @throws DistError when it is not an address
 */
export async function openSource(
  address: string,
  endpoint: string | undefined,
): Promise<DistSource | undefined> {
  if (/^https?:/i.test(address)) return httpSource(address);
  if (!isObjectStore(address)) return undefined;
  const store = await openObjectStore(address, endpoint);
  if (!store)
    throw new DistError(`--dist ${address} is not the address of a bucket, expected s3://bucket/prefix`);
  const { s3Source } = await import('./s3-source.ts');
  return s3Source(store);
}
