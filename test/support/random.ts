import fc from 'fast-check';
import { createRandom } from './create-random.ts';

const { GAMEDATA_SEED, GAMEDATA_RUNS } = process.env;

// A failure prints its seed; the runner prints how the file is run with it again.
if (GAMEDATA_SEED !== undefined) fc.configureGlobal({ seed: Number(GAMEDATA_SEED) });

/** How often a `.long.test.ts` tries something: this often in `npm run test:all`, a tenth of it in `npm test`. */
export function timesOf(all: number): number {
  return GAMEDATA_RUNS === 'all' ? all : Math.ceil(all / 10);
}

/** The same, as fast-check takes it. */
export function runsOf(all: number): { numRuns: number } {
  return { numRuns: timesOf(all) };
}

export { fc };

/** Random numbers from 0 to 1 (exclusive). Prints the seed that gives them again. */
export function seededRandom(): () => number {
  const seed = Number(GAMEDATA_SEED ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`seed: ${seed}\n`);
  return createRandom(seed);
}
