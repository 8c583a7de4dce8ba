import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { BenchRow } from '../bench-row.ts';

const ENCODING = { encoding: 'utf8' } as const;
const PROGRAM = path.join(import.meta.dirname, 'beside', 'count-requests.js');

/** Microseconds of processor time to count a request in a store that is a folder. */
export const rows: BenchRow[] = [1, 8].map((perTick) => ({
  name: `quota, CPU of a counted request, ${perTick} per tick`,
  beside: 'a row of SQLite for each account',
  unit: 'µs',
  target: { atMost: perTick === 1 ? 1.3 : 0.5 },
  measure: async ({ quick, pairs }) => {
    const requests = quick ? 16_000 : 80_000;
    const run = (side: 'store' | 'rows') =>
      Number(execFileSync(process.execPath, [PROGRAM, side, String(requests), String(perTick)], ENCODING));
    return Array.from({ length: pairs }, () => ({ ours: run('store'), beside: run('rows') }));
  },
}));
