/** Whether a store's address is that of Redis or Valkey servers; otherwise it is a folder. */
export function isRedisAddress(address: string): boolean {
  return /^rediss?(\+(cluster|sentinel))?:\/\//i.test(address);
}

/** Returns a store's address without its password, as messages show it. */
export function nameStore(address: string): string {
  return isRedisAddress(address) ? address.replace(/(:\/\/[^@/:]*):.*@/, '$1@') : address;
}
