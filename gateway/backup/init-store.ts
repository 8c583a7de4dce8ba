import { openRemote, openStore, takeOverIfOld } from '../store/open-store.ts';
import { isRedisAddress, type Store } from '../store/store.ts';
import { removeIdentityFile } from './restore.ts';

/**
 * Makes a store that can be used, also in place of one that was lost. Redis is then empty, and has the identity of the lost store, for which
 * gateways wait. A folder takes its data file as it is, or gets an empty one.
 *
 * @returns its identity
 * @throws StoreError when it cannot be opened
 */
export async function initStore(address: string): Promise<string> {
  const store = isRedisAddress(address)
    ? await openRemote(address, { givesUp: true })
    : await initFolder(address);
  try {
    return await store.identity();
  } finally {
    await store.close();
  }
}

async function initFolder(folder: string): Promise<Store> {
  await takeOverIfOld(folder, true);
  removeIdentityFile(folder);
  return await openStore(folder);
}
