import { hash, randomBytes as nodeRandomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const MARK = 'gdr_';
/** RFC 4648 base 32, lower case: without 0, 1 and 8, which look like o, l and b. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const SECRET_BYTES = 20;
const SECRET_CHARS = 32;
const CHECKSUM_CHARS = 7;
const NAME_CHARS = 8;
const KEY_FORM = /^gdr_[a-z2-7]{39}$/;
const PREFIX_FORM = /^(?:gdr_)?([a-z2-7]{8})$/;
/** Marks the token of a feed's address: a secret like a key, but valid only for that feed. */
export const FEED_MARK = 'gdf_';
/** Marks the token of a read-only address. */
export const ADDRESS_MARK = 'gdt_';
const SECRET_FORM = /^[a-z2-7]{32}$/;

/** The parts of a key that may be stored and shown. */
export interface KeyName {
  /** `gdr_` and the next 8 characters: identifies a key to people. A log may contain no more of it. */
  prefix: string;
  /** SHA-256 of the whole key, 64 hexadecimal digits. The store contains this instead of the key. */
  hash: string;
}

/**
 * Makes a key: `gdr_`, 160 random bits as 32 base-32 characters (RFC 4648, lower case), and 7 characters for the CRC-32 of everything before. The
 * prefix and the checksum let secret scanners recognise a key, and let the gateway refuse a mistyped one without a look-up.
 *
 * @param randomBytes returns that many random bytes; replaced by tests
 */
export function createKey(
  randomBytes: (size: number) => Uint8Array = nodeRandomBytes,
): KeyName & { key: string } {
  const body = MARK + createSecret(randomBytes);
  const key = body + checksumOf(body);
  return { key, ...nameKey(key) };
}

/**
 * Parses a key. The time depends only on the length of the text.
 *
 * @returns its prefix and hash; undefined if it is malformed or its checksum does not match
 */
export function readKey(text: string): KeyName | undefined {
  if (!KEY_FORM.test(text)) return undefined;
  const body = text.slice(0, -CHECKSUM_CHARS);
  return text.endsWith(checksumOf(body)) ? nameKey(text) : undefined;
}

/**
 * Parses the name of a key: its prefix with or without `gdr_`, or the whole key.
 *
 * @returns the prefix, `gdr_` and 8 characters; undefined if the text is neither
 */
export function readPrefix(text: string): string | undefined {
  const name = PREFIX_FORM.exec(text)?.[1];
  return name === undefined ? readKey(text)?.prefix : MARK + name;
}

/** Makes a token that is not a key: its mark and 160 random bits, with the parts that may be stored and shown. */
export function createToken(mark: string): KeyName & { token: string } {
  const token = mark + createSecret(nodeRandomBytes);
  return { token, ...nameKey(token) };
}

/** @returns the token's SHA-256; undefined if it is malformed or has another mark */
export function readToken(mark: string, text: string): string | undefined {
  return text.startsWith(mark) && SECRET_FORM.test(text.slice(mark.length)) ? hashOf(text) : undefined;
}

function nameKey(key: string): KeyName {
  return { prefix: key.slice(0, MARK.length + NAME_CHARS), hash: hashOf(key) };
}

/** SHA-256 of a secret, 64 hexadecimal digits. */
export function hashOf(secret: string): string {
  return hash('sha256', secret);
}

/** 160 random bits in base 32 (RFC 4648). */
function createSecret(randomBytes: (size: number) => Uint8Array): string {
  return encode(BigInt(`0x${Buffer.from(randomBytes(SECRET_BYTES)).toString('hex')}`), SECRET_CHARS);
}

/** The CRC-32 in base 32. */
function checksumOf(body: string): string {
  return encode(crc32(body), CHECKSUM_CHARS);
}

/** Writes base-32 digits, most significant first. */
function encode(value: bigint | number, length: number): string {
  const digits = value.toString(32).padStart(length, '0');
  return Array.from(digits, (digit) => ALPHABET[Number.parseInt(digit, 32)]).join('');
}
