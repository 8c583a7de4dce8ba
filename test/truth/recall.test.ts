import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, inFolder, withFolder } from '../support/fixtures.ts';
import { type ColumnMutation, MUTATIONS } from './mutations.ts';
import type { RawColumn } from './raw-tables.ts';
import { Recall, UnsoundGame } from './recall.ts';
import { TruthWorld } from './truth-world.ts';

const test = suite('a game that is measured');

const ROWS = Array.from({ length: 10 }, (_, at) => ({ id: `u${at}`, name: `Unit ${at}`, level: 10 + at }));
const PLANNER = { currency: { name: 'Gem', per_pull: 160 } };

/** A game of two builds that is compiled from rows. */
const mapped = (changes: Files = {}): Files => ({
  'game.json': {
    title: 'Game',
    tables: { units: 'units.json', texts: 'texts.json' },
    roster: { from: 'units', entry: "{'id': id, 'name': $lookup($tables.texts, id), 'level': level}" },
  },
  ...inFolder('1.0', buildOf('2026-01-01')),
  ...inFolder('1.1', buildOf('2026-01-08')),
  ...changes,
});

const buildOf = (released_at: string): Files => ({
  'build.json': { released_at },
  'pull_planner.json': PLANNER,
  'units.json': ROWS,
  'texts.json': Object.fromEntries(ROWS.map(({ id, name }) => [id, name])),
});

/** Begins to measure a game; returns the message of the refusal, or undefined. */
async function begin(files: Files): Promise<string | undefined> {
  return await withFolder(inFolder('game', files), async (folder) => {
    try {
      await Recall.begin(await TruthWorld.of(path.join(folder, 'game'), 'game'));
      return undefined;
    } catch (error) {
      if (error instanceof UnsoundGame) return error.message;
      throw error;
    }
  });
}

test('a build without errors is measured', async () => {
  assert.is(await begin(mapped()), undefined);
});

test('a newest build with errors is refused: what is wrong, where, and what to do', async () => {
  const message = await begin(mapped({ '1.1/units.json': [...ROWS, ROWS[0] ?? {}] }));
  assert.match(message ?? '', /^game is not measured: the newest build has 1 error before any mutation\./);
  assert.match(message ?? '', /Correct the files or the mapping, then measure again\./);
  assert.match(message ?? '', /error .*units\.json:\d+ .*\(ids\)/);
});

test('what a gate finds in the real step is no reason to refuse', async () => {
  assert.is(await begin(mapped({ '1.1/units.json': ROWS.map(({ id }) => ({ id })) })), undefined);
});

test('a build that inherits files, and needs overrides only after the build before, is measured as a first build too', async () => {
  const overrides = [{ check: 'values-lost', of: 'characters.level', reason: 'All begin at level 0.' }];
  const changes = {
    '1.1/build.json': { released_at: '2026-01-08', overrides },
    '1.1/units.json': ROWS.map((row) => ({ ...row, level: 0 })),
    '1.1/texts.json': undefined,
  };
  assert.is(await begin(mapped(changes)), undefined);
});

test('dates that no calendar has stay as they are when others are a day late', () => {
  const late = MUTATIONS.find(({ name }) => name === 'a day late in a tenth');
  const dates = ['2026.02.28', '2026-99-99', 'never'];
  for (const date of dates) {
    const holder = { date };
    const column = { cells: [{ holder, key: 'date', row: 0 }] } as unknown as RawColumn;
    (late as ColumnMutation).apply(column, () => 0);
    assert.is(holder.date, date === '2026.02.28' ? '2026-03-01' : date);
  }
});

test.run();
