import path from 'node:path';
import { withFolder } from '../../support/fixtures.ts';
import type { BenchRow } from '../bench-row.ts';
import { type GrowingGame, startGame } from './data.ts';
import { type Cost, type Folders, foldersIn, measurePairs, runBuild } from './run-build.ts';

const CHARACTERS = 100;

/** Seconds of processor time. */
export const rows: BenchRow[] = [
  {
    name: 'adding one build after 200, generated game of 100 characters',
    beside: 'adding one build after 10',
    quick: '50 builds, beside 5',
    unit: 's',
    target: { atMost: 1.2 },
    measure: ({ quick, pairs }) =>
      withFolder({}, async (folder) => {
        const few = await prepare(path.join(folder, 'few'), quick ? 5 : 10);
        const many = await prepare(path.join(folder, 'many'), quick ? 50 : 200);
        return await measurePairs(pairs, async () => ({
          beside: await addBuild(few),
          ours: await addBuild(many),
        }));
      }),
  },
];

interface Prepared {
  game: GrowingGame;
  folders: Folders;
}

/** Makes a game with this many builds, and compiles it. */
async function prepare(folder: string, builds: number): Promise<Prepared> {
  const folders = foldersIn(folder);
  const game = await startGame(path.join(folders.data, 'game'), CHARACTERS);
  for (let build = 0; build < builds; build++) await game.addBuild();
  runBuild(folders);
  return { game, folders };
}

async function addBuild({ game, folders }: Prepared): Promise<Cost> {
  await game.addBuild();
  return runBuild(folders);
}
