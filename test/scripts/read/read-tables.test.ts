import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGame } from '../../../scripts/compile/game.ts';
import type { Json } from '../../../scripts/format/dist-format.ts';
import {
  compileFiles,
  type Files,
  gameFiles,
  inFolder,
  placesOf,
  withFolder,
} from '../../support/fixtures.ts';

const test = suite('tables');

/** A game whose only table is served as the dataset `rows`, one record per row. */
function gameOfTable(table: Json, files: Files, entry = "{ 'id': $key, 'row': $ }"): Files {
  const definition = { title: 'Game', tables: { t: table }, datasets: { rows: { from: 't', entry } } };
  return gameFiles({ 'game.json': definition, ...files });
}

async function rowsOf(table: Json, files: Files): Promise<Json | undefined> {
  const { builds, findings } = await compileFiles(gameOfTable(table, files));
  assert.equal(findings, []);
  return builds.at(-1)?.datasets.rows;
}

test('a table is a list or an object of rows', async () => {
  const expected = [
    { id: '0', row: 'x' },
    { id: '1', row: 'y' },
  ];
  assert.equal(await rowsOf('raw/t.json', { '1.0/raw/t.json': ['x', 'y'] }), expected);
  assert.equal(await rowsOf('raw/t.json', { '1.0/raw/t.json': { 0: 'x', 1: 'y' } }), expected);
});

test('a table can be part of its file', async () => {
  const table = { files: 'raw/t.json', at: '/a~1b/1/~0' };
  assert.equal(await rowsOf(table, { '1.0/raw/t.json': { 'a/b': [0, { '~': ['x'] }] } }), [
    { id: '0', row: 'x' },
  ]);
});

for (const at of ['/b', '/a/1', '/a/length', '/constructor', '/__proto__']) {
  test(`a pointer "${at}" to nothing is a finding in the file, once for all builds`, async () => {
    const { findings } = await compileFiles(
      gameOfTable(
        { files: 'raw/t.json', at },
        { '1.0/raw/t.json': '{\n"a":\n["x"]}', '1.1/build.json': { released_at: '2026-01-02' } },
      ),
    );
    assert.is(findings.length, 1);
    assert.equal(findings[0]?.place, {
      file: '1.0/raw/t.json',
      pointer: at,
      line: at.startsWith('/a') ? 2 : 1,
    });
  });
}

test('a table with one file per row is keyed by file stem, in natural order', async () => {
  const rows = await rowsOf('en/**/*.json', {
    '1.0/en/u-10.json': 10,
    '1.0/en/u-2.json': 2,
    '1.0/en/deep/__proto__.json': 0,
    '1.0/en/constructor.json': 1,
    '1.0/ja/u-2.json': 3,
  });
  assert.equal(rows, [
    { id: '__proto__', row: 0 },
    { id: 'constructor', row: 1 },
    { id: 'u-2', row: 2 },
    { id: 'u-10', row: 10 },
  ]);
});

test('two files with the same stem in a table are a finding', async () => {
  const { findings } = await compileFiles(gameOfTable('*/*.json', { '1.0/a/x.json': 1, '1.0/b/x.json': 2 }));
  assert.equal(placesOf(findings), ['table-files 1.0/b/x.json:1']);
  assert.match(findings[0]?.found ?? '', '; the first is 1.0/a/x.json');
});

test('each of several bad files is reported', async () => {
  const { findings } = await compileFiles(
    gameOfTable('en/*.json', {
      '1.0/en/a.json': '{\n"a"}',
      '1.0/en/b.json': '1',
      '1.0/en/c.json': '',
      '1.0/en/d.csv': 'id',
      '1.0/en/e.json': Buffer.from([0xff]),
    }),
  );
  assert.equal(placesOf(findings), [
    'json-syntax 1.0/en/a.json:2',
    'json-syntax 1.0/en/c.json:1',
    'file-text 1.0/en/e.json:1',
  ]);
});

