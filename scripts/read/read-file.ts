import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Finding } from '../findings/findings.ts';
import type { ReadOptions } from '../findings/read-options.ts';
import { decodeText } from '../findings/text.ts';
import type { ParseOutcome } from './format.ts';
import { formatOf, isGzip, KNOWN_EXTENSIONS } from './formats.ts';

/** Larger texts, also those that only decompression makes large, are not read. In bytes. */
const LARGEST = 256 * 1024 * 1024;

const decompress = promisify(gunzip);

/**
 * Reads and parses a file of a table.
 *
 * @param options those that the table declares
 */
export async function parseFile(file: string, options: ReadOptions): Promise<ParseOutcome> {
  const format = formatOf(file, options.format);
  if (format === undefined) {
    return {
      finding: fileFinding(
        file,
        'an extension that says no format',
        KNOWN_EXTENSIONS,
        'name the format of the table in game.json, as {"files": …, "format": "json"}',
      ),
    };
  }
  const text = await readText(file);
  return 'value' in text ? (await format.load()).parse(text.value, file, options) : text;
}

/**
 * Makes the function that tells the lines of JSON Pointers into a file (`Parser.findLines`); line 1 for what cannot be read.
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
 * Reads a text file, decompressed where its name ends in `.gz`.
 *
 * @param largest how many bytes the text may have
 */
export async function readText(
  file: string,
  largest = LARGEST,
): Promise<{ value: string } | { finding: Finding }> {
  const bytes = readBytes(file, largest);
  if (bytes === TOO_LARGE) return { finding: tooLarge(file, largest) };
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
  if (!isGzip(file)) return decodeText(bytes, file);
  try {
    return decodeText(await decompress(bytes, { maxOutputLength: largest }), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') return { finding: tooLarge(file, largest) };
    return { finding: fileFinding(file, `gzip that ends in "${message}"`, 'a whole gzip file') };
  }
}

const TOO_LARGE = Symbol('too large');

/** Undefined for what cannot be read. A dump can have thousands of files, of which none is large: promises would double their time. */
function readBytes(file: string, largest: number): Buffer | typeof TOO_LARGE | undefined {
  try {
    const stats = statSync(file);
    // What is no regular file, as a pipe, might never end.
    if (!stats.isFile()) return undefined;
    return stats.size > largest ? TOO_LARGE : readFileSync(file);
  } catch {
    return undefined;
  }
}

function tooLarge(file: string, largest: number): Finding {
  const megabytes = `${largest / 1024 / 1024} MiB of text`;
  return fileFinding(file, `more than ${megabytes}`, `at most ${megabytes} in a file`, 'split the table');
}

function fileFinding(file: string, found: string, expected: string, fix?: string): Finding {
  const place = { file, pointer: '', line: 1 };
  return { check: 'file-text', severity: 'error', place, found, expected, ...(fix && { fix }) };
}
