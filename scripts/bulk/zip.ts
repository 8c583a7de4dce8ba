/** A file, and what gzip makes of it. */
export interface Gzipped {
  bytes: Uint8Array;
  gzip: Buffer;
}

/** How long what gzip (RFC 1952) has before and after the compressed bytes is; what comes after them begins with their CRC-32. */
const GZIP_HEAD = 10;
const GZIP_TAIL = 8;

/** The version of the format that a reader needs, no flags, the method deflate, and a time: equal content gives equal bytes. */
const VERSION = [20, 0];
const TRAITS = [...VERSION, 0, 0, 8, 0, 0, 0, 0x21, 0];
const LOCAL_SIGNATURE = Buffer.from('PK\x03\x04');
const CENTRAL_SIGNATURE = Buffer.from('PK\x01\x02');
const END_SIGNATURE = Buffer.from('PK\x05\x06');

/**
 * Writes a zip (APPNOTE.TXT of PKWARE) of files that are compressed already.
 *
 * @param files by name; names are ASCII
 */
export function writeZip(files: ReadonlyMap<string, Gzipped>): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, { bytes, gzip }] of files) {
    const deflated = gzip.subarray(GZIP_HEAD, -GZIP_TAIL);
    const crc = gzip.readUInt32LE(gzip.length - GZIP_TAIL);
    const traits = Buffer.from([
      ...TRAITS,
      ...words(crc, deflated.length, bytes.length),
      name.length,
      0,
      0,
      0,
    ]);
    const local = [LOCAL_SIGNATURE, traits, Buffer.from(name), deflated];
    parts.push(...local);
    const noMore = Buffer.from([...Array<number>(10).fill(0), ...words(offset)]);
    directory.push(CENTRAL_SIGNATURE, Buffer.from(VERSION), traits, noMore, Buffer.from(name));
    offset += lengthOf(local);
  }
  const count = [files.size & 0xff, files.size >> 8];
  const end = Buffer.from([0, 0, 0, 0, ...count, ...count, ...words(lengthOf(directory), offset), 0, 0]);
  return Buffer.concat([...parts, ...directory, END_SIGNATURE, end]);
}

/** Numbers as four bytes each, the lowest first. */
function words(...numbers: number[]): number[] {
  return [...new Uint8Array(Uint32Array.from(numbers).buffer)];
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
