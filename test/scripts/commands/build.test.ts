import { mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  FORMAT,
  filesOf,
  INDEX_FILE,
  type Index,
  type Manifest,
} from '../../../scripts/format/dist-format.ts';
import { indexSchema, manifestSchema } from '../../../scripts/format/dist-schemas.ts';
import { compileSchema } from '../../../scripts/read/schema.ts';
import { type Files, gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { table } from '../check/cases.ts';
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

const slugsIn = async (folder: string) => (await readIndex(folder)).games.map(({ slug }) => slug);
const hashDist = (folder: string) => hashFolder(path.join(folder, 'dist'));

test('all games are compiled, and a summary counts the content of the newest builds', async () => {
  await withFolder({ ...TWO_GAMES, 'data/alpha/1.0/READ-ME.json': '1' }, async (cwd) => {
    const { code, stdout, stderr } = await runGamedata(cwd, 'build');
    assert.is(code, 0);
    assert.match(
      stdout,
      /^alpha 1\.0\n {2}characters: 1 record,.*\n[\s\S]*\n2 games, 3 builds, 3 characters, 3 datasets, \d\.\d\d MB \(\d\.\d\d MB new\) in \d+\.\d s\n$/,
    );
    assert.match(stderr, /^alpha: 1 build, 1 character, 2 datasets$/m);
    assert.match(stderr, /^beta: 2 builds, 2 characters, 1 dataset$/m);
    // A warning does not stop the build.
    assert.match(stderr, 'warning data/alpha/1.0/READ-ME.json:1 (dataset-file)');
    assert.equal(await slugsIn(cwd), ['alpha', 'beta']);
  });
});

test('dist/ has its format: the name of every file has the hash of its bytes, and a manifest names it', async () => {
  await withFolder(TWO_GAMES, async (cwd) => {
    await runGamedata(cwd, 'build');
    const hashes = await hashDist(cwd);
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
      // Builds with equal content name the same file.
      const [first, second] = parsed.builds;
      if (second) assert.is(first?.datasets[0]?.file, second.datasets[0]?.file);
    }
    assert.equal(Object.keys(hashes), [...named].sort());
  });
});

test('every run gives the same bytes, from any folder, and writes only what is missing', async () => {
  await withFolder({ ...TWO_GAMES, 'dist/.staged-0/game/left.json': '{}' }, async (cwd) => {
    await runGamedata(cwd, 'build');
    // The stage of a build that was killed is removed.
    assert.equal((await readdir(path.join(cwd, 'dist'))).sort(), ['alpha', 'beta', 'index.json']);
    const first = await hashDist(cwd);
    assert.match((await runGamedata(cwd, 'build')).stdout, '(0.00 MB new)');
    assert.equal(await hashDist(cwd), first);
    await withFolder({}, async (elsewhere) => {
      await runGamedata(elsewhere, 'build', '--data', path.join(cwd, 'data'), '--out', 'made/here');
      assert.equal(await hashFolder(path.join(elsewhere, 'made/here')), first);
    });
    await rm(path.join(cwd, 'dist'), { recursive: true });
    await rename(path.join(cwd, 'data'), path.join(cwd, 'moved'));
    await runGamedata(cwd, 'build', 'beta', 'alpha', '--data', 'moved');
    assert.equal(await hashDist(cwd), first);
  });
});

test('the order of rows and keys in the source, and its white space, change nothing', async () => {
  const build = (characters: Files[string], items: string) =>
    withFolder(
      inFolder('data/g', gameFiles({ '1.0/characters.json': characters, '1.0/items.csv': items })),
      async (cwd) => {
        assert.is((await runGamedata(cwd, 'build')).code, 0);
        return await hashDist(cwd);
      },
    );
  const [two, ten] = ['"id":"u-2","name":"Two"', '"id":"u-10","name":"Ten"'];
  assert.equal(
    await build(`[{${two},"stats":{"hp":1,"atk":2}},{${ten}}]`, 'id,cost,text\ni1,1,"a\nb"\ni2,2,\n'),
    await build(
      `[{${ten}},\r\n{"stats":{"atk":2,"hp":1},${two}}]`,
      'text,cost,id\r\n,2,i2\r\n"a\r\nb",1,i1\r\n',
    ),
  );
});

test('after an error the findings are printed, and dist/ does not change', async () => {
  await withFolder({ ...TWO_GAMES, ...BAD_CHARACTERS }, async (cwd) => {
    assert.is((await runGamedata(cwd, 'build')).code, 1);
    assert.equal(await hashDist(cwd), {});
  });
  await withFolder(TWO_GAMES, async (cwd) => {
    await runGamedata(cwd, 'build');
    const before = await hashDist(cwd);
    await writeFiles(cwd, {
      ...BAD_CHARACTERS,
      'data/alpha/1.0/items.csv': 'id,cost:number\ni1,x\n',
      'data/beta/1.1/characters.json': '[{"id": "cid", "name": "Cid"}',
      'data/My_Game/game.json': { title: 'Mine' },
      'data/stray/1.0/x.json': {},
    });
    const { code, stdout, stderr } = await runGamedata(cwd, 'build');
    assert.equal([code, stdout], [1, '']);
    assert.equal(
      stderr.split('\n').filter((line) => line.startsWith('error ')),
      [
        'error data/My_Game/game.json:1 (slug)',
        'error data/alpha/1.0/characters.json:2 /0/id (character-schema)',
        'error data/alpha/1.0/characters.json:2 /0/name (character-schema)',
        'error data/alpha/1.0/items.csv:2 /0/cost (file-syntax)',
        'error data/beta/1.1/characters.json:1 (file-syntax)',
        'error data/stray/game.json:1 (file-text)',
      ],
    );
    assert.match(stderr, '\n  found     the text "a b"\n  expected  a URL-safe id');
    assert.match(stderr, /gamedata: \d errors found; nothing was written to dist\/\n$/);
    assert.not.match(stderr, /\n\s+at /);
    assert.equal(await hashDist(cwd), before);
  });
});

