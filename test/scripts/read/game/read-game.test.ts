import { chmod, symlink } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { locateFindings } from '../../../../scripts/check/report.ts';
import { compileGame } from '../../../../scripts/compile/game.ts';
import type { Json } from '../../../../scripts/format/dist-format.ts';
import { readInstant } from '../../../../scripts/read/schema.ts';
import {
  compileFiles,
  type Files,
  gameFiles,
  inFolder,
  placesOf,
  withFolder,
} from '../../../support/fixtures.ts';

const test = suite('game and build definitions');

/** A bad definition: its JSON, the place of its finding, and what the finding expects. */
type Bad = [json: Json | string, place: string, expected: RegExp];

const MAPPED = { title: 'Game', tables: { t: 't.json' } };
const badGames: Bad[] = [
  ['', 'json-syntax game.json:1', /well-formed JSON/],
  ['{\n"title": "Game",\n}', 'json-syntax game.json:3', /well-formed JSON/],
  ['[]', 'definition game.json:1', /a value of type object/],
  ['null', 'definition game.json:1', /a value of type object/],
  ['{}', 'definition game.json:1', /"title" to be present/],
  ['{\n"title": 1}', 'definition game.json:2 /title', /a value of type string/],
  [{ title: '' }, 'definition game.json:2 /title', /a text that is not empty/],
  [
    { title: 'Game', titel: 'Game' },
    'definition game.json:3 /titel',
    /^one of title, .*tables, roster, datasets, schemas, attributes, .*changes$/,
  ],
  [{ title: 'Game', tables: [] }, 'definition game.json:3 /tables', /a value of type object/],
  [
    { title: 'Game', tables: { 'a-b': 'a.json' } },
    'definition game.json:4 /tables/a-b',
    /letters, digits and _/,
  ],
  ...[1, '../t.json', 'a/../../t.json', '/etc/t.json', 'a\\t.json', 'a//t.json'].map(
    (t): Bad => [
      { title: 'Game', tables: { t } },
      'definition game.json:4 /tables/t',
      /a path inside the build's folder/,
    ],
  ),
  [
    { title: 'Game', tables: { t: { files: '../t.json' } } },
    'definition game.json:5 /tables/t/files',
    /a path inside the build's folder/,
  ],
  [
    { title: 'Game', tables: { t: { files: 't.json', at: 'x' } } },
    'definition game.json:6 /tables/t/at',
    /a JSON Pointer/,
  ],
  [
    { title: 'Game', tables: { t: { files: 't.json', keys: 'x' } } },
    'definition game.json:6 /tables/t/keys',
    /^one of files, at, optional, key, many, skip_keyless, format,/,
  ],
  [
    { title: 'Game', tables: { t: { files: 't.json', key: [] } } },
    'definition game.json:6 /tables/t/key',
    /the name of a field, or a list of names/,
  ],
  [{ title: 'Game', tables: { t: { at: '' } } }, 'definition game.json:4 /tables/t', /"files" to be present/],
  [
    { title: 'Game', tables: { t: { files: 't.csv', header: 0 } } },
    'definition game.json:6 /tables/t/header',
    /the line of the header row, from 1/,
  ],
  [
    { title: 'Game', tables: { t: { files: 't.csv', delimiter: '' } } },
    'definition game.json:6 /tables/t/delimiter',
    /a text that is not empty/,
  ],
  [
    { title: 'Game', tables: { t: { files: 't.csv', columns: { id: 'date' } } } },
    'definition game.json:7 /tables/t/columns/id',
    /one of string, number, boolean/,
  ],
  [
    { title: 'Game', tables: { t: { files: 't', format: 'xml' } } },
    'definition game.json:6 /tables/t/format',
    /one of json, jsonl, csv, tsv, yaml, kv/,
  ],
  [{ title: 'Game', roster: { from: 't' } }, 'definition game.json:3 /roster', /"entry" to be present/],
  [
    { ...MAPPED, roster: { from: 't', entry: 1 } },
    'definition game.json:8 /roster/entry',
    /an expression: a text, a list of its lines, or \{"file"/,
  ],
  [
    { ...MAPPED, roster: { from: 't', entry: [] } },
    'definition game.json:8 /roster/entry',
    /an expression: a text, a list of its lines, or \{"file"/,
  ],
  [
    { ...MAPPED, roster: { from: 't', entry: '$', name: 'x' } },
    'definition game.json:9 /roster/name',
    /one of from, where, entry, record/,
  ],
  [
    { title: 'Game', datasets: { d: { from: 't' } } },
    'definition game.json:4 /datasets/d',
    /an expression: .*"from"/,
  ],
  [{ title: 'Game', datasets: { d: true } }, 'definition game.json:4 /datasets/d', /an expression: .*"from"/],
  [
    { title: 'Game', roster: { from: 't', entry: '$' } },
    'mapping-tables game.json:4 /roster/from',
    /declared under "tables"/,
  ],
  [{ ...MAPPED, roster: { from: 'u', entry: '$' } }, 'mapping-tables game.json:7 /roster/from', /^one of t$/],
  [
    {
      title: 'Game',
      tables: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`table_${index}`, 't.json'])),
      roster: { from: 'tabel_7', entry: '$' },
    },
    'mapping-tables game.json:26 /roster/from',
    /^one of table_7, .* and 15 others$/,
  ],
  [
    { ...MAPPED, datasets: { d: { from: 'u', entry: '$' } } },
    'mapping-tables game.json:8 /datasets/d/from',
    /^one of t$/,
  ],
  [
    { ...MAPPED, datasets: { d: '$sum(' } },
    'expression-syntax game.json:7 /datasets/d',
    /JSONata expression/,
  ],
  [
    { ...MAPPED, datasets: { d: { from: 't', entry: '{' } } },
    'expression-syntax game.json:9 /datasets/d/entry',
    /JSONata/,
  ],
  [
    { ...MAPPED, roster: { from: 't', where: ')', entry: '$' } },
    'expression-syntax game.json:8 /roster/where',
    /JSONata/,
  ],
  [
    { ...MAPPED, roster: { from: 't', entry: '$', record: ['{', ' "a" 1 }'] } },
    'expression-syntax game.json:9 /roster/record',
    /JSONata/,
  ],
];
for (const [json, place, expected] of badGames) {
  test(`game.json ${JSON.stringify(json)} is the finding ${place}`, async () => {
    const { builds, findings } = await compileFiles(gameFiles({ 'game.json': json, '1.0/t.json': [] }));
    assert.equal(placesOf(findings), [place]);
    assert.match(findings[0]?.expected ?? '', expected);
    assert.equal(builds, []);
  });
}

