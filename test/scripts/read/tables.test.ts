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
import { table, testFindings } from '../check/cases.ts';

const test = suite('tables');

/** A game whose only table is served as the dataset `rows`, one record per row. */
function gameOfTable(definition: Json, files: Files, entry = "{ 'id': $key, 'row': $ }"): Files {
  const game = { title: 'Game', tables: { t: definition }, datasets: { rows: { from: 't', entry } } };
  return gameFiles({ 'game.json': game, ...files });
}

const [A, B] = [gzipSync('1'), '2'];
const SKILLS = 'unit,name\nb,x\na,y\nb,z\n';
/** A table, its files in build 1.0, and the rows by their keys. */
const TABLES: [what: string, definition: Json, files: Files, rows: Record<string, Json>][] = [
  ['a list', 'raw/t (1).json', { 'raw/t (1).json': ['x', 'y'] }, { 0: 'x', 1: 'y' }],
  [
    'part of a file',
    { files: 'raw/t.json', at: '/a~1b/1/~0' },
    { 'raw/t.json': { 'a/b': [0, { '~': ['x'] }] } },
    { 0: 'x' },
  ],
  [
    'a file for each row, in natural order',
    'en/**/*.json',
    { 'en/u-10.json': 10, 'en/u-2.json': 2, 'en/deep/constructor.json': 1, 'ja/u-2.json': 3 },
    { constructor: 1, 'u-2': 2, 'u-10': 10 } as never,
  ],
  ['compressed files', 'raw/*', { 'raw/a.json.gz': A, 'raw/b.yaml': B }, { a: 1, b: 2 }],
  [
    'keyed lists in several files',
    { files: 'raw/*.json', key: 'n' },
    { 'raw/a.json': [{ n: 10.5 }], 'raw/b.json': [{ n: 1.5 }] },
    { '1.5': { n: 1.5 }, '10.5': { n: 10.5 } },
  ],
  [
    'keyed by several fields; rows without them are left out',
    { files: 'raw/t.json', key: ['id', 'n'], skip_keyless: true },
    { 'raw/t.json': [{ id: 'a', n: 1 }, { id: null }, { id: '' }, {}] },
    { 'a:1': { id: 'a', n: 1 } },
  ],
  [
    'with many rows for a key',
    { files: 'raw/t.csv', key: 'unit', many: true },
    { 'raw/t.csv': SKILLS },
    {
      a: [{ unit: 'a', name: 'y' }],
      b: [
        { unit: 'b', name: 'x' },
        { unit: 'b', name: 'z' },
      ],
    },
  ],
  ['in a declared format', { files: 'raw/t.txt', format: 'json' }, { 'raw/t.txt': '["x"]' }, { 0: 'x' }],
];
for (const [what, definition, files, rows] of TABLES)
  test(`a table is ${what}`, async () => {
    const { builds, findings } = await compileFiles(gameOfTable(definition, inFolder('1.0', files)));
    assert.equal(findings, []);
    // A list from JSONata that has one element is this element.
    const expected = Object.entries(rows).map(([id, row]) => ({ id, row }));
    assert.equal(builds[0]?.datasets.rows, expected);
  });

test('a join is a look-up; with "many" it gives a list', async () => {
  const game = {
    title: 'Game',
    tables: {
      units: 'raw/units.csv',
      hp: { files: 'raw/hp.csv', key: ['unit', 'rank'] },
      skills: { files: 'raw/skills.csv', key: 'unit', many: true },
    },
    datasets: {
      rows: {
        from: 'units',
        entry:
          "{ 'id': id, 'hp': $lookup($tables.hp, id & ':5').hp, 's': [$lookup($tables.skills, id).name] }",
      },
    },
  };
  const files = {
    'raw/units.csv': 'id\na\nb\nc\n',
    'raw/hp.csv': 'unit,rank,hp\na,1,10\na,5,50\n',
    'raw/skills.csv': SKILLS,
  };
  const { builds, findings } = await compileFiles(
    gameFiles({ 'game.json': game, ...inFolder('1.0', files) }),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.datasets.rows, [
    { id: 'a', hp: 50, s: ['y'] },
    { id: 'b', s: ['x', 'z'] },
    { id: 'c', s: [] },
  ]);
});

