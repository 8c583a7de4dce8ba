import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyDist } from '../../../scripts/commands/verify.ts';
import { compileGame } from '../../../scripts/compile/game.ts';
import { type GamePlan, planIndex, Stage } from '../../../scripts/dist/plan.ts';
import { writeDist } from '../../../scripts/dist/write-dist.ts';
import { listReader } from '../../../scripts/format/build-content.ts';
import { filesOf } from '../../../scripts/format/dist-format.ts';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const test = suite('the files of a plan');

const FILES = inFolder(
  'data/game',
  gameFiles({ '1.1/build.json': { released_at: '2026-02-01' }, '1.1/characters.json': [] }),
);
const GOOD = { ...FILES, 'data/game/1.1/characters.json': [{ id: 'ann', name: 'Anna' }] };

test('a staged plan holds no bytes, and gives the same dist/ as one in memory', async () => {
  await withFolder(GOOD, async (folder) => {
    const out = path.join(folder, 'dist');
    await mkdir(out);
    const stage = await Stage.make(out);
    const compile = (keep: Parameters<typeof compileGame>[2]) =>
      compileGame(path.join(folder, 'data/game'), 'game', keep);
    const { value: memory } = await compile({});
    const { value: plan } = await compile({ keep: { in: 'stage', place: stage.place } });
    assert.ok(plan && memory);
    assert.is(plan.files.size, 0);
    assert.equal(plan.staged.map(({ file }) => file).sort(), [...memory.files.keys()].sort());
    assert.equal(await readdir(out), [path.basename(stage.place.folder)]);

    const index = planIndex([plan], []);
    const { newBytes } = await writeDist(out, [plan], index, undefined);
    assert.is(newBytes, memory.bytes);
    assert.equal((await verifyDist(out, index)).faults, []);
    const { value: again } = await compile({ keep: { in: 'stage', place: stage.place } });
    assert.equal((again as GamePlan).staged, [], 'dist/ has all files');
    await stage.remove();
    assert.equal((await readdir(out)).sort(), ['game', 'index.json']);
  });
});

test('a plan in memory writes only the files that dist/ lacks, and counts only those', async () => {
  await withFolder(GOOD, async (folder) => {
    const out = path.join(folder, 'dist');
    const { value: plan } = await compileGame(path.join(folder, 'data/game'), 'game');
    assert.ok(plan);
    const write = () => writeDist(out, [plan], planIndex([plan], []), undefined);
    const { bytes, newBytes } = await write();
    assert.is(newBytes, bytes);
    const [lost = '', ...kept] = plan.files.keys();
    const inodeOf = async (file: string) => (await stat(path.join(out, file))).ino;
    const before = await Promise.all(kept.map(inodeOf));
    await rm(path.join(out, lost));
    assert.equal(await write(), { bytes, newBytes: plan.files.get(lost)?.length });
    assert.equal(await Promise.all(kept.map(inodeOf)), before);
  });
});

test('an error leaves neither a stage nor files, and the next build removes the stage of a killed one', async () => {
  await withFolder(FILES, async (cwd) => {
    const { code, stderr } = await runInProcess('gamedata', ['build'], { cwd });
    assert.is(code, 1, stderr);
    assert.equal(await readdir(path.join(cwd, 'dist')), []);
  });
  await withFolder({ ...GOOD, 'dist/.staged-0/game/left.json': '{}' }, async (cwd) => {
    assert.is((await runInProcess('gamedata', ['build'], { cwd })).code, 0);
    assert.equal((await readdir(path.join(cwd, 'dist'))).sort(), ['game', 'index.json']);
  });
});

test('roster entries and records are one file if they are equal, and two if not', async () => {
  const files = {
    ...GOOD,
    'data/game/1.1/characters.json': [{ id: 'ann', name: 'Ann', skills: [{ power: 1 }] }],
  };
  await withFolder(files, async (folder) => {
    const { value } = await compileGame(path.join(folder, 'data/game'), 'game');
    const [equal, different] = value?.entries ?? [];
    assert.equal(equal?.roster, equal?.characters);
    assert.match(equal?.roster.file ?? '', /characters\./);
    assert.match(different?.roster.file ?? '', /roster\./);
    assert.is.not(different?.roster.file, different?.characters.file);
  });
});

test('only the newest build has its roster plain, and past builds have it as gzip', async () => {
  const withSkills = (power: number) => [{ id: 'ann', name: `Ann ${power}`, skills: [{ power }] }];
  const files = {
    ...GOOD,
    'data/game/1.0/characters.json': withSkills(1),
    'data/game/1.1/characters.json': withSkills(2),
  };
  await withFolder(files, async (folder) => {
    const { value } = await compileGame(path.join(folder, 'data/game'), 'game');
    const rosters = value?.entries.map(({ roster: { file, gzip } }) => [
      value.files.has(file),
      value.files.has(gzip?.file ?? ''),
    ]);
    assert.equal(rosters, [
      [false, true],
      [true, true],
    ]);
    const [past, newest] = value?.entries ?? [];
    assert.ok(past && newest && past.roster.gzip);
    const named = filesOf(past).map(({ file }) => file);
    assert.equal([named.includes(past.roster.gzip.file), named.includes(past.roster.file)], [true, false]);
    const read = listReader(past, async ({ file }) => Buffer.from(value?.files.get(file) ?? []));
    assert.is((await read(past.roster)).toString(), '[\n{"id":"ann","name":"Ann 1"}\n]\n');
  });
});

test('check makes no files', async () => {
  await withFolder(GOOD, async (folder) => {
    const { value } = await compileGame(path.join(folder, 'data/game'), 'game', { keep: { in: 'nothing' } });
    assert.is(value?.entries.length, 2);
    assert.is(value?.files.size, 0);
    assert.equal(value?.staged, []);
  });
});

test.run();
