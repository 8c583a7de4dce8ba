import fc from 'fast-check';
import { createRandom } from './create-random.ts';

const { GAMEDATA_SEED, GAMEDATA_RUNS } = process.env;

// A failure prints its seed; the runner prints the command that runs the file again with this seed.
if (GAMEDATA_SEED !== undefined) fc.configureGlobal({ seed: Number(GAMEDATA_SEED) });

/** Returns how often a `.long.process.test.ts` repeats something: `all` times with `GAMEDATA_RUNS=all`, otherwise a thirtieth of that. */
export function timesOf(all: number): number {
  return GAMEDATA_RUNS === 'all' ? all : Math.ceil(all / 30);
}

/** Returns what a `.long.process.test.ts` tries: all values with `GAMEDATA_RUNS=all`, otherwise every fourth, from one of the first four on. */
export function someOf<T>(values: readonly T[], start: number): T[] {
  return values.filter((_, at) => GAMEDATA_RUNS === 'all' || at % 4 === start % 4);
}

/** Returns the same number as `timesOf`, as parameters of fast-check. */
export function runsOf(all: number): { numRuns: number } {
  return { numRuns: timesOf(all) };
}

export { fc };

/** Makes random numbers from 0 to 1 (exclusive). Prints the seed with which they can be repeated. */
export function seededRandom(): () => number {
  const seed = Number(GAMEDATA_SEED ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`seed: ${seed}\n`);
  return createRandom(seed);
}

/** Returns some of the values, chosen at random, and all with `GAMEDATA_RUNS=all`. */
export function sampleOf<T>(values: readonly T[], count: number): T[] {
  return GAMEDATA_RUNS === 'all' ? [...values] : chooseSome(values, count);
}

/** Chooses some of the values at random, each at most once. Prints the seed with which the choice can be repeated. */
export function chooseSome<T>(values: readonly T[], count: number): T[] {
  const random = seededRandom();
  const left = [...values];
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)).flat();
}