test('an error in a mapping does not hide errors in the files', async () => {
  const { findings } = await compileFiles(
    gameFiles({
      'game.json': { title: 'Game', tables: { t: 't.json' }, roster: { from: 't', entry: '{' } },
      '1.0/t.json': '[',
    }),
  );
  assert.equal(placesOf(findings), [
    'json-syntax 1.0/t.json:1',
    'expression-syntax game.json:8 /roster/entry',
  ]);
});

test('a folder without a build.json is ignored with a warning', async () => {
  const { builds, findings } = await compileFiles(gameFiles({ '2.0/characters.json': [] }));
  assert.equal(placesOf(findings), ['build-definition 2.0:1']);
  assert.equal(builds.length, 1);
});

test('a folder without a build.json is not reported when game.json, which may name it, cannot be read', async () => {
  const { findings } = await compileFiles(
    gameFiles({ 'game.json': '{"title": "Game"', 'mapping/entry.jsonata': '{}' }),
  );
  assert.equal(placesOf(findings), ['json-syntax game.json:1']);
});

test('a hidden folder with a build.json is ignored with a warning; other hidden folders without one', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({ '.1.1/build.json': { released_at: '2026-01-02' }, '.cache/x/build.json': {} }),
  );
  assert.equal(placesOf(findings), ['build-definition .1.1:1']);
  assert.match(findings[0]?.found ?? '', 'a hidden folder with a build.json');
  assert.equal([findings[0]?.severity, builds.length], ['warning', 1]);
});

