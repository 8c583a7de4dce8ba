import type { Finding } from './findings.ts';

/**
 * Decodes a file's bytes as UTF-8, with or without a byte order mark.
 *
 * @param file the path for findings
 */
export function decodeText(bytes: Buffer, file: string): { value: string } | { finding: Finding } {
  try {
    return { value: decodeUtf8(bytes) };
  } catch {
    const finding: Finding = {
      check: 'file-text',
      severity: 'error',
      place: { file, pointer: '', line: findBrokenLine(bytes) },
      found: 'bytes that are not UTF-8',
      expected: 'UTF-8 text',
      fix: 'convert the file to UTF-8',
    };
    return { finding };
  }
}

function decodeUtf8(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

const NEWLINE = 0x0a;

/** Returns the 1-based line of the first byte that is not UTF-8. The byte of a newline is never part of another character. */
function findBrokenLine(bytes: Buffer): number {
  for (let line = 1, start = 0; ; line++) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1) return line;
    try {
      decodeUtf8(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end + 1;
  }
}

/** Returns the 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Splits a text into lines, without their line breaks. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

/** Runs a recursive parser; returns undefined when nesting is so deep that the call stack overflows. */
export function withinStack<T>(parseNested: () => T): T | undefined {
  try {
    return parseNested();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
