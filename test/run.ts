import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import fastGlob from 'fast-glob';

/** What the tests of a file came to. */
interface Outcome {
  output: string;
  failed: boolean;
  /** Tests, as uvu counts them at the end. */
  total: number;
  passed: number;
  skipped: number;
}

/**
 * Runs every `*.test.ts` of this folder, as many at once as there are processors; with arguments only those whose path matches one.
 * The name of a file that starts processes or servers ends in `.process.test.ts`.
 */
const wanted = process.argv.slice(2);
const files = (await fastGlob('**/*.test.ts', { cwd: import.meta.dirname })).sort();
const chosen = files.filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
if (chosen.length === 0) {
  process.stderr.write(`no test file has ${wanted.join(' or ')} in its path\n`);
  process.exit(1);
}
// The commands are tested as they are installed: compiled.
const { status } = spawnSync('npm run --silent prepare', { shell: true, stdio: 'inherit' });
if (status !== 0) process.exit(1);

const started = performance.now();
const sum = { total: 0, passed: 0, skipped: 0 };
await runFiles(chosen, availableParallelism());
const seconds = ((performance.now() - started) / 1000).toFixed(1);
process.stdout.write(
  `\n  Total:     ${sum.total}\n  Passed:    ${sum.passed}\n  Skipped:   ${sum.skipped}\n  Duration:  ${seconds} s\n\n`,
);

async function runFiles(waiting: string[], atOnce: number): Promise<void> {
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const { output, failed, ...counts } = await runFile(file);
      process.stdout.write(`${file}\n${output}\n`);
      if (failed) process.exitCode = 1;
      for (const name of ['total', 'passed', 'skipped'] as const) sum[name] += counts[name];
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Runs the tests of a file in a process of their own; one that ends before its tests are done fails. */
async function runFile(file: string): Promise<Outcome> {
  const child = spawn(process.execPath, ['--import', 'tsx', path.join(import.meta.dirname, file)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  // What uvu prints last, in colours or not.
  const end = out.lastIndexOf('\n  Total:');
  const [total, passed, skipped] = stripVTControlCharacters(out.slice(end)).match(/\d+/g) ?? [];
  const isDone = end >= 0;
  return {
    output: (isDone ? out.slice(0, end) : `${out}\nended before its tests were done\n`) + errors,
    failed: code !== 0 || !isDone,
    total: isDone ? Number(total) : 1,
    passed: isDone ? Number(passed) : 0,
    skipped: isDone ? Number(skipped) : 0,
  };
}
