import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withFolder } from '../../support/fixtures.ts';
import type { BenchRow } from '../bench-row.ts';
import { DUMPS, layOutGames } from './data.ts';
import { type Cost, type Folders, foldersIn, measurePairs, removeMade, runBuild } from './run-build.ts';

/** Seconds of processor time. */
export const rows: BenchRow[] = [
  {
    name: `full build of ${DUMPS}`,
    beside: 'parsing all raw tables, serialising, hashing and compressing all outputs, each once',
    quick: 'one shipped game',
    unit: 's',
    target: { atMost: 1.5 },
    measure: ({ quick, pairs }) =>
      withFolder({}, async (folder) => {
        const folders = foldersIn(folder);
        await layOutGames(folders.data, quick);
        return await measurePairs(pairs, async () => {
          await removeMade(folders);
          return { ours: runBuild(folders), beside: measureLeastWork(folders) };
        });
      }),
  },
];

const LEAST_WORK = fileURLToPath(new URL('./least-work.js', import.meta.url));

function measureLeastWork({ data, out }: Folders): Cost {
  const args = [LEAST_WORK, data, out];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the work beside failed: ${stderr}`);
  return JSON.parse(stdout) as Cost;
}
