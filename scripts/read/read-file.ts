import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Finding } from '../findings/findings.ts';
import type { ReadOptions } from '../findings/read-options.ts';
import { decodeText } from '../findings/text.ts';
import { errorOf } from '../lib/system-error.ts';
import type { ParseOutcome } from './formats/format.ts';
import { formatOf, isGzip, KNOWN_EXTENSIONS } from './formats/formats.ts';
import { removeCopy } from './remove-copy.ts';

/** Larger texts are not read; compressed ones count by their decompressed size. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

const decompress = promisify(gunzip);

/**
 * Reads and parses a file of a table.
 *
 * @param options the options that the table declares
 * @param sha256 that its content must have, if it is a copy of a file that a build names by reference
 */
export async function parseFile(file: string, options: ReadOptions, sha256?: string): Promise<ParseOutcome> {
  const format = formatOf(file, options.format);
  if (format === undefined) {
    return {
      finding: fileFinding(
        file,
        'a file name without a known extension',
        KNOWN_EXTENSIONS,
        'set the format of the table in game.json, such as {"files": …, "format": "json"}',
      ),
    };
  }
  const text = await readText(file, MAX_TEXT_BYTES, sha256);
  return 'value' in text ? (await format.load()).parse(text.value, file, options) : text;
}

/**
 * Makes the function that returns the lines of JSON Pointers into a file (`Parser.findLines`). It returns 1 when the file cannot be read.
 *
 * @param options as for `parseFile`
 */
export async function findLines(
  file: string,
  options: ReadOptions = {},
): Promise<(pointer: string) => number> {
  const format = formatOf(file, options.format);
  if (format === undefined) return () => 1;
  const text = await readText(file);
  return 'value' in text ? (await format.load()).findLines(text.value, options) : () => 1;
}

/**
 * Reads a text file. A file whose name ends in `.gz` is decompressed.
 *
 * @param maxBytes the maximum size of the text
 * @param sha256 that the file must have, if it is a copy of a file that a build names by reference; a copy with another one is removed
 */
export async function readText(
  file: string,
  maxBytes = MAX_TEXT_BYTES,
  sha256?: string,
): Promise<{ value: string } | { finding: Finding }> {
  const bytes = readBytes(file, maxBytes);
  if (bytes === TOO_LARGE) return { finding: tooLarge(file, maxBytes) };
  if (bytes === undefined) {
    return {
      finding: fileFinding(
        file,
        'a file that cannot be read',
        'a readable file',
        'check that it exists and its permissions',
      ),
    };
  }
  if (sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256)
    return { finding: changedCopy(file, sha256) };
  if (!isGzip(file)) return decodeText(bytes, file);
  try {
    return decodeText(await decompress(bytes, { maxOutputLength: maxBytes }), file);
  } catch (error) {
    const { code, message } = errorOf(error);
    if (code === 'ERR_BUFFER_TOO_LARGE') return { finding: tooLarge(file, maxBytes) };
    return { finding: fileFinding(file, `gzip that fails with "${message}"`, 'a complete gzip file') };
  }
}

const TOO_LARGE = Symbol('too large');

/** Returns undefined when the file cannot be read. Synchronous: a dump has thousands of small files, and promises would double the time. */
function readBytes(file: string, maxBytes: number): Buffer | typeof TOO_LARGE | undefined {
  try {
    const stats = statSync(file);
    // Anything else than a regular file, such as a pipe, might never end.
    if (!stats.isFile()) return undefined;
    return stats.size > maxBytes ? TOO_LARGE : readFileSync(file);
  } catch {
    return undefined;
  }
}

function tooLarge(file: string, maxBytes: number): Finding {
  const size = `${maxBytes / 1024 / 1024} MiB of text`;
  return fileFinding(file, `more than ${size}`, `at most ${size} in a file`, 'split the table');
}

function changedCopy(file: string, sha256: string): Finding {
  return {
    check: 'upstream-file',
    severity: 'error',
    place: { file, pointer: '', line: 1 },
    found: 'a copy of a file of upstream with another content than build.json names',
    expected: `content with SHA-256 ${sha256}`,
    fix: removeCopy(file),
  };
}

function fileFinding(file: string, found: string, expected: string, fix?: string): Finding {
  const place = { file, pointer: '', line: 1 };
  return { check: 'file-text', severity: 'error', place, found, expected, ...(fix && { fix }) };
}