test('a missing table is a finding at its declaration; a missing optional table is not', async () => {
  const { findings } = await compileFiles(gameOfTable('raw/t.json', {}));
  assert.equal(placesOf(findings), ['table-files game.json:4 /tables/t']);
  assert.is(findings[0]?.found, 'no file "raw/t.json" in build 1.0 or before it');

  const optional = await compileFiles(gameOfTable({ files: 'raw/t.json', optional: true }, {}));
  assert.equal(optional.findings, []);
  assert.not.ok('rows' in (optional.builds[0]?.datasets ?? {}));
});

test('a CSV file can be a table', async () => {
  assert.equal(await rowsOf('raw/t.csv', { '1.0/raw/t.csv': 'a\n1\n' }), [{ id: '0', row: { a: 1 } }]);
});

test('files that no table names are served, in every format', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({
      '1.0/characters.json': undefined,
      '1.0/characters.yaml': '- id: ann\n  name: Ann\n',
      '1.0/items.jsonl': '{"id": "b"}\n{"id": "a"}\n',
      '1.0/gear.tsv': 'id\tstats.hp\ng\t1\n',
      '1.0/texts.properties': 'a=b\n',
      '1.0/skins.yml.gz': gzipSync('list:\n- id: s\n'),
    }),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.characters, [{ id: 'ann', name: 'Ann' }]);
  const { pull_planner, ...datasets } = builds[0]?.datasets ?? {};
  assert.equal(datasets, {
    gear: [{ id: 'g', stats: { hp: 1 } }],
    items: [{ id: 'a' }, { id: 'b' }],
    skins: [{ id: 's' }],
    texts: { a: 'b' },
  });
});

test('a finding about a record has its line, in every format', async () => {
  const { findings } = await compileFiles(
    gameFiles({
      '1.0/a.jsonl': '{"id": "a"}\n{"id": 1.5}\n{"x": 1}\n',
      '1.0/b.yaml': '- id: a\n- x:\n    - 1\n- id: a\n',
      '1.0/c.tsv': 'id\tx\na\t1\n\t2\n',
      '1.0/d.csv.gz': gzipSync('id,x\na,1\na,2\n'),
    }),
  );
  assert.equal(placesOf(findings), [
    'ids 1.0/a.jsonl:3 /2/id',
    'ids 1.0/b.yaml:2 /1/id',
    'ids 1.0/b.yaml:4 /2/id',
    'ids 1.0/c.tsv:3 /1/id',
    'ids 1.0/d.csv.gz:3 /1/id',
  ]);
});

test('a table can declare its format, and two tables can read one file in two formats', async () => {
  const definition = {
    title: 'Game',
    tables: {
      list: { files: 'raw/t.txt', format: 'json' },
      lines: { files: 'raw/t.txt', format: 'csv', header: ['line'], quote: '' },
    },
    datasets: { list: 'list', lines: 'lines' },
  };
  const { builds, findings } = await compileFiles(
    gameFiles({ 'game.json': definition, '1.0/raw/t.txt': '[{"a":1}]' }),
  );
  assert.equal(findings, []);
  assert.equal([builds[0]?.datasets.list, builds[0]?.datasets.lines], [[{ a: 1 }], [{ line: '[{"a":1}]' }]]);
});

test('an option that the format of a file does not have is a finding where it is declared', async () => {
  const table = { files: 'raw/t.json', delimiter: ';' };
  const { findings } = await compileFiles(gameOfTable(table, { '1.0/raw/t.json': ['x'] }));
  assert.equal(placesOf(findings), ['definition game.json:6 /tables/t/delimiter']);
});

test('a table of an unknown format is a finding that lists the known ones', async () => {
  const { findings } = await compileFiles(gameOfTable('raw/t.xml', { '1.0/raw/t.xml': '<x/>' }));
  assert.equal(placesOf(findings), ['file-text 1.0/raw/t.xml:1']);
  assert.match(findings[0]?.expected ?? '', '.json, .jsonl, .ndjson, .csv, .tsv, .yaml');
});

