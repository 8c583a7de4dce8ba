import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGame } from '../../../scripts/compile/game.ts';
import { listReader } from '../../../scripts/format/build-content.ts';
import { filesOf } from '../../../scripts/format/dist-format.ts';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';

const test = suite('the files of a plan');

const FILES = inFolder(
  'data/game',
  gameFiles({ '1.1/build.json': { released_at: '2026-02-01' }, '1.1/characters.json': [] }),
);
const GOOD = { ...FILES, 'data/game/1.1/characters.json': [{ id: 'ann', name: 'Anna' }] };

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

test.run();
