import { setImmediate as nextTick } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { unzip, type Zippable, zip } from 'fflate';
import { isFormula } from '../../scripts/bulk/tables.ts';
import { invalidParameter } from '../http/problem.ts';
import type { FileResult } from '../http/send-file.ts';
import type { JsonResult } from './route.ts';

/** The largest CSV that is converted for a request. */
const MAX_BYTES = 32 * 1024 * 1024;
/** How many cells are read in one event-loop tick: about 3 ms of processor time. */
const CELLS_PER_TICK = 20_000;
/** The modification time of all files in a zip. */
const MODIFIED = new Date(1980, 0, 1);
const BYTE_ORDER_MARK = '\ufeff';
/** A cell in the form of `csvCell`, with its separator. */
const CELL = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n|$)/y;
/** A number, or a list of numbers. */
const NUMBERS = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)*$/i;

/**
 * Makes a CSV file, or a zip of CSV files, safe for spreadsheets: with a byte order mark, and a `'` before each text that could run as a formula. The
 * result has no tag, because each free download is counted.
 *
 * @param bytes the size of the CSV
 * @param account whose place in the queue it takes
 * @throws HttpProblem if the CSV is too large
 */
export function forSpreadsheets(
  { build, filename, files, type = '', open }: FileResult,
  bytes: number,
  account = '',
): JsonResult {
  if (bytes > MAX_BYTES)
    throw invalidParameter(
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

/** Settles when the last table is made or has failed; `ofAccounts` likewise for each account. */
let last: Promise<unknown> = Promise.resolve();
const lastOf = new Map<string, Promise<unknown>>();

/**
 * Makes one table or zip at a time: each needs several times the memory of its CSV. An account has one place in the queue, so however many it
 * requests, another account waits for one of them at most.
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

/** Protects the cells of a CSV text, and adds a byte order mark. Numbers are unchanged. */
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
