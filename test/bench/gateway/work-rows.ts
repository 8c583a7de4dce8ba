import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BenchRow, Pair } from '../bench-row.ts';

const PROGRAM = path.join(import.meta.dirname, 'beside', 'count-work.js');
/** `#` is another number in each request. */
const QUERIES: [what: string, query: string, coding: string][] = [
  ['1,000 whole records', 'characters?limit=1000&stats.s0[gte]=-#', 'identity'],
  ['1,000 whole records, gzip', 'characters?limit=1000&stats.s0[gte]=-#', 'gzip'],
  ['50 whole records, gzip', 'characters?limit=50&stats.s0[gte]=-#', 'gzip'],
  ['50 whole records, br', 'characters?limit=50&stats.s0[gte]=-#', 'br'],
  ['parts of 1,000 records', 'characters?limit=1000&stats.s0[gte]=-#&fields=id,name,stats', 'identity'],
  ['1,000 lines of CSV', 'characters.csv?limit=1000&stats.s0[gte]=-#', 'identity'],
  ['an order of 30,000 rows, made', 'long?limit=1&sort=@&offset=#', 'identity'],
  ['all of 30,000 rows', 'long?offset=#', 'identity'],
  ['names of 1,000 records', 'characters?q=kamiralo%20nesu#&limit=10', 'identity'],
];

/** Microseconds of work that are counted for a request, beside those that the event loop needs for it. */
export const rows: BenchRow[] = QUERIES.map(([what, query, coding]) => ({
  name: `work counted: ${what}`,
  beside: 'processor time of the event loop',
  unit: 'µs',
  target: { atLeast: 0.33, atMost: 4 },
  async measure({ quick, pairs }) {
    const args = [PROGRAM, query, coding, String(quick ? 100 : 500), String(pairs)];
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as Pair[];
  },
}));