/** A link's name in a game's folder, its target, and the finding about it. */
const links: [name: string, target: string, finding: string[]][] = [
  ['1.1', '../elsewhere', ['build-definition 1.1:1']],
  ['1.1', '1.0', ['build-definition 1.1:1']],
  ['1.1', 'nowhere', ['build-definition 1.1:1']],
  ['readme.txt', 'game.json', []],
  ['1.0/raw', '../../elsewhere', ['table-files 1.0/raw:1']],
  ['1.0/raw/c.json', 'a.json', ['table-files 1.0/raw/c.json:1']],
  ['1.0/raw/c.json', 'nowhere', ['table-files 1.0/raw/c.json:1']],
  ['1.0/raw/c', '../raw', ['table-files 1.0/raw/c:1']],
  ['1.0/items.json', 'pull_planner.json', ['table-files 1.0/items.json:1']],
];
for (const [name, target, expected] of links) {
  test(`a link ${name} to ${target} is not followed and not silently ignored`, async () => {
    const raw = name === '1.0/raw' ? {} : { 'game/1.0/raw/a.json': { name: 'A' } };
    const tables = { t: { files: 'raw/**/*.json', optional: true } };
    const files = inFolder(
      'game',
      gameFiles({ 'game.json': { title: 'Game', tables, datasets: { d: 't' } } }),
    );
    const elsewhere = { 'elsewhere/build.json': { released_at: '2026-01-02' }, 'elsewhere/a.json': {} };
    await withFolder({ ...files, ...raw, ...elsewhere }, async (folder) => {
      await symlink(target, path.join(folder, 'game', name));
      const { value, findings } = await compileGame(path.join(folder, 'game'), 'game');
      const located = (await locateFindings(findings)).map(({ place, ...finding }) => ({
        ...finding,
        place: { ...place, file: path.relative(path.join(folder, 'game'), place.file) },
      }));
      assert.equal(placesOf(located), expected);
      assert.is(value === undefined, expected.length > 0);
    });
  });
}

test("a link instead of a game's folder is a finding", async () => {
  await withFolder(inFolder('elsewhere', gameFiles()), async (folder) => {
    await symlink('elsewhere', path.join(folder, 'game'));
    const { value, findings } = await compileGame(path.join(folder, 'game'), 'game');
    assert.is(value, undefined);
    assert.equal(
      findings.map(({ check, found }) => [check, found]),
      [['slug', "a link instead of a game's folder"]],
    );
  });
});

// Root can read everything.
for (const [name, finding] of process.getuid?.() === 0
  ? []
  : [
      ['1.0/raw', 'file-text 1.0/raw:1'],
      ['2.0', 'file-text 2.0/build.json:1'],
    ]) {
  test(`a folder ${name} without read permission is a finding`, async () => {
    const files = { '1.0/raw/a.json': {}, '2.0/build.json': { released_at: '2026-02-01' } };
    await withFolder(gameFiles(files), async (folder) => {
      const locked = path.join(folder, name as string);
      await chmod(locked, 0);
      const { findings } = await compileGame(folder, 'game').finally(() => chmod(locked, 0o755));
      assert.equal(
        placesOf(await locateFindings(findings)).map((place) => place.replace(`${folder}/`, '')),
        [finding],
      );
    });
  });
}

