import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGame } from '../../../scripts/compile/game.ts';
import { MarkedRun, type Printed, type Run } from '../../../scripts/compile/memo.ts';
import { type GamePlan, planIndex } from '../../../scripts/dist/plan.ts';
import { writeDist } from '../../../scripts/dist/write-dist.ts';
import { gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';

const test = suite('a run with nothing to do');

const TOLD = { warnings: 'a warning', totals: '1 game' };
const FILES = inFolder(
  'data/game',
  gameFiles({ '1.0/tables/units.json': {}, 'builds.lock.json': { builds: {} } }),
);
/** A time so long after all writes that the files count as settled. */
const later = (ms = 0) => Date.now() + 60_000 + ms;

/** Builds a game, and remembers it as a run that began at `now` does. */
async function withLastRun(
  use: (folder: string, run: Run) => Promise<void>,
  {
    now = later(),
    during = async () => {},
    print = () => TOLD,
  }: {
    now?: number;
    during?: (folder: string) => Promise<void>;
    print?: (data: string) => Printed;
  } = {},
): Promise<void> {
  await withFolder(FILES, async (folder) => {
    const at = (name: string) => path.join(folder, name);
    const folders = { data: at('data'), out: at('dist'), cache: at('cache') };
    const run = { ...folders, slugs: ['game'], keepOthers: false, formats: [] };
    const lastRun = new MarkedRun(run, now);
    const { value: plan } = await compileGame(at('data/game'), 'game');
    const plans = [plan as GamePlan];
    await writeDist(run.out, plans, planIndex(plans, []), undefined);
    await during(folder);
    await lastRun.remember(plans, print(run.data));
    await use(folder, run);
  });
}

test('a run without changes is known to have the same result', async () => {
  await withLastRun(async (_folder, run) => assert.equal(await new MarkedRun(run, later()).find(), TOLD));
});

const CHANGES: [what: string, change: (folder: string) => Promise<unknown>][] = [
  [
    'a file of a build is written, even with what it held',
    (folder) => writeFiles(folder, { 'data/game/1.0/tables/units.json': {} }),
  ],
  ['a file is new', (folder) => writeFiles(folder, { 'data/game/1.0/skins.json': {} })],
  ['a file is removed', (folder) => rm(path.join(folder, 'data/game/1.0/tables/units.json'))],
  [
    'a folder has another name',
    (folder) => rename(path.join(folder, 'data/game/1.0/tables'), path.join(folder, 'data/game/1.0/table')),
  ],
  ['a folder is new', (folder) => mkdir(path.join(folder, 'data/game/1.1'))],
  ['the record of builds is different', (folder) => writeFiles(folder, { 'data/game/builds.lock.json': {} })],
  [
    'a file is a link, which may lead anywhere',
    (folder) => symlink('units.json', path.join(folder, 'data/game/1.0/tables/link.json')),
  ],
  ['dist/ has a different index', (folder) => writeFiles(folder, { 'dist/index.json': {} })],
  ['dist/ lacks its files', (folder) => rm(path.join(folder, 'dist/game'), { recursive: true })],
];

for (const [what, change] of CHANGES) {
  test(`the run has something to do if ${what}`, async () => {
    await withLastRun(async (folder, run) => {
      await change(folder);
      assert.is(await new MarkedRun(run, later()).find(), undefined);
    });
  });
}

const OTHERS: Partial<Run>[] = [{ slugs: [] }, { keepOthers: true }, { data: 'other' }, { out: 'other' }];

for (const other of OTHERS) {
  test(`a run with ${JSON.stringify(other)} is another one`, async () => {
    await withLastRun(async (_folder, run) => {
      assert.is(await new MarkedRun({ ...run, ...other }, later()).find(), undefined);
    });
  });
}

test('a memory that is incomplete, or of another form, is not used', async () => {
  for (const content of ['', '{', 'null', '{"inputs":"x"}']) {
    await withLastRun(async (_folder, run) => {
      for (const file of await readdir(run.cache)) await writeFile(path.join(run.cache, file), content);
      assert.is(await new MarkedRun(run, later()).find(), undefined);
    });
  }
});

test('a run is not remembered if its inputs were written just before it or during it', async () => {
  const find = async (_folder: string, run: Run) =>
    assert.is(await new MarkedRun(run, later()).find(), undefined);
  await withLastRun(find, { now: Date.now() });
  await withLastRun(find, {
    during: (folder) => writeFiles(folder, { 'data/game/1.0/characters.json': [] }),
  });
});

test.run();
