import { setImmediate as nextTick } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Unzip, UnzipInflate, Zip, ZipDeflate } from 'fflate';
import { isFormula } from '../../scripts/bulk/tables.ts';
import { ParameterError } from '../http/incoming.ts';
import type { Body } from '../http/respond.ts';
import type { FileResult } from '../http/send-file.ts';
import type { JsonResult } from './route.ts';

/** A table, or a zip of tables, that is made for one request. */
export interface Spreadsheet extends JsonResult {
  body(): Promise<Body>;
}

/** The most CSV that is changed for a request. */
const MAX_BYTES = 32 * 1024 * 1024;
/** How many cells are read in one event-loop tick: about 3 ms of processor time. */
const CELLS_PER_TICK = 20_000;
/** How many bytes are compressed or read from a zip in one event-loop tick: a few milliseconds of processor time. */
const BYTES_PER_TICK = 64 * 1024;
/** The time in every zip. */
const MODIFIED = new Date(1980, 0, 1);
const BYTE_ORDER_MARK = '\ufeff';
/** A cell as `csvCell` writes it, and what follows it. */
const CELL = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n|$)/y;
/** A number, or a list of numbers. */
const NUMBERS = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)*$/i;

/**
 * Makes the download of a CSV file, or of a zip of such files, one that spreadsheets open well: with a byte order mark, and with a `'` before
 * each text that they could run as a formula. It has no tag, because each free download is counted.
 *
 * @param bytes how much CSV it is
 * @param account whose part of those that are made at once it is
 * @throws ParameterError if that is too much
 */
export function forSpreadsheets(
  { build, filename, files, type = '', open }: FileResult,
  bytes: number,
  account: string | undefined,
): Spreadsheet {
  if (bytes > MAX_BYTES)
    throw new ParameterError(
      'csv',
      `csv=spreadsheet is for up to ${MAX_BYTES} bytes of CSV, and this is ${bytes}; expected one collection, or no csv`,
    );
  const isZip = filename.endsWith('.zip');
  return {
    build,
    type,
    lines: `Content-Disposition: attachment; filename="${filename}"\r\n`,
    async body() {
      return await inTurn(account ?? '', async () => {
        const file = await open('file' in files ? files : files.gzip);
        try {
          const content = await file.readFile();
          if (isZip) return { json: await protectZip(content) };
          const plain = 'file' in files ? content : await promisify(gunzip)(content);
          return { json: await protectCells(plain.toString()) };
        } finally {
          await file.close();
        }
      });
    },
  };
}

/** Ends when the last table is made, whatever came of it; the same for each account. */
let last: Promise<void> = Promise.resolve();
const lastOf = new Map<string, Promise<void>>();

/**
 * Makes one table or zip after another: each needs several times the memory of its CSV. An account has one in the queue at a time, so that
 * many of one account delay another account by one.
 */
async function inTurn<T>(account: string, make: () => Promise<T>): Promise<T> {
  const making = (lastOf.get(account) ?? Promise.resolve()).then(() => {
    const made = last.then(make);
    last = settled(made);
    return made;
  });
  const own = settled(making);
  lastOf.set(account, own);
  try {
    return await making;
  } finally {
    if (lastOf.get(account) === own) lastOf.delete(account);
  }
}

function settled(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => {},
    () => {},
  );
}

/** Protects the cells of all tables in a zip: one table at a time is in memory besides the zips. */
async function protectZip(content: Buffer): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const zip = new Zip((error, part) => {
    if (error) throw error;
    parts.push(part);
  });
  for await (const { name, bytes } of filesIn(content)) {
    const made = name.endsWith('.csv') ? await protectCells(bytes.toString()) : bytes;
    const file = new ZipDeflate(name);
    file.mtime = MODIFIED;
    zip.add(file);
    for (let at = 0; at === 0 || at < made.length; at += BYTES_PER_TICK) {
      const end = at + BYTES_PER_TICK;
      file.push(made.subarray(at, end), end >= made.length);
      await nextTick();
    }
  }
  zip.end();
  return Buffer.concat(parts);
}

/** Reads the files in a zip, in event-loop ticks of their own. */
async function* filesIn(content: Buffer): AsyncGenerator<{ name: string; bytes: Buffer }> {
  const read: { name: string; bytes: Buffer }[] = [];
  const unzip = new Unzip((file) => {
    const parts: Uint8Array[] = [];
    file.ondata = (error, part, isLast) => {
      if (error) throw error;
      parts.push(part);
      if (isLast) read.push({ name: file.name, bytes: Buffer.concat(parts) });
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  for (let at = 0; at < content.length; at += BYTES_PER_TICK) {
    const end = at + BYTES_PER_TICK;
    unzip.push(content.subarray(at, end), end >= content.length);
    yield* read.splice(0);
    await nextTick();
  }
}

/** Protects the cells of CSV, and begins it with a byte order mark. Numbers stay as they are. */
export async function protectCells(csv: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let parts = [BYTE_ORDER_MARK];
  const cell = new RegExp(CELL);
  for (let count = 1; cell.lastIndex < csv.length; count += 1) {
    const [, text = '', end = ''] = cell.exec(csv) ?? [];
    parts.push(protect(text), end);
    if (count % CELLS_PER_TICK > 0) continue;
    pieces.push(Buffer.from(parts.join('')));
    parts = [];
    await nextTick();
  }
  return Buffer.concat([...pieces, Buffer.from(parts.join(''))]);
}

function protect(cell: string): string {
  const isQuoted = cell.startsWith('"');
  if (!isFormula(isQuoted ? cell.slice(1) : cell) || NUMBERS.test(cell)) return cell;
  return isQuoted ? `"'${cell.slice(1)}` : `'${cell}`;
}