const badBuilds: Bad[] = [
  ['{"released_at": }', 'json-syntax 1.0/build.json:1', /well-formed JSON/],
  ['{}', 'definition 1.0/build.json:1', /"released_at" to be present/],
  [{ released_at: 1767225600 }, 'definition 1.0/build.json:2 /released_at', /ISO 8601/],
  [{ released_at: '2026-02-30' }, 'definition 1.0/build.json:2 /released_at', /ISO 8601/],
  [{ released_at: '2026-02-01T11:00:00' }, 'definition 1.0/build.json:2 /released_at', /with a time zone/],
  [
    { released_at: '2026-01-01', version: '1' },
    'definition 1.0/build.json:3 /version',
    /^one of released_at, released_in, note, from, package, removed, amended, carried, renamed, overrides$/,
  ],
  [{ released_at: '2026-01-01', note: '' }, 'definition 1.0/build.json:3 /note', /a text that is not empty/],
  [{ released_at: '2026-01-01', note: null }, 'definition 1.0/build.json:3 /note', /a value of type string/],
  [
    { released_at: '2026-01-01', removed: 'a.json' },
    'definition 1.0/build.json:3 /removed',
    /a value of type array/,
  ],
  [
    { released_at: '2026-01-01', removed: ['a.json', '../b.json'] },
    'definition 1.0/build.json:5 /removed/1',
    /without "\.", "\.\."/,
  ],
];
for (const [json, place, expected] of badBuilds) {
  test(`build.json ${JSON.stringify(json)} is the finding ${place}`, async () => {
    const { findings } = await compileFiles(gameFiles({ '1.0/build.json': json }));
    assert.equal(placesOf(findings), [place]);
    assert.match(findings[0]?.expected ?? '', expected);
  });
}

test('a misspelt member is reported with the nearest known one', async () => {
  for (const [member, near] of [
    ['rosters', 'roster'],
    ['dataset', 'datasets'],
  ]) {
    const { findings } = await compileFiles(gameFiles({ 'game.json': { title: 'Game', [`${member}`]: {} } }));
    assert.is(findings[0]?.found, `"${member}"; did you mean "${near}"?`);
  }
  for (const [parts, place] of [
    [{ roster: { form: 't', from: 't', entry: '$' } }, '/roster/form'],
    [{ tables: { t: { files: 't.json', kye: 'id' } } }, '/tables/t/kye'],
  ] as const) {
    const files = gameFiles({ 'game.json': { title: 'Game', tables: { t: 't.json' }, ...parts } });
    const { findings } = await compileFiles(files);
    const near = place.endsWith('form') ? 'from' : 'key';
    assert.equal(
      [findings[0]?.place.pointer, findings[0]?.found.split('; ')[1]],
      [place, `did you mean "${near}"?`],
    );
  }
});

test('a release in a region that game.json does not name is a finding; without "regions" all names are free', async () => {
  const build = { released_at: '2026-01-01', released_in: { kr: '2026-01-02', jpp: '2026-01-03' } };
  for (const [regions, places] of [
    [{ jp: 'jp/', kr: 'kr/' }, ['definition 1.0/build.json:5 /released_in/jpp']],
    [undefined, []],
  ] as const) {
    const game = { title: 'Game', ...(regions && { regions }) };
    const { findings } = await compileFiles(gameFiles({ 'game.json': game, '1.0/build.json': build }));
    assert.equal(placesOf(findings), places);
  }
});

for (const name of ['latest', 'b c', '-1', '_1', 'ü', 'a'.repeat(65)]) {
  test(`a build named ${JSON.stringify(name)} is a finding`, async () => {
    const { findings } = await compileFiles(
      gameFiles({ [`${name}/build.json`]: { released_at: '2026-01-02' } }),
    );
    assert.equal(placesOf(findings), [`build-name ${name}/build.json:1`]);
  });
}

test('builds are ordered by time, not by name, and their times are in UTC', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({
      'a/build.json': { released_at: '2026-01-03T01:30:00+09:00', note: 'Second.' },
      'b/build.json': { released_at: '2026-01-03T00:00:00.500Z' },
    }),
  );
  assert.equal(findings, []);
  assert.equal(
    builds.map(({ build, released_at, note }) => [build, released_at, note]),
    [
      ['1.0', '2026-01-01T00:00:00Z', null],
      ['a', '2026-01-02T16:30:00Z', 'Second.'],
      ['b', '2026-01-03T00:00:00.500Z', null],
    ],
  );
});

