import path from 'node:path';
import { commandLine } from '../../support/command.ts';
import { withFolder } from '../../support/fixtures.ts';
import type { BenchRow } from '../bench-row.ts';
import { startGame } from './data.ts';
import { foldersIn, measureCommand, measurePairs } from './run-build.ts';

const CHARACTERS = 100;

/** Seconds of processor time. */
export const rows: BenchRow[] = [
  {
    name: 'gamedata diff of the newest of 400 builds',
    beside: 'of the newest of 10 builds',
    quick: '50 builds, beside 5',
    unit: 's',
    target: { atMost: 1.3 },
    measure: ({ quick, pairs }) =>
      withFolder({}, async (folder) => {
        const few = await layOut(path.join(folder, 'few'), quick ? 5 : 10);
        const many = await layOut(path.join(folder, 'many'), quick ? 50 : 400);
        const diff = (data: string) =>
          measureCommand(commandLine('gamedata', ['diff', 'game', '--data', data]));
        return await measurePairs(pairs, async () => ({ beside: diff(few), ours: diff(many) }));
      }),
  },
];

async function layOut(folder: string, builds: number): Promise<string> {
  const { data } = foldersIn(folder);
  const game = await startGame(path.join(data, 'game'), CHARACTERS);
  for (let build = 0; build < builds; build++) await game.addBuild();
  return data;
}
