import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { SETTLED } from '../../../scripts/reuse/file-hashes.ts';
import { withFolder } from '../../fixtures.ts';
import type { BenchRow, Pair } from '../bench-row.ts';
import { DUMPS, layOutGames } from './data.ts';
import { foldersIn, runBuild } from './run-build.ts';

/** Seconds of wall time; of both sides' processor time in `detail`. */
export const rows: BenchRow[] = [
  {
    name: `build of ${DUMPS} with nothing changed`,
    beside: 'full build',
    target: { atMost: 0.03 },
    measure: ({ quick, pairs }) =>
      withFolder({}, async (folder) => {
        const folders = foldersIn(folder);
        await layOutGames(folders.data, quick);
        // What was written just now is not taken for unchanged.
        await wait(SETTLED + 100);
        const measured: Pair[] = [];
        for (let pair = 0; pair < pairs; pair++) {
          await Promise.all(
            [folders.out, folders.cache].map((made) => rm(made, { recursive: true, force: true })),
          );
          const beside = runBuild(folders);
          const ours = runBuild(folders);
          const detail = { cpuOurs: ours.cpu, cpuBeside: beside.cpu };
          measured.push({ ours: ours.wall, beside: beside.wall, detail });
        }
        return measured;
      }),
  },
];
