import path from 'node:path';
import { commandLine } from '../../support/command.ts';
import { withFolder } from '../../support/fixtures.ts';
import type { BenchRow } from '../bench-row.ts';
import { measurePeakMemory } from '../peak-memory.ts';
import { startGame } from './data.ts';
import { type Folders, foldersIn, removeMade } from './run-build.ts';

/** With these, what is written for a build has about 2.4 MB. */
const CHARACTERS = 500;

/** Bytes of the process that needs most. */
export const rows: BenchRow[] = [
  {
    name: 'peak memory of a full build, 400 builds of 500 characters',
    beside: 'the same with 50 builds',
    quick: '20 builds, beside 5',
    unit: 'bytes',
    target: { atMost: 1.2 },
    measure: ({ quick, pairs }) =>
      withFolder({}, async (folder) => {
        const few = await layOut(path.join(folder, 'few'), quick ? 5 : 50);
        const many = await layOut(path.join(folder, 'many'), quick ? 20 : 400);
        const measured = [];
        for (let pair = 0; pair < pairs; pair++) {
          measured.push({ beside: await measureBuild(few), ours: await measureBuild(many) });
        }
        return measured;
      }),
  },
];

async function layOut(folder: string, builds: number): Promise<Folders> {
  const folders = foldersIn(folder);
  const game = await startGame(path.join(folders.data, 'game'), CHARACTERS);
  for (let build = 0; build < builds; build++) await game.addBuild();
  return folders;
}

async function measureBuild(folders: Folders): Promise<number> {
  await removeMade(folders);
  const { data, out, cache } = folders;
  const options = ['--data', data, '--out', out, '--cache', cache];
  return await measurePeakMemory(commandLine('gamedata', ['build', ...options]));
}
