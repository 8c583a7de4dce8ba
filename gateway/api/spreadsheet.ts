import { setImmediate as nextTick } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { unzip, zip, type Zippable } from 'fflate';
import { isFormula } from '../../scripts/bulk/tables.ts';
import { ParameterError } from '../http/incoming.ts';
import type { FileResult } from '../http/send-file.ts';
import type { JsonResult } from './route.ts';

/** The most CSV that is changed for a request. */
const MAX_BYTES = 32 * 1024 * 1024;
/** How many cells are read in one event-loop tick: about 3 ms of processor time. */
const CELLS_PER_TICK = 20_000;
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
  account = '',
): JsonResult {
  if (bytes > MAX_BYTES)
    throw new ParameterError(
      'csv',
      `csv=spreadsheet is for up to ${MAX_BYTES} bytes of CSV, and this is ${bytes}; expected one collection, or no csv`,
    );
  const make = async () => {
    const file = await open('file' in files ? files : files.gzip);
    try {
      const content = await file.readFile();
      if (filename.endsWith('.zip')) return { json: await protectZip(content) };
      const plain = 'file' in files ? content : await promisify(gunzip)(content);
      return { json: await protectCells(plain.toString()) };
    } finally {
      await file.close();
    }
  };
  const lines = `Content-Disposition: attachment; filename="${filename}"\r\n`;
  return { build, type, lines, body: () => inTurn(account, make) };
}

/** Ends when the last table is made, whatever came of it; the same for each account. */
let last: Promise<unknown> = Promise.resolve();
const lastOf = new Map<string, Promise<unknown>>();

/**
 * Makes one table or zip after another: each needs several times the memory of its CSV. An account has one in the queue at a time, so that
 * many of one account delay another account by one.
 */
async function inTurn<T>(account: string, make: () => Promise<T>): Promise<T> {
  const making = (lastOf.get(account) ?? Promise.resolve()).then(() => {
    const made = last.then(make);
    last = made.catch(() => {});
    return made;
  });
  const own = making.catch(() => {});
  lastOf.set(account, own);
  try {
    return await making;
  } finally {
    if (lastOf.get(account) === own) lastOf.delete(account);
  }
}

/** Protects the cells of all tables in a zip. Long files are unpacked and packed in other threads. */
async function protectZip(content: Buffer): Promise<Buffer> {
  const files: Zippable = {};
  for (const [name, bytes] of Object.entries(await promisify(unzip)(content))) {
    const made = name.endsWith('.csv') ? await protectCells(Buffer.from(bytes).toString()) : bytes;
    files[name] = [made, { mtime: MODIFIED }];
  }
  return Buffer.from(await promisify(zip)(files));
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