const SECOND: Files = { '1.1/build.json': { released_at: '2026-01-02' } };
const raw = (content: Json | Buffer): Files => ({ '1.0/raw/t.json': content });
const CSV = 'id,rank:number,n:number\na,1,1\n,1,1\na,2,1\nb,,1\na,1,1\nc:d,1,1\nz,1,x\n';
const FAULTS: [what: string, definition: Json, files: Files, findings: string[], found?: RegExp][] = [
  ...['/b', '/a/1', '/a/length', '/constructor', '/__proto__'].map((at): (typeof FAULTS)[number] => [
    `a pointer ${at} to nothing, in two builds`,
    { files: 'raw/t.json', at },
    { ...raw('{\n"a":\n["x"]}'), ...SECOND },
    [`${at === '/a/length' ? 'shape' : 'table-files'} 1.0/raw/t.json:${at.startsWith('/a') ? 2 : 1} ${at}`],
  ]),
  [
    'two files with one stem',
    '*/*.json',
    { '1.0/a/x.json': 1, '1.0/b/x.json': 2 },
    ['table-files 1.0/b/x.json:1'],
    /; the first is .*1\.0\/a\/x\.json/,
  ],
  [
    'several bad files',
    'en/*.json',
    {
      '1.0/en/a.json': '{\n"a"}',
      '1.0/en/b.json': '1',
      '1.0/en/c.json': '',
      '1.0/en/d.json': Buffer.from([0xff]),
    },
    ['file-syntax 1.0/en/a.json:2', 'file-syntax 1.0/en/c.json:1', 'file-text 1.0/en/d.json:1'],
  ],
  [
    'no file',
    'raw/t.json',
    {},
    ['table-files game.json:4 /tables/t'],
    /^no file "raw\/t.json" in build 1.0 or before it$/,
  ],
  ['no file, optional', { files: 'raw/t.json', optional: true }, {}, []],
  ['an unknown format', 'raw/t.xml', { '1.0/raw/t.xml': '<x/>' }, ['file-text 1.0/raw/t.xml:1']],
  [
    'a key in two files',
    { files: 'raw/*.json', key: 'id' },
    { '1.0/raw/a.json': [{ id: 'x' }], '1.0/raw/b.json': '[{"id": "z"},\n{"id": "x"}]' },
    ['table-key 1.0/raw/b.json:2 /1'],
  ],
  [
    'bad keys',
    { files: 'raw/t.csv', key: ['id', 'rank'] },
    { '1.0/raw/t.csv': CSV },
    [
      ...['3 /1', '5 /3', '6 /4', '7 /5'].map((place) => `table-key 1.0/raw/t.csv:${place}`),
      'file-syntax 1.0/raw/t.csv:8 /6/n',
    ],
    /^nothing as "id"$/,
  ],
  [
    'a misspelt key',
    { files: 'raw/t.json', key: 'unit_ids' },
    raw('[{"unit_id": 1, "name": "Ann"}]'),
    ['table-key 1.0/raw/t.json:1 /0'],
    /^nothing as "unit_ids"; did you mean "unit_id"\?$/,
  ],
  ...['{1..1000000000}.json', '{a,b}'.repeat(40), '{raw,..}/x.json', '{(})'].map(
    (pattern): (typeof FAULTS)[number] => [
      `the pattern ${pattern.slice(0, 24)}`,
      pattern,
      {},
      ['table-files game.json:4 /tables/t'],
    ],
  ),
];
for (const [what, definition, files, findings, found] of FAULTS)
  testFindings(test, `a table of ${what}`, gameOfTable(definition, files), findings, found);

testFindings(
  test,
  'a finding about a row of a keyed table names the place of the row',
  gameOfTable(
    { files: 'raw/t.txt', format: 'csv', delimiter: ';', key: 'id' },
    { '1.0/raw/t.txt': 'id;a\nx;"1\n2"\ny;1\n' },
    "$error('no')",
  ),
  ['expression-result 1.0/raw/t.txt:2 /0', 'expression-result 1.0/raw/t.txt:4 /1'],
);
testFindings(
  test,
  'a finding about a record has its line, in every format',
  {
    '1.0/a.jsonl': '{"id": "a"}\n{"id": 1.5}\n{"x": 1}\n',
    '1.0/b.yaml': '- id: a\n- x:\n    - 1\n- id: a\n',
    '1.0/c.tsv': 'id\tx\na\t1\n\t2\n',
    '1.0/d.csv.gz': gzipSync('id,x\na,1\na,2\n'),
  },
  ['a.jsonl:3 /2', 'b.yaml:2 /1', 'b.yaml:4 /2', 'c.tsv:3 /1', 'd.csv.gz:3 /1'].map(
    (place) => `ids 1.0/${place}/id`,
  ),
);

