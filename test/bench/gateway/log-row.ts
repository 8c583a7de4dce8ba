import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { BenchRow } from '../bench-row.ts';

const PROGRAM = path.join(import.meta.dirname, 'beside', 'log-lines.js');

/** Microseconds of processor time for a line of the access log. */
export const rows: BenchRow[] = [
  {
    name: 'access log, CPU of a line',
    beside: 'pino, its lines gathered in the same way',
    unit: 'µs',
    target: { atMost: 0.8 },
    measure: async ({ quick, pairs }) => {
      const lines = quick ? 10_000 : 300_000;
      return Array.from({ length: pairs }, () => ({ ours: run('ours', lines), beside: run('pino', lines) }));
    },
  },
];

function run(side: 'ours' | 'pino', lines: number): number {
  return Number(execFileSync(process.execPath, [PROGRAM, side, String(lines)], { encoding: 'utf8' }));
}
