import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { withFolder } from '../../fixtures.ts';
import type { BenchRow, Pair } from '../bench-row.ts';
import { DUMPS, layOutGames } from './data.ts';
import { type Cost, type Folders, foldersIn, runBuild } from './run-build.ts';

/** Seconds of wall time; of both sides' processor time in `detail`. */
export const rows: BenchRow[] = [
  {
    name: `full build of ${DUMPS}, two cores`,
    beside: 'parsing all raw tables, serialising, hashing and compressing all outputs, each once, one thread',
    target: { atMost: 1.5 },
    measure: ({ quick, pairs }) =>
      withFolder({}, async (folder) => {
        const folders = foldersIn(folder);
        await layOutGames(folders.data, quick);
        const measured: Pair[] = [];
        for (let pair = 0; pair < pairs; pair++) {
          await Promise.all(
            [folders.out, folders.cache].map((made) => rm(made, { recursive: true, force: true })),
          );
          const ours = runBuild(folders);
          const beside = measureLeastWork(folders);
          const detail = { cpuOurs: ours.cpu, cpuBeside: beside.cpu };
          measured.push({ ours: ours.wall, beside: beside.wall, detail });
        }
        return measured;
      }),
  },
];

const LEAST_WORK = fileURLToPath(new URL('./least-work.ts', import.meta.url));

function measureLeastWork({ data, out }: Folders): Cost {
  const args = ['--import', 'tsx', LEAST_WORK, data, out];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the work beside failed: ${stderr}`);
  return JSON.parse(stdout) as Cost;
}