test('a table of compressed files is keyed by their stems', async () => {
  const files = { '1.0/raw/a.json.gz': gzipSync('1'), '1.0/raw/b.yaml': '2' };
  assert.equal(await rowsOf('raw/*', files), [
    { id: 'a', row: 1 },
    { id: 'b', row: 2 },
  ]);
});

const SECOND: Files = { '1.1/build.json': { released_at: '2026-01-02' } };

test('a build has the files of the build before it, except those that it replaces', async () => {
  const { builds, findings } = await compileFiles(
    gameOfTable('en/*.json', {
      '1.0/en/a.json': 1,
      '1.0/en/b.json': 1,
      '1.0/items.json': [{ id: 'i' }],
      ...SECOND,
      '1.1/en/b.json': 2,
      '1.1/en/c.json': 2,
      '1.2/build.json': { released_at: '2026-01-03' },
      '1.2/items.json': [{ id: 'j' }],
    }),
  );
  assert.equal(findings, []);
  assert.equal(
    builds.map(({ build, datasets }) => [build, datasets.rows, datasets.items]),
    [
      [
        '1.0',
        [
          { id: 'a', row: 1 },
          { id: 'b', row: 1 },
        ],
        [{ id: 'i' }],
      ],
      [
        '1.1',
        [
          { id: 'a', row: 1 },
          { id: 'b', row: 2 },
          { id: 'c', row: 2 },
        ],
        [{ id: 'i' }],
      ],
      [
        '1.2',
        [
          { id: 'a', row: 1 },
          { id: 'b', row: 2 },
          { id: 'c', row: 2 },
        ],
        [{ id: 'j' }],
      ],
    ],
  );
});

test('if a build removes the file of a table, the finding says that the dump may be incomplete or have another root', async () => {
  const { findings } = await compileFiles(
    gameFiles({
      'game.json': { title: 'Game', tables: { units: 'raw/units.json' } },
      '1.0/raw/units.json': [],
      '1.1/build.json': { released_at: '2026-01-02', removed: ['raw/units.json'] },
    }),
  );
  assert.equal(placesOf(findings), ['table-files game.json:4 /tables/units']);
  assert.is(
    findings[0]?.fix,
    'if the dump lacks the file by mistake, or has it in another folder, remove the build and add the dump again (gamedata add, --partial for an incomplete dump); if the game no longer has it, remove the table and its datasets with "changes": {"from": "1.1", "tables": {"units": null}}',
  );
});

test('a removed file is gone from its build on, and may come back', async () => {
  const { builds, findings } = await compileFiles(
    gameOfTable('en/*.json', {
      '1.0/en/a.json': 1,
      '1.0/en/b.json': 1,
      '1.0/items.json': [{ id: 'i' }],
      '1.1/build.json': {
        released_at: '2026-01-02',
        removed: ['en/a.json', 'items.json'],
        overrides: [{ check: 'dataset-gone', of: 'items', reason: 'Its file is removed.' }],
      },
      '1.2/build.json': { released_at: '2026-01-03' },
      '1.3/build.json': { released_at: '2026-01-04' },
      '1.3/en/a.json': 3,
    }),
  );
  assert.equal(findings, []);
  assert.equal(
    builds.map(({ datasets }) => [
      (datasets.rows as { id: string }[]).map(({ id }) => id).join(),
      'items' in datasets,
    ]),
    [
      ['a,b', true],
      ['b', false],
      ['b', false],
      ['a,b', false],
    ],
  );
});

