import { crc32 } from 'node:zlib';

/**
 * Returns a record as Redis keeps it: `<expires>|<value>`, where the first part is empty for a record that does not expire.
 *
 * @param expires ms since 1970
 */
export function encodeRecord(value: string, expires: number | undefined): string {
  return `${expires ?? ''}|${value}`;
}

/** Returns when a record expires, as Redis keeps it, in ms since 1970; undefined if it does not. */
export function expiryOf(text: string): number | undefined {
  const end = Number.parseInt(text, 10);
  return Number.isNaN(end) ? undefined : end;
}

/** The CRC-32 of a record with its name and expiry; its value is a text or its UTF-8. It also detects a value that is stored under the name of another record. */
export function checksum(name: string, value: string | Uint8Array, expires: number | null): number {
  return crc32(`|${expires ?? ''}|${name}`, crc32(value));
}
