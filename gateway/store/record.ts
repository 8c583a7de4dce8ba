import { crc32 } from 'node:zlib';
import { DamagedRecordError } from './damage.ts';

/**
 * Returns a record as Redis keeps it: `<expires>|<value>`, where the first part is empty for a record that does not expire.
 *
 * @param expires ms since 1970
 */
export function encodeRecord(value: string, expires: number | undefined): string {
  return `${expires ?? ''}|${value}`;
}

/** Returns when a record expires, as either driver keeps it, in ms since 1970; undefined if it does not. */
export function expiryOf(text: string): number | undefined {
  const end = Number.parseInt(text, 10);
  return Number.isNaN(end) ? undefined : end;
}

/** The part before the value, in LMDB; without the checksum in records that were written before version 0.2. */
const HEAD = /^(\d*|never)(?:\.(\d{10}))?$/;
const NEVER = 'never';

/**
 * Returns a record as LMDB keeps it: `<expires>.<checksum>|<value>`, where the first part is `never` for a record that does not expire. Versions
 * without checksums read the first two parts as one number, and so the same time.
 *
 * @param expires ms since 1970
 */
export function encodeChecked(name: string, value: string, expires: number | undefined): string {
  const end = expires === undefined ? NEVER : String(Math.ceil(expires));
  return `${end}.${checksum(name, end, value)}|${value}`;
}

/**
 * Returns the value of a record as LMDB keeps it.
 *
 * @param text undefined if there is no such record
 * @returns undefined if the record is missing or has expired
 * @throws DamagedRecordError when its checksum does not match
 */
export function decodeChecked(name: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const at = text.indexOf('|');
  const [, end, sum] = HEAD.exec(text.slice(0, Math.max(0, at))) ?? [];
  const value = text.slice(at + 1);
  if (at < 0 || end === undefined || (sum !== undefined && sum !== checksum(name, end, value)))
    throw new DamagedRecordError(name);
  return end !== '' && end !== NEVER && Number(end) <= now ? undefined : value;
}

/** The CRC-32 of a record with its name, in ten digits. It also detects a value that is stored under the name of another record. */
function checksum(name: string, end: string, value: string): string {
  return String(crc32(value, crc32(`${name}|${end}|`))).padStart(10, '0');
}