test('a build of one game keeps the others, even if their data has errors', async () => {
  await withFolder(TWO_GAMES, async (cwd) => {
    assert.is((await runGamedata(cwd, 'build', 'beta')).code, 0);
    assert.equal(await slugsIn(cwd), ['beta']);
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

test('an index that cannot be read is not absent: a build of one game is refused, one of all is not', async () => {
  for (const index of [JSON.stringify({ format: FORMAT + 1, games: [] }), '{"format": 1', undefined])
    await withFolder({ ...TWO_GAMES, 'dist/index.json': index, 'dist/alpha/kept.json': {} }, async (cwd) => {
      if (index === undefined) await symlink('index.json', path.join(cwd, 'dist/index.json'));
      const { code, stdout, stderr } = await runGamedata(cwd, 'build', 'alpha');
      assert.equal([code, stdout], [1, '']);
      assert.match(
        stderr,
        `dist/index.json ${index ? `is not of format ${FORMAT}` : 'cannot be read: ELOOP'}`,
      );
      assert.equal(await readdir(path.join(cwd, 'dist/alpha')), ['kept.json']);
      assert.is((await runGamedata(cwd, 'build')).code, 0);
      assert.equal(await slugsIn(cwd), ['alpha', 'beta']);
    });
});

test('the index is written last: it does not change if a file cannot be written', async () => {
  await withFolder({ ...TWO_GAMES, file: 'a file' }, async (cwd) => {
    await runGamedata(cwd, 'build');
    const index = await readIndex(cwd);
    await writeFiles(cwd, { 'data/beta/game.json': { title: 'Gamma' } });
    await runGamedata(cwd, 'build', '--out', 'other');
    const changed = JSON.parse(await readFile(path.join(cwd, 'other', INDEX_FILE), 'utf8')) as Index;
    const target = changed.games[1]?.manifest.file ?? '';
    assert.is.not(target, index.games[1]?.manifest.file);
    // A file cannot replace a folder of its name.
    await mkdir(path.join(cwd, 'dist', target, 'in-the-way'), { recursive: true });
    const { code, stderr } = await runGamedata(cwd, 'build');
    assert.is(code, 1);
    assert.match(stderr, /gamedata: dist\/ cannot be written: .*\n$/);
    assert.equal(await readIndex(cwd), index);
    const left = Object.keys(await hashDist(cwd));
    assert.equal(
      left.filter((file) => file.endsWith('.tmp')),
      [],
    );
    assert.match(
      (await runGamedata(cwd, 'build', '--out', 'file')).stderr,
      /^gamedata: file\/ cannot be written: .*$/m,
    );
  });
});

/** Arguments that are wrong usage, and what is said. */
const MISUSES = table`
  build gamma                        | gamedata: no game gamma in data/; it has alpha, beta
  build alhpa                        | gamedata: no game alhpa in data/; did you mean alpha? It has alpha, beta
  build alpha ../data/beta           | no game ../data/beta in data/
  build --data nowhere               | gamedata: no folder nowhere/:
  build --data data/alpha/game.json  | no folder data/alpha/game.json/
  build --out data                   | --out data is inside the data folder data
  build --out data/alpha/1.0         | is inside the data folder
  build --jobs 0                     | expected a whole number, 1 or more
  build --time-limit 1.5             | expected a whole number, 1 or more
  build --unknown                    | unknown option '--unknown'
  build --formats excel              | or all
  check --format xml                 | Allowed choices are text, json
  prune --keep-days=-1               | expected a number of days
  publish https://cdn.example.org    | expected a folder, or s3://bucket/prefix
  publish s3://games --endpoint s3:9 | s3:9 is not the address of a store
  pull --build --publish=            | expected a folder, or s3://bucket/prefix
  rollback alpha --out data          | --out data is inside the data folder data
  bild                               | unknown command 'bild'
                                     | Usage: gamedata
`;
test('wrong usage is said, and nothing is written', async () => {
  await withFolder(TWO_GAMES, async (cwd) => {
    for (const [args = '', message = ''] of MISUSES) {
      const { code, stderr } = await runGamedata(cwd, ...args.split(' ').filter(Boolean));
      assert.is(code, 2, args);
      assert.ok(stderr.includes(message), `${args}: ${stderr}`);
    }
    assert.equal(await hashDist(cwd), {});
  });
});

test('help and version are not errors', async () => {
  await withFolder({}, async (cwd) => {
    for (const args of [['--help'], ['build', '--help'], ['--version']]) {
      const { code, stdout } = await runGamedata(cwd, ...args);
      assert.is(code, 0);
      assert.match(stdout, args[0] === '--version' ? /^\d+\.\d+\.\d+\n$/ : /^Usage: gamedata/);
    }
  });
});

test.run();
