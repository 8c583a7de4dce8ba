import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { rows as buildRows } from './build-rows.ts';
import { BENCH_FOLDER } from './games.ts';
import { findMissingPackages } from './gateway/load.ts';
import { rows as rateRows } from './gateway/rate-rows.ts';
import { describeRow, formatTable } from './report.ts';

const HELP = `npm run bench -- [--quick] [--only <text>]... [--pairs <number>]

Compares the product with what people would use instead, alternately (A B A B), and writes a table to var/bench/.
  --quick   is meant for about ten minutes: three pairs a row, each measurement short, and some rows with less data
  --only    only rows with this text in "what" or "beside"
  --pairs   how many times each row is measured (default: 7; with --quick 3)
`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    pairs: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function runBench(): Promise<void> {
  const { quick, only } = options;
  const pairs = Number(options.pairs ?? (quick ? 3 : 7));
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node.js ${process.versions.node}`;
  const about = `${machine}; medians of ${pairs} pairs${quick ? ', each of a second' : ''}`;
  await mkdir(BENCH_FOLDER, { recursive: true });
  const lines: string[][] = [];
  for (const row of [...rateRows, ...buildRows]) {
    const title = `${row.name} | ${row.beside}`;
    if (only.length > 0 && !only.some((part) => title.toLowerCase().includes(part.toLowerCase()))) continue;
    process.stderr.write(`${title}: `);
    try {
      const measured = await row.measure({ quick, pairs });
      const name = quick && row.quick !== undefined ? `${row.name} (here: ${row.quick})` : row.name;
      const line = describeRow({ ...row, name }, measured);
      process.stderr.write(`${line[2]}\n`);
      lines.push(line);
    } catch (error) {
      // A row that cannot be measured does not stop the others.
      process.stderr.write(`not measured: ${(error as Error).stack}\n`);
      process.exitCode = 1;
    }
    // After each row, so that a bench that is stopped keeps what it measured.
    await writeFile(path.join(BENCH_FOLDER, 'bench.md'), `${about}\n\n${formatTable(lines)}`);
  }
  process.stdout.write(`${formatTable(lines)}\n${about}\nwritten to ${path.relative('', BENCH_FOLDER)}/\n`);
}

// An interrupted bench leaves no server running: they end when the process exits.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const missing = findMissingPackages();
if (options.help) process.stdout.write(HELP);
else if (missing.length > 0) {
  process.stderr.write(`the bench needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}\n`);
  process.exitCode = 1;
} else await runBench();