test('two builds with the same time are a finding, even in different time zones', async () => {
  const { findings } = await compileFiles(
    gameFiles({ '1.1/build.json': { released_at: '2026-01-01T09:00:00+09:00' } }),
  );
  assert.equal(placesOf(findings), ['build-order 1.1/build.json:2 /released_at']);
  assert.match(findings[0]?.found ?? '', 'which is also the time of 1.0');
});

test('a game without builds is a finding with an example of a build.json', async () => {
  const { findings } = await compileFiles({ 'game.json': { title: 'Game' } });
  assert.equal(placesOf(findings), ['build-definition game.json:1']);
  assert.match(findings[0]?.fix ?? '', '"released_at"');
});

test('definitions may contain comments and "$schema"', async () => {
  const files: Files = {
    'game.json': '// A game.\n{"$schema": "x", "title": "Game" /* short */}',
    '1.0/build.json': '{"$schema": "x",\n// first\n"released_at": "2026-01-01"}',
  };
  assert.equal((await compileFiles(gameFiles(files))).findings, []);
});

test('bytes that are not UTF-8 are a finding', async () => {
  const { findings } = await compileFiles(
    gameFiles({ 'game.json': Buffer.from('{"title": "Pokémon"}', 'latin1') }),
  );
  assert.equal(placesOf(findings), ['file-text game.json:1']);
  assert.match(findings[0]?.found ?? '', 'not UTF-8');
});

test('all findings about all definitions are reported together', async () => {
  const { findings } = await compileFiles(
    gameFiles({
      'game.json': { title: '', tables: { 'a-b': '../x' }, more: 1, roster: { entry: 1 } },
      '1.0/build.json': { released_at: 'yesterday', removed: ['..'], note: 1 },
      'latest/build.json': '{',
    }),
  );
  assert.equal(placesOf(findings), [
    'definition 1.0/build.json:2 /released_at',
    'definition 1.0/build.json:4 /removed/0',
    'definition 1.0/build.json:6 /note',
    'definition game.json:2 /title',
    'definition game.json:4 /tables/a-b',
    'definition game.json:4 /tables/a-b',
    'definition game.json:6 /more',
    'definition game.json:7 /roster',
    'definition game.json:8 /roster/entry',
    'build-name latest/build.json:1',
    'json-syntax latest/build.json:1',
  ]);
});

const instants: [text: string, utc: string | undefined][] = [
  ['2026-02-25', '2026-02-25T00:00:00Z'],
  ['2024-02-29', '2024-02-29T00:00:00Z'],
  ['2026-02-25T11:00Z', '2026-02-25T11:00:00Z'],
  ['2026-02-25T11:00:00Z', '2026-02-25T11:00:00Z'],
  ['2026-02-25T11:00:00.25Z', '2026-02-25T11:00:00.250Z'],
  ['2026-02-25T11:00:00.123456Z', '2026-02-25T11:00:00.123Z'],
  ['2026-02-25T11:00:00.1234567+00:00', '2026-02-25T11:00:00.123Z'],
  ['2026-02-25T11:00:00+08:00', '2026-02-25T03:00:00Z'],
  ['2026-02-25T23:00:00-05:30', '2026-02-26T04:30:00Z'],
  ['2026-02-30', undefined],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-04-31', undefined],
  ['2026-13-01', undefined],
  ['2026-00-01', undefined],
  ['2026-01-00', undefined],
  ['2026-01-01T25:00:00Z', undefined],
  ['2026-01-01T00:60:00Z', undefined],
  ['2026-02-25T11:00:00', undefined],
  ['2026-02-25 11:00:00Z', undefined],
  ['2026-2-5', undefined],
  ['2026', undefined],
  ['25.02.2026', undefined],
  ['9999-12-31T23:00:00-02:00', undefined],
  ['', undefined],
];
for (const [text, utc] of instants) {
  test(`the time ${JSON.stringify(text)} is ${utc ?? 'not valid'}`, () => assert.is(readInstant(text), utc));
}

test.run();
