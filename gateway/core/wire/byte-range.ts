/** A part of a file: the positions of its first and last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Reads a Range header field (RFC 9110, 14.1.2 and 14.2). range-parser and header-range-parser are not used, because
 * they refuse two forms that the RFC allows: `bytes=-999` of a shorter file means all of it, and `bytes=5-1` is ignored
 * (test/gateway/core/wire/byte-range.test.ts).
 *
 * @param size of the whole file, in bytes
 * @returns undefined when the response is the whole file: for several ranges, and for a value that is not a byte range
 */
export function readRange(range: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : 'unsatisfiable';
}
