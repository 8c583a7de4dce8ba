import { setTimeout as wait } from 'node:timers/promises';
import { MIN_SETTLED_MS } from '../../../scripts/compile/memo.ts';
import { withFolder } from '../../support/fixtures.ts';
import type { BenchRow } from '../bench-row.ts';
import { DUMPS, layOutGames } from './data.ts';
import { foldersIn, measurePairs, removeMade, runBuild } from './run-build.ts';

/** Seconds of processor time. */
export const rows: BenchRow[] = [
  {
    name: `build of ${DUMPS} with nothing changed`,
    beside: 'full build',
    quick: 'one shipped game',
    unit: 's',
    target: { atMost: 0.03 },
    measure: ({ quick, pairs }) =>
      withFolder({}, async (folder) => {
        const folders = foldersIn(folder);
        await layOutGames(folders.data, quick);
        // Files that were written just now do not count as unchanged.
        await wait(MIN_SETTLED_MS + 100);
        return await measurePairs(pairs, async () => {
          await removeMade(folders);
          return { beside: runBuild(folders), ours: runBuild(folders) };
        });
      }),
  },
];
