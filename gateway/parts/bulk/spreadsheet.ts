import { setImmediate as nextTick } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isFormula } from '../../../scripts/shared/records/csv-cell.ts';
import type { JsonResult } from '../../core/api/routes/route.ts';
import { ParameterError } from '../../core/lib/raw-query.ts';
import type { Body } from '../../core/wire/respond.ts';
import type { FileResult } from '../../core/wire/send-file.ts';

/** A table that is made for one request. */
export interface Spreadsheet extends JsonResult {
  body(): Promise<Body<Buffer>>;
}

/** The largest table that is changed for a request. */
const MAX_BYTES = 32 * 1024 * 1024;
/** How many cells are read in one event-loop tick: about 3 ms of processor time. */
const CELLS_PER_TICK = 20_000;
const BYTE_ORDER_MARK = '\ufeff';
/** A cell as `csvCell` writes it, and what follows it. */
const CELL = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n|$)/y;
/** A number, or a list of numbers. */
const NUMBERS = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)*$/i;

/**
 * Makes the download of a CSV file one that spreadsheets open well: with a byte order mark, and with a `'` before each text that they could
 * run as a formula. It has no tag, because each free download is counted.
 *
 * @throws ParameterError if the file is too large
 */
export function forSpreadsheets({ build, filename, files, type = '', open }: FileResult): Spreadsheet {
  const { bytes } = 'file' in files ? files : files.identity;
  if (bytes > MAX_BYTES)
    throw new ParameterError(
      'csv',
      `csv=spreadsheet is for up to ${MAX_BYTES} bytes, and this file has ${bytes}`,
    );
  return {
    build,
    type,
    lines: `Content-Disposition: attachment; filename="${filename}"\r\n`,
    async body() {
      const file = await open('file' in files ? files : files.gzip);
      try {
        const content = await file.readFile();
        const plain = 'file' in files ? content : await promisify(gunzip)(content);
        return { json: Buffer.from(await protectCells(plain.toString())) };
      } finally {
        await file.close();
      }
    },
  };
}

/** Protects the cells of CSV, and begins it with a byte order mark. Numbers stay as they are. */
export async function protectCells(csv: string): Promise<string> {
  const parts = [BYTE_ORDER_MARK];
  const cell = new RegExp(CELL);
  for (let count = 1; cell.lastIndex < csv.length; count += 1) {
    const [, text = '', end = ''] = cell.exec(csv) ?? [];
    parts.push(protect(text), end);
    if (count % CELLS_PER_TICK === 0) await nextTick();
  }
  return parts.join('');
}

function protect(cell: string): string {
  const isQuoted = cell.startsWith('"');
  if (!isFormula(isQuoted ? cell.slice(1) : cell) || NUMBERS.test(cell)) return cell;
  return isQuoted ? `"'${cell.slice(1)}` : `'${cell}`;
}
