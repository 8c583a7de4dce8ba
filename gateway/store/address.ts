import { StoreError } from './store.ts';

/** Whether a store's address is that of a Redis or Valkey server; otherwise it is a folder. */
export function isRedisAddress(address: string): boolean {
  return /^rediss?:\/\//i.test(address);
}

/**
 * Returns a store's address without its password, as messages show it.
 *
 * @throws StoreError when it is not an address
 */
export function nameStore(address: string): string {
  if (!isRedisAddress(address)) return address;
  if (!URL.canParse(address)) {
    throw new StoreError('cannot open the store: its address is not a URL; expected redis://host:6379');
  }
  const url = new URL(address);
  url.password = '';
  return url.href;
}
