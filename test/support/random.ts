import fc from 'fast-check';

const { GAMEDATA_SEED, GAMEDATA_RUNS } = process.env;

// A failure prints its seed; the runner prints how the file is run with it again.
if (GAMEDATA_SEED !== undefined) fc.configureGlobal({ seed: Number(GAMEDATA_SEED) });

/** How often a property is tried: this often in `npm run test:all`, a tenth of it in `npm test`. */
export function runsOf(all: number): { numRuns: number } {
  return { numRuns: GAMEDATA_RUNS === 'all' ? all : Math.ceil(all / 10) };
}

export { fc };
