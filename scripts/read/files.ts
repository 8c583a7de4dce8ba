import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import path, { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type CheckName, errorAt, type Finding, type Place } from '../findings.ts';
import { errorOf } from '../system.ts';
import { formatOf, isGzip, KNOWN_EXTENSIONS, type ParseOutcome, type ReadOptions } from './formats.ts';
import { decodeText } from './json.ts';

/**
 * Removes a damaged copy of a file that a build references, so that the next run downloads it again. Copies are not synced, so one can be empty after
 * a power loss.
 *
 * @returns advice for the finding
 */
export function removeCopy(file: string): string {
  try {
    rmSync(file, { force: true });
    return 'run it again: the copy was removed, and is fetched again';
  } catch {
    return 'delete it, and run it again: it is fetched again';
  }
}

/** Larger texts are not read; compressed ones count by their decompressed size. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

const decompress = promisify(gunzip);

/**
 * Reads and parses a file of a table.
 *
 * @param options declared by the table
 * @param sha256 expected hash, if it is a copy of a file that a build references
 */
export async function parseFile(file: string, options: ReadOptions, sha256?: string): Promise<ParseOutcome> {
  const format = formatOf(file, options.format);
  if (format === undefined) {
    const fix = 'set the format of the table in game.json, such as {"files": …, "format": "json"}';
    return { finding: fileFinding(file, 'a file name without a known extension', KNOWN_EXTENSIONS, fix) };
  }
  const text = await readText(file, MAX_TEXT_BYTES, sha256);
  if ('finding' in text) return text;
  const other = whatElse(text.value);
  if (other !== undefined)
    return { finding: fileFinding(file, `${other[0]} instead of the file`, 'the file itself', other[1]) };
  return (await format.load()).parse(text.value, file, options);
}

/** Recognises what was saved instead of a data file, and returns advice; undefined for data. */
function whatElse(text: string): [found: string, fix: string] | undefined {
  const start = text.slice(0, 200).trimStart();
  if (start.startsWith('version https://git-lfs.github.com/spec/'))
    return ['a Git LFS pointer', 'fetch the file that it stands for, for example with git lfs pull'];
  if (/^<(?:!doctype html|html|head|body)[\s>]/i.test(start))
    return ['an HTML page', 'download the file again: the server sent a page, such as a sign-in or an error'];
  if (text.length < 200 && /^[45]\d\d:? [A-Z][A-Za-z ]+$/.test(start.trimEnd()))
    return [`the error "${start.trimEnd()}"`, 'download the file again, from an address that has it'];
  return undefined;
}

/**
 * Returns a function that returns the lines of JSON Pointers into a file (`Parser.findLines`); 1 if the file cannot be read.
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
 * Reads a text file; one whose name ends in `.gz` is decompressed.
 *
 * @param maxBytes the maximum size of the text
 * @param sha256 expected hash, if it is a copy of a file that a build references; a copy with another one is removed
 */
export async function readText(
  file: string,
  maxBytes = MAX_TEXT_BYTES,
  sha256?: string,
): Promise<{ value: string } | { finding: Finding }> {
  const size = `${maxBytes / 1024 / 1024} MiB of text`;
  const tooLarge = fileFinding(file, `more than ${size}`, `at most ${size} in a file`, 'split the table');
  let bytes: Buffer | undefined;
  try {
    // Synchronous: a dump has thousands of small files, and promises would double the time.
    const stats = statSync(file);
    if (stats.size > maxBytes) return { finding: tooLarge };
    // Anything but a regular file, such as a pipe, might never end.
    if (stats.isFile()) bytes = readFileSync(file);
  } catch {
    // Reported below.
  }
  if (bytes === undefined) {
    const fix = 'check that it exists and its permissions';
    return { finding: fileFinding(file, 'a file that cannot be read', 'a readable file', fix) };
  }
  if (sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256) {
    const found = 'a copy of a file of upstream with another content than build.json names';
    return {
      finding: errorAt('upstream-file', file, found, `content with SHA-256 ${sha256}`, removeCopy(file)),
    };
  }
  if (!isGzip(file)) return decodeText(bytes, file);
  try {
    return decodeText(await decompress(bytes, { maxOutputLength: maxBytes }), file);
  } catch (error) {
    const { code, message } = errorOf(error);
    if (code === 'ERR_BUFFER_TOO_LARGE') return { finding: tooLarge };
    return { finding: fileFinding(file, `gzip that fails with "${message}"`, 'a complete gzip file') };
  }
}

function fileFinding(file: string, found: string, expected: string, fix?: string): Finding {
  return errorAt('file-text', file, found, expected, fix);
}

/**
 * Reads a text file in a game's folder. It must be inside the folder, even if it is a symbolic link.
 *
 * @param folder the game's folder
 * @param file the path inside it
 * @param place where game.json names it; by default the file itself, for a fixed name
 * @param check the name of the check in a finding about the place
 */
export async function readInside(
  folder: string,
  file: string,
  place?: Place,
  check: CheckName = 'file-text',
): Promise<{ value: string } | { finding: Finding }> {
  const fullPath = path.posix.join(folder, file);
  const real = realPathOf(fullPath);
  if (real?.startsWith(`${realPathOf(folder)}${path.sep}`)) return await readText(fullPath);
  const found = real === undefined ? `no file ${fullPath}` : `${fullPath}, which leads out of the folder`;
  return { finding: errorAt(check, place ?? fullPath, found, "a file inside the game's folder") };
}

/**
 * Returns the real path of a file, following links; undefined for a broken link. Synchronous: for the thousands of files of a dump, promises would
 * take longer than the system calls.
 */
function realPathOf(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/**
 * Lists the entries of a folder without following links. A folder that cannot be listed is a finding. Synchronous: a game can have hundreds of
 * folders, and promises would take longer than listing them.
 *
 * @param recursive also lists the entries of subfolders
 * @returns entries in no particular order; none if the folder does not exist
 */
export function listFolder(folder: string, findings: Finding[], { recursive = false } = {}): Dirent[] {
  // With its own option `recursive`, it would follow links to folders.
  const list = (at: string): Dirent[] =>
    readdirSync(at, { withFileTypes: true }).flatMap((entry) =>
      recursive && entry.isDirectory() ? [entry, ...list(join(at, entry.name))] : [entry],
    );
  try {
    return list(folder);
  } catch (error) {
    const { code, path = folder, message } = errorOf(error);
    if (code === undefined) throw error;
    const found = `a folder that cannot be read (${message})`;
    if (code !== 'ENOENT')
      findings.push(fileFinding(path, found, 'a readable folder', 'check its permissions'));
    return [];
  }
}
