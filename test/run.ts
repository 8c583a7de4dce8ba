import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import fastGlob from 'fast-glob';
import {
  chooseFiles,
  orderFiles,
  SAMPLES,
  type Scope,
  sampleFiles,
  startsProcesses,
} from './runner/choose-files.ts';
import { killAll } from './runner/groups.ts';
import { type Ran, renderReport } from './runner/report.ts';
import { runFile } from './runner/run-file.ts';
import { SharedProcess } from './runner/shared-process.ts';
import { BUILD, ROOT } from './support/paths.ts';

const HELP = `npm test                 the tests that start no other process
npm run test:all         all tests
npm test -- <part>...    the files whose path in test/ contains a part, e.g. gateway/store
`;

/** Far more than any file needs, even on a busy machine. */
const MAX_FILE_MS = 6 * 60_000;

/**
 * Runs test files, one more at a time than there are processors, as files also wait for disks and other processes. A file
 * that starts processes runs in its own process.
 */
async function runFiles(files: readonly string[]): Promise<Ran[]> {
  const waiting = orderFiles(files);
  const ran: Ran[] = [];
  const lane = async () => {
    const shared = new SharedProcess();
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const compiled = path.join(BUILD, 'test', file.replace(/\.ts$/, '.js'));
      const result = startsProcesses(file)
        ? await runFile(compiled, MAX_FILE_MS)
        : await shared.run(compiled, MAX_FILE_MS);
      process.stdout.write(`${file}\n${result.output}\n`);
      ran.push({ file, ...result });
    }
    await shared.close();
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, lane));
  return ran;
}

/** @param sample which sample of the slow files runs; undefined for all */
async function main(scope: Scope, parts: string[], sample: number | undefined): Promise<number> {
  const files = await fastGlob('**/*.test.ts', { cwd: path.join(ROOT, 'test') });
  const whole = chooseFiles(files.sort(), scope, parts);
  const chosen = sample === undefined ? whole : sampleFiles(whole, sample);
  if (sample !== undefined)
    process.stdout.write(
      `sample ${sample % SAMPLES} of ${SAMPLES}, by GAMEDATA_SAMPLE=${sample}: ${chosen.length} of ${whole.length} files\n`,
    );
  if (chosen.length === 0) {
    process.stderr.write(`no test file has ${parts.join(' or ')} in its path\n`);
    return 1;
  }
  // Test files read it, to know how many random inputs to try (support/random.ts).
  if (scope === 'all') process.env.GAMEDATA_RUNS = 'all';
  const command = scope === 'core' ? 'npm test' : 'npm run test:all';
  const started = performance.now();
  const ran = await runFiles(chosen);
  process.stdout.write(renderReport(ran, (performance.now() - started) / 1000, command));
  return ran.some(({ failed }) => failed) ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killAll();
    process.exit(1);
  });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    rest: { type: 'boolean' },
    sample: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help) process.stdout.write(HELP);
else {
  const sample = values.sample === undefined ? undefined : Number(values.sample);
  if (sample !== undefined && !(sample >= 0))
    throw new Error(`the sample is ${values.sample}, expected a number`);
  process.exitCode = await main(values.all ? 'all' : values.rest ? 'rest' : 'core', positionals, sample);
}
