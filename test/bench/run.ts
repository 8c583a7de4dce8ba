import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { BenchRow } from './bench-row.ts';
import { rows as addBuildRows } from './build/add-build.ts';
import { rows as fullBuildRows } from './build/full-build.ts';
import { rows as unchangedBuildRows } from './build/unchanged-build.ts';
import { ROOT } from '../support/paths.ts';
import { BENCH_FOLDER } from './games.ts';
import { findMissingPackages } from './gateway/load.ts';
import { rows as rateRows } from './gateway/rate-rows.ts';
import { formatTable, type RowResult, readRatios, summarise } from './report.ts';

const HELP = `npm run bench -- [--quick] [--only <text>]... [--pairs <number>] [--write]

Compares the product with what people would use instead, alternately (A B A B), and writes a table to var/bench/.
  --quick   is meant for about ten minutes: three pairs a row, each measurement short, and some rows with less data
  --only    only rows with this text in "what" or "beside"
  --pairs   how many times each row is measured (default: 7; with --quick 3)
  --write   replaces the table in docs/speed.md; what was measured before stays in its last column
`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    pairs: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const ROWS: readonly BenchRow[] = [...rateRows, ...fullBuildRows, ...unchangedBuildRows, ...addBuildRows];

function isWanted(text: string): boolean {
  return (
    options.only.length === 0 || options.only.some((part) => text.toLowerCase().includes(part.toLowerCase()))
  );
}

const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node.js ${process.versions.node}`;

/** Where the table of docs/speed.md begins and ends. */
const TABLE = /(?<=<!-- table of the bench -->\n\n)[\s\S]*?(?=\n\n<!-- end of the table -->)/;
const PAGE = path.join(ROOT, 'docs/speed.md');

/** Replaces the table of docs/speed.md. */
async function writePage(table: string, about: string): Promise<void> {
  const narrow = table.replaceAll(/ {2,}\|/g, ' |').replaceAll(/-{2,}/g, '-');
  const page = await readFile(PAGE, 'utf8');
  await writeFile(
    PAGE,
    page.replace(TABLE, () => `${about}.\n\n${narrow.trimEnd()}`),
  );
}

async function writeTable(results: readonly RowResult[], about: string): Promise<string> {
  const before = TABLE.exec(await readFile(PAGE, 'utf8'))?.[0] ?? '';
  const table = `${formatTable(results, readRatios(before))}\n`;
  await writeFile(path.join(BENCH_FOLDER, 'bench.md'), `${about}\n\n${table}`);
  await writeFile(
    path.join(BENCH_FOLDER, 'bench.json'),
    JSON.stringify({ machine, quick: options.quick, results }, null, 1),
  );
  return table;
}

async function runBench(): Promise<void> {
  const { quick } = options;
  const pairs = Number(options.pairs ?? (quick ? 3 : 7));
  const about = `${machine}; medians of ${pairs} pairs${quick ? ', each of a second' : ''}`;
  await mkdir(BENCH_FOLDER, { recursive: true });
  const results: RowResult[] = [];
  for (const row of ROWS) {
    const title = `${row.name} | ${row.beside}`;
    if (!isWanted(title)) continue;
    process.stderr.write(`${title}: `);
    try {
      const measured = await row.measure({ quick, pairs });
      const name = quick && row.quick !== undefined ? `${row.name} (here: ${row.quick})` : row.name;
      const result = summarise({ ...row, name }, measured);
      process.stderr.write(`${result.ratio.median.toFixed(3)} ×\n`);
      results.push(result);
    } catch (error) {
      // A row that cannot be measured does not stop the others.
      process.stderr.write(`not measured: ${(error as Error).stack}\n`);
      process.exitCode = 1;
    }
    // After each row, so that a bench that is stopped keeps what it measured.
    await writeTable(results, about);
  }
  const table = await writeTable(results, about);
  process.stdout.write(table);
  if (options.write) await writePage(table, about);
  process.stdout.write(`\n${about}\nwritten to ${path.relative('', BENCH_FOLDER)}/\n`);
}

// An interrupted bench leaves no server running: they end when the process exits.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const missing = findMissingPackages();
if (options.help) process.stdout.write(HELP);
else if (options.write && options.only.length > 0) {
  process.stderr.write('--write replaces the whole table, so it needs all rows: leave out --only\n');
  process.exitCode = 2;
} else if (missing.length > 0) {
  process.stderr.write(`the bench needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}\n`);
  process.exitCode = 1;
} else await runBench();