for (const pattern of [
  '..{/,x}..{/,x}secret/*.json',
  '.{./,.}/{.,.}./secret/x.json',
  '{..,x}/{..,x}/secret/*.json',
  '{/,x}**/secret/x.json',
  'raw/{a,{b,../../..}}/secret/*.json',
  '@(..)/@(..)/secret/*.json',
  '[.][.]/[.][.]/secret/*.json',
  '!(x)/../../secret/*.json'.replace('/..', '/{.,}.'),
  `${'**/'.repeat(60)}{..,x}/secret/*.json`,
  '**/linked/**',
  'linked/x.json',
  'linked/*.json',
]) {
  test(`files that "${pattern}" reaches outside of the build's folder are never read`, async () => {
    const files = inFolder(
      'data/game',
      gameFiles({ 'game.json': { title: 'Game', tables: { t: pattern }, datasets: { d: 't' } } }),
    );
    const secrets = { 'secret/x.json': [{ name: 'SECRET' }], 'secret/hidden.json': [{ name: 'SECRET' }] };
    await withFolder({ ...files, ...secrets }, async (folder) => {
      const outside = path.join(folder, 'secret');
      await symlink(outside, path.join(folder, 'data/game/1.0/linked'));
      await symlink(outside, path.join(folder, 'data/secret'));
      const { value, findings } = await compileGame(path.join(folder, 'data/game'), 'game');
      assert.ok(findings.some(({ severity }) => severity === 'error'));
      assert.not.match(JSON.stringify(findings), /hidden/, 'names of files outside');
      assert.not.ok(findings.some(({ check }) => check === 'internal-error'));
      const published = [...(value?.files.values() ?? [])].map(String).join();
      assert.not.match(published, /SECRET/);
    });
  });
}

for (const pattern of ['{1..1000000000}.json', '{a,b}'.repeat(40), '{raw,..}/x.json', '{(})']) {
  test(`a table whose files are "${pattern.slice(0, 24)}" is one finding, at the table`, async () => {
    const { findings } = await compileFiles(
      gameFiles({ 'game.json': { title: 'Game', tables: { t: pattern }, datasets: { d: 't' } } }),
    );
    assert.equal(placesOf(findings), ['table-files game.json:4 /tables/t']);
  });
}

test('removing a file that the same build adds is a finding', async () => {
  const { findings } = await compileFiles(
    gameFiles({ '1.1/build.json': { released_at: '2026-01-02', removed: ['a.json'] }, '1.1/a.json': [] }),
  );
  assert.equal(placesOf(findings), ['removed-files 1.1/build.json:4 /removed/0']);
});

test('removing a file that no earlier build had is a warning', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({ '1.1/build.json': { released_at: '2026-01-02', removed: ['charactres.json'] } }),
  );
  assert.equal(placesOf(findings), ['removed-files 1.1/build.json:4 /removed/0']);
  assert.equal([findings[0]?.severity, builds.length], ['warning', 2]);
});

test('an optional table may be missing in one build and exist in the next', async () => {
  const { builds, findings } = await compileFiles(
    gameOfTable({ files: 'raw/t.json', optional: true }, { ...SECOND, '1.1/raw/t.json': ['x'] }),
  );
  assert.equal(findings, []);
  assert.equal(
    builds.map(({ datasets }) => 'rows' in datasets),
    [false, true],
  );
});

test('a file without a table whose name is not a dataset key is ignored with a warning', async () => {
  const { builds, findings } = await compileFiles(gameFiles({ '1.0/Read-Me.json': { a: 1 } }));
  assert.equal(placesOf(findings), ['dataset-file 1.0/Read-Me.json:1']);
  assert.is(findings[0]?.severity, 'warning');
  assert.equal(Object.keys(builds[0]?.datasets ?? {}), ['pull_planner']);
});

test('two files for one dataset are a finding, even from two builds', async () => {
  const { findings } = await compileFiles(
    gameFiles({ '1.0/items.csv': 'id\na\n', ...SECOND, '1.1/items.json': [{ id: 'b' }] }),
  );
  assert.equal(placesOf(findings), ['dataset-file 1.1/items.json:1']);
  assert.is(findings[0]?.expected, 'one file for each dataset, in any format');
});

test.run();