test('a finding about the keys of a table says what to declare', async () => {
  const definition = { files: 'raw/t.csv', key: ['id', 'rank'] };
  const { findings } = await compileFiles(gameOfTable(definition, { '1.0/raw/t.csv': CSV }));
  assert.match(findings[0]?.fix ?? '', '"skip_keyless": true');
  assert.match(findings[2]?.fix ?? '', '"many": true');
});

test('a build has the files of the build before it, except those that it replaces or removes', async () => {
  const files: Files = {
    '1.0/en/a.json': 1,
    '1.0/en/b.json': 1,
    '1.0/items.json': [{ id: 'i' }],
    ...SECOND,
    '1.1/en/b.json': 2,
    '1.1/en/c.json': 2,
    '1.2/build.json': {
      released_at: '2026-01-03',
      removed: ['en/a.json', 'items.json'],
      overrides: [{ check: 'dataset-gone', of: 'items', reason: 'Its file is removed.' }],
    },
    '1.3/build.json': { released_at: '2026-01-04' },
    '1.3/en/a.json': 3,
  };
  const { builds, findings } = await compileFiles(gameOfTable('en/*.json', files));
  assert.equal(findings, []);
  const rows = builds.map(({ datasets }) =>
    (datasets.rows as { id: string; row: number }[]).map(({ id, row }) => id + row).join(),
  );
  assert.equal(rows, ['a1,b1', 'a1,b2,c2', 'b2,c2', 'a3,b2,c2']);
  assert.equal(
    builds.map(({ datasets }) => 'items' in datasets),
    [true, true, false, false],
  );
});

const removes = (...removed: string[]): Files => ({
  '1.1/build.json': { released_at: '2026-01-02', removed },
});
const BUILDS: [what: string, files: Files, findings: string[]][] = [
  [
    'removes a file that it adds',
    { ...removes('a.json'), '1.1/a.json': [] },
    ['removed-files 1.1/build.json:4 /removed/0'],
  ],
  [
    'removes a file that no build had',
    removes('charactres.json'),
    ['removed-files 1.1/build.json:4 /removed/0'],
  ],
  ['has a file that is no dataset', { '1.0/Read-Me.json': { a: 1 } }, ['dataset-file 1.0/Read-Me.json:1']],
  [
    'has a second file of a dataset',
    { '1.0/items.csv': 'id\na\n', ...SECOND, '1.1/items.json': [{ id: 'b' }] },
    ['dataset-file 1.1/items.json:1'],
  ],
];
for (const [what, files, findings] of BUILDS) testFindings(test, `a build that ${what}`, files, findings);

test('if a build removes the file of a table, the finding says that the dump may be incomplete or have another root', async () => {
  const { findings } = await compileFiles(
    gameOfTable('raw/units.json', { '1.0/raw/units.json': [], ...removes('raw/units.json') }),
  );
  assert.equal(placesOf(findings), ['table-files game.json:4 /tables/t']);
  assert.match(
    findings[0]?.fix ?? '',
    /remove the build and add the dump again \(gamedata add, --partial for an incomplete dump\); if the game no longer has it, .*"changes": \{"from": "1\.1", "tables": \{"t": null\}\}$/,
  );
});

const OUTSIDE = table`
  ..{/,x}..{/,x}secret/*.json
  {/,x}**/secret/x.json
  raw/{a,{b,../../..}}/secret/*.json
  [.][.]/[.][.]/secret/*.json
  !(x)/{.,}./../secret/*.json
  **/**/**/**/**/**/**/**/{..,x}/secret/*.json
  **/linked/**
  linked/x.json
`;
for (const [pattern = ''] of OUTSIDE)
  test(`files that "${pattern}" reaches outside of the build's folder are never read`, async () => {
    const files = inFolder('data/game', gameOfTable(pattern, {}));
    const secrets = { 'secret/x.json': [{ name: 'SECRET' }], 'secret/hidden.json': [{ name: 'SECRET' }] };
    await withFolder({ ...files, ...secrets }, async (folder) => {
      const outside = path.join(folder, 'secret');
      await symlink(outside, path.join(folder, 'data/game/1.0/linked'));
      await symlink(outside, path.join(folder, 'data/secret'));
      const { value, findings } = await compileGame(path.join(folder, 'data/game'), 'game');
      assert.ok(findings.some(({ severity }) => severity === 'error'));
      assert.not.match(JSON.stringify(findings), /hidden/, 'names of files outside');
      assert.not.ok(findings.some(({ check }) => check === 'internal-error'));
      assert.not.match([...(value?.files.values() ?? [])].map(String).join(), /SECRET/);
    });
  });

test.run();
