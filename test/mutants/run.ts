import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import fastGlob from 'fast-glob';
import { startsProcesses } from '../runner/choose-files.ts';
import { createRandom } from '../support/create-random.ts';
import { ROOT } from '../support/paths.ts';
import { applyMutant, listMutants, type Mutant } from './mutate.ts';

const HELP = `npm run mutants -- [--count <number>] [--seed <number>] [<folder>...]

Changes one expression of the compiled code at a time, chosen at random, and runs the tests that start no process: first those of its room, then
those of its core, then those of its program. Prints the mutants that no test notices, and the share of those that one does. The seed repeats the
choice.
  --count   how many mutants are tried (default: 500, which takes hours)
  <folder>  whose code is changed (default: gateway/core scripts/core)
`;

/** A mutant of a compiled file, by its path in build/. */
interface Choice extends Mutant {
  file: string;
}

/** Longer than all tests of a core take on a busy machine. A mutant that never ends is noticed. */
const MAX_MS = 10 * 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '500' }, seed: { type: 'string' }, help: { type: 'boolean' } },
});
if (values.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`seed: ${seed}\n`);
  const folders = positionals.length > 0 ? positionals : ['gateway/core', 'scripts/core'];
  const waiting = await choose(folders, Number(values.count), createRandom(seed));
  const count = waiting.length;
  await checkTests(new Set(waiting.map(({ file }) => partsOf(file)[2])));
  let noticed = 0;
  const lane = async (number: number) => {
    const copy = await makeCopy(number);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (await isNoticed(copy, next)) noticed++;
      else process.stdout.write(await describe(next));
    }
    await rm(copy, { recursive: true });
  };
  await Promise.all(Array.from({ length: availableParallelism() }, (_, number) => lane(number)));
  process.stdout.write(
    `${noticed} of ${count} mutants are noticed, ${((100 * noticed) / count).toFixed(1)} %\n`,
  );
}

/** Chooses mutants so that each of the folders' mutants is equally likely, none twice. */
async function choose(folders: readonly string[], count: number, random: () => number): Promise<Choice[]> {
  const patterns = folders.map((folder) => `${folder}/**/*.js`);
  const files = (await fastGlob(patterns, { cwd: path.join(ROOT, 'build') })).sort();
  const all: Choice[] = [];
  for (const file of files) {
    const code = await readFile(path.join(ROOT, 'build', file), 'utf8');
    all.push(...listMutants(code).map((mutant) => ({ ...mutant, file })));
  }
  const chosen = Array.from({ length: Math.min(count, all.length) }, () =>
    all.splice(Math.floor(random() * all.length), 1),
  );
  return chosen.flat();
}

/** The folders whose tests are run for a mutant of a file: its room, its core, its program. */
function partsOf(file: string): [room: string, core: string, program: string] {
  const [program = '', core = ''] = file.split('/');
  return [path.dirname(file), `${program}/${core}`, program];
}

/** @throws Error when tests fail without a mutant: then each would seem to be noticed */
async function checkTests(programs: ReadonlySet<string>): Promise<void> {
  const copy = await makeCopy(-1);
  for (const program of programs)
    if (await fails(copy, program)) throw new Error(`tests of ${program} fail without a mutant`);
  await rm(copy, { recursive: true });
}

/** Makes a checkout with a build/ of its own; the rest is linked. */
async function makeCopy(number: number): Promise<string> {
  const copy = path.join(ROOT, 'var/mutants', String(number));
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  for (const name of await readdir(ROOT))
    if (!['build', 'var', '.git'].includes(name)) await symlink(path.join(ROOT, name), path.join(copy, name));
  await cp(path.join(ROOT, 'build'), path.join(copy, 'build'), { recursive: true });
  return copy;
}

/** Returns whether a test fails with a mutant. */
async function isNoticed(copy: string, mutant: Choice): Promise<boolean> {
  const file = path.join(copy, 'build', mutant.file);
  const code = await readFile(file, 'utf8');
  await writeFile(file, applyMutant(code, mutant));
  try {
    for (const folder of partsOf(mutant.file)) if (await fails(copy, folder)) return true;
    return false;
  } finally {
    await writeFile(file, code);
  }
}

/** Runs the tests of a folder that start no process. @returns whether one failed */
async function fails(copy: string, folder: string): Promise<boolean> {
  const found = await fastGlob(`${folder}/**/*.test.ts`, { cwd: path.join(ROOT, 'test') });
  const files = found.filter((file) => !startsProcesses(file));
  if (files.length === 0) return false;
  const child = spawn(process.execPath, ['build/test/run.js', ...files], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), MAX_MS);
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  clearTimeout(timer);
  return code !== 0;
}

async function describe({ file, start, end, text }: Choice): Promise<string> {
  const code = await readFile(path.join(ROOT, 'build', file), 'utf8');
  const line = code.slice(0, start).split('\n').length;
  return `not noticed: ${file}:${line}: ${code.slice(start, end)} → ${text}\n`.replaceAll(/\n(?=.)/g, ' ');
}
