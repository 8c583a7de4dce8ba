import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  filesOf,
  FORMAT,
  type Index,
  INDEX_FILE,
  type Manifest,
  READ_FORMATS,
} from '../../../scripts/format/dist-format.ts';
import { indexSchema, manifestSchema } from '../../../scripts/format/dist-schemas.ts';
import { compileSchema } from '../../../scripts/read/schema.ts';
import { type Files, gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { hashFolder } from './hash-folder.ts';

const test = suite('gamedata build');

const TWO_GAMES: Files = {
  ...inFolder('data/alpha', gameFiles({ '1.0/items.csv': 'id,cost\ni2,1\ni1,2\n' })),
  ...inFolder(
    'data/beta',
    gameFiles({
      'game.json': { title: 'Beta' },
      '1.1/build.json': { released_at: '2026-02-01' },
      '1.1/characters.json': [
        { id: 'ann', name: 'Ann' },
        { id: 'bob', name: 'Bob' },
      ],
    }),
  ),
};
const BAD_CHARACTERS: Files = { 'data/alpha/1.0/characters.json': '[\n{"id": "a b", "name": ""}\n]' };

function runGamedata(cwd: string, ...args: string[]): Promise<Outcome> {
  return runInProcess('gamedata', args, { cwd });
}

async function readIndex(folder: string): Promise<Index> {
  return JSON.parse(await readFile(path.join(folder, 'dist', INDEX_FILE), 'utf8'));
}

test('all games are compiled, and a summary counts the content of the newest builds', async () => {
  await withFolder(TWO_GAMES, async (cwd) => {
    const { code, stdout, stderr } = await runGamedata(cwd, 'build');
    assert.is(code, 0);
    assert.match(
      stdout,
      /^alpha 1\.0\n {2}characters: 1 record,.*\n[\s\S]*\n2 games, 3 builds, 3 characters, 3 datasets, \d\.\d\d MB \(\d\.\d\d MB new\) in \d+\.\d s\n$/,
    );
    assert.equal(stderr.split('\n').sort(), [
      '',
      'alpha: 1 build, 1 character, 2 datasets',
      'beta: 2 builds, 2 characters, 1 dataset',
    ]);
    assert.equal(
      (await readIndex(cwd)).games.map(({ slug }) => slug),
      ['alpha', 'beta'],
    );
  });
});

test('dist/ has its format: the name of every file has the hash of its bytes, and a manifest names it', async () => {
  await withFolder(TWO_GAMES, async (cwd) => {
    await runGamedata(cwd, 'build');
    const hashes = await hashFolder(path.join(cwd, 'dist'));
    const index = await readIndex(cwd);
    assert.ok(compileSchema(indexSchema)(index));

    const named = new Set([INDEX_FILE]);
    for (const { manifest } of index.games) {
      const parsed = JSON.parse(await readFile(path.join(cwd, 'dist', manifest.file), 'utf8')) as Manifest;
      assert.ok(compileSchema(manifestSchema)(parsed));
      for (const { file, bytes, sha256 } of [manifest, ...parsed.builds.flatMap(filesOf)]) {
        named.add(file);
        assert.is(hashes[file], sha256);
        assert.match(file, `.${sha256.slice(0, 32)}.json`);
        assert.is((await readFile(path.join(cwd, 'dist', file))).length, bytes);
      }
    }
    assert.equal(Object.keys(hashes), [...named].sort());
  });
});

test('every run gives the same bytes, from any folder, and writes only what is missing', async () => {
  await withFolder(TWO_GAMES, async (cwd) => {
    await runGamedata(cwd, 'build');
    const first = await hashFolder(path.join(cwd, 'dist'));
    assert.match((await runGamedata(cwd, 'build')).stdout, '(0.00 MB new)');
    assert.equal(await hashFolder(path.join(cwd, 'dist')), first);

    await withFolder({}, async (elsewhere) => {
      await runGamedata(elsewhere, 'build', '--data', path.join(cwd, 'data'), '--out', 'made/here');
      assert.equal(await hashFolder(path.join(elsewhere, 'made/here')), first);
      await runGamedata(elsewhere, 'build', '--data', path.relative(elsewhere, path.join(cwd, 'data')));
      assert.equal(await hashFolder(path.join(elsewhere, 'dist')), first);
    });

    await rm(path.join(cwd, 'dist'), { recursive: true });
    await rename(path.join(cwd, 'data'), path.join(cwd, 'moved'));
    await runGamedata(cwd, 'build', 'beta', 'alpha', '--data', 'moved');
    assert.equal(await hashFolder(path.join(cwd, 'dist')), first);
  });
});

test('the order of rows and keys in the source, and its white space, change nothing', async () => {
  const rows = [
    { id: 'u-2', name: 'Two', stats: { hp: 1, atk: 2 } },
    { id: 'u-10', name: 'Ten', stats: { hp: 3, atk: 4 } },
  ];
  const reordered =
    '[{"stats":{"atk":4,"hp":3},"name":"Ten","id":"u-10"},\r\n{"name":"Two","stats":{"atk":2,"hp":1},"id":"u-2"}]';
  const build = (characters: Files[string], items: string) =>
    withFolder(
      inFolder('data/g', gameFiles({ '1.0/characters.json': characters, '1.0/items.csv': items })),
      async (cwd) => {
        assert.is((await runGamedata(cwd, 'build')).code, 0);
        return await hashFolder(path.join(cwd, 'dist'));
      },
    );
  assert.equal(
    await build(rows, 'id,cost,text\ni1,1,"a\nb"\ni2,2,\n'),
    await build(reordered, 'text,cost,id\r\n,2,i2\r\n"a\r\nb",1,i1\r\n'),
  );
});

test('after an error the findings are printed, and dist/ does not change', async () => {
  await withFolder(TWO_GAMES, async (cwd) => {
    await runGamedata(cwd, 'build');
    const before = await hashFolder(path.join(cwd, 'dist'));
    await writeFiles(cwd, {
      ...BAD_CHARACTERS,
      'data/alpha/1.0/items.csv': 'id,cost:number\ni1,x\n',
      'data/beta/1.1/characters.json': '[{"id": "cid", "name": "Cid"}',
    });

    const { code, stdout, stderr } = await runGamedata(cwd, 'build');
    assert.is(code, 1);
    assert.is(stdout, '');
    assert.equal(
      stderr.split('\n').filter((line) => line.startsWith('error ')),
      [
        'error data/alpha/1.0/characters.json:2 /0/id (character-schema)',
        'error data/alpha/1.0/characters.json:2 /0/name (character-schema)',
        'error data/alpha/1.0/items.csv:2 /0/cost (csv-syntax)',
        'error data/beta/1.1/characters.json:1 (json-syntax)',
      ].sort(),
    );
    assert.match(stderr, '\n  found     the text "a b"\n  expected  a URL-safe id');
    assert.match(stderr, /gamedata: 4 errors found; nothing was written to dist\/\n$/);
    assert.equal(await hashFolder(path.join(cwd, 'dist')), before);
  });
});

test('a build of one game keeps the others, even if their data has errors', async () => {
  await withFolder(TWO_GAMES, async (cwd) => {
    await runGamedata(cwd, 'build');
    const before = await readIndex(cwd);
    await writeFiles(cwd, { ...BAD_CHARACTERS, 'data/beta/game.json': { title: 'Beta 2' } });
    assert.is((await runGamedata(cwd, 'build', 'beta')).code, 0);
    const after = await readIndex(cwd);
    assert.equal(after.games[0], before.games[0]);
    assert.is.not(after.games[1]?.manifest.sha256, before.games[1]?.manifest.sha256);
    assert.is((await runGamedata(cwd, 'build', 'alpha')).code, 1);
    assert.equal(await readIndex(cwd), after);
  });
});

const FOREIGN = [JSON.stringify({ format: FORMAT + 1, games: [] }), '{"format": 1'];
for (const index of FOREIGN) {
  test(`a dist/ whose index is ${JSON.stringify(index)} is refused for a build of one game, not for one of all`, async () => {
    await withFolder({ ...TWO_GAMES, 'dist/index.json': index }, async (cwd) => {
      const { code, stderr } = await runGamedata(cwd, 'build', 'alpha');
      assert.is(code, 1);
      assert.match(stderr, `dist/index.json is not of format ${READ_FORMATS.join(' or ')}`);
      assert.is(await readFile(path.join(cwd, 'dist/index.json'), 'utf8'), index);
      assert.is((await runGamedata(cwd, 'build')).code, 0);
      assert.is((await readIndex(cwd)).games.length, 2);
    });
  });
}

test('the index is written last: it does not change if a file cannot be written', async () => {
  await withFolder(TWO_GAMES, async (cwd) => {
    await runGamedata(cwd, 'build');
    const index = await readFile(path.join(cwd, 'dist', INDEX_FILE));
    const { manifest } = (await readIndex(cwd)).games[1] as Index['games'][number];
    // A file cannot replace a folder of its name.
    await writeFiles(cwd, { 'data/beta/game.json': { title: 'Gamma' } });
    await runGamedata(cwd, 'build', '--out', 'other');
    const changed = JSON.parse(await readFile(path.join(cwd, 'other', INDEX_FILE), 'utf8')) as Index;
    const target = changed.games[1]?.manifest.file as string;
    assert.is.not(target, manifest.file);
    await mkdir(path.join(cwd, 'dist', target, 'in-the-way'), { recursive: true });

    const { code, stderr } = await runGamedata(cwd, 'build');
    assert.is(code, 1);
    assert.match(stderr, /gamedata: dist\/ cannot be written: .*\n$/);
    assert.not.match(stderr, /\n\s+at /);
    assert.equal(await readFile(path.join(cwd, 'dist', INDEX_FILE)), index);
    const left = Object.keys(await hashFolder(path.join(cwd, 'dist')));
    assert.equal(
      left.filter((file) => file.endsWith('.tmp')),
      [],
    );
  });
});

test('an out folder that is a file is an error of one line', async () => {
  await withFolder({ ...TWO_GAMES, out: 'a file' }, async (cwd) => {
    const { code, stderr } = await runGamedata(cwd, 'build', '--out', 'out');
    assert.is(code, 1);
    assert.match(stderr, /^gamedata: out\/ cannot be written: .*\n$/);
  });
});

const misuses: [args: string[], message: RegExp][] = [
  [['build', 'gamma'], /^gamedata: no game gamma in data\/; it has alpha, beta\n$/],
  [['build', 'alhpa'], /^gamedata: no game alhpa in data\/; did you mean alpha\? It has alpha, beta\n$/],
  [['build', 'alpha', '../data/beta'], /no game \.\.\/data\/beta in data\//],
  [['build', '--data', 'nowhere'], /^gamedata: no folder nowhere\/: .*--data\n$/],
  [['build', '--data', 'data/alpha/game.json'], /no folder data\/alpha\/game\.json\//],
  [['build', '--out', 'data'], /--out data is inside the data folder data/],
  [['build', '--out', 'data/alpha/1.0'], /is inside the data folder/],
  [['build', '--jobs', '0'], /expected a whole number, 1 or more/],
  [['build', '--time-limit', '1.5'], /expected a whole number, 1 or more/],
  [['build', '--unknown'], /unknown option '--unknown'/],
  [['bild'], /unknown command 'bild'/],
  [[], /Usage: gamedata/],
];
for (const [args, message] of misuses) {
  test(`gamedata ${args.join(' ')} is wrong usage`, async () => {
    await withFolder(TWO_GAMES, async (cwd) => {
      const { code, stderr } = await runGamedata(cwd, ...args);
      assert.is(code, 2);
      assert.match(stderr, message);
      assert.equal(await hashFolder(path.join(cwd, 'dist')), {});
    });
  });
}

test.run();
