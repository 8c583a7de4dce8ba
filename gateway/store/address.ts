import { StoreError } from './store.ts';

/** Whether the address of a store is that of a Redis or Valkey server; otherwise it is a folder. */
export function isRedisAddress(address: string): boolean {
  return /^rediss?:\/\//i.test(address);
}

/**
 * How messages name a store: its address, without a password.
 *
 * @throws StoreError when it is no address
 */
export function nameStore(address: string): string {
  if (!isRedisAddress(address)) return address;
  if (!URL.canParse(address)) {
    throw new StoreError('cannot open the store: its address is no URL; expected redis://host:6379');
  }
  const url = new URL(address);
  url.password = '';
  return url.href;
}
