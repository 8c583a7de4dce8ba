import { randomUUID } from 'node:crypto';
import type { Store } from './store.ts';

/** The record that holds the identity of a store. */
export const IDENTITY = 'identity';
/** The record that a store has while another is copied to it: the identity of that one. */
export const MIGRATION = 'migration';

/**
 * Reads the identity of a store, and creates it in a store that has none yet.
 *
 * @throws StoreError when the store cannot be read or written
 */
export async function ensureIdentity(store: Pick<Store, 'read' | 'commit'>): Promise<string> {
  for (;;) {
    const [identity] = await store.read([IDENTITY]);
    if (identity !== undefined) return identity;
    const value = randomUUID();
    const read = new Map([[IDENTITY, undefined]]);
    if (await store.commit({ read, write: new Map([[IDENTITY, { value }]]) })) return value;
  }
}
