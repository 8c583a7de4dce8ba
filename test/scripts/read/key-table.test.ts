import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';

const test = suite('keyed tables');

/** A game whose dataset `rows` has the keys of a table as its ids. */
function gameOfTable(table: Json, files: Files): Files {
  const definition = {
    title: 'Game',
    tables: { t: table },
    datasets: { rows: { from: 't', entry: "{ 'id': $key }" } },
  };
  return gameFiles({ 'game.json': definition, ...files });
}

async function keysOf(table: Json, files: Files): Promise<string[]> {
  const { builds, findings } = await compileFiles(gameOfTable(table, files));
  assert.equal(findings, []);
  return ((builds[0]?.datasets.rows ?? []) as { id: string }[]).map(({ id }) => id);
}

test('a table is keyed by the values of its fields, so that a join is a look-up', async () => {
  const definition = {
    title: 'Game',
    tables: { units: 'raw/units.csv', ranks: { files: 'raw/ranks.csv', key: ['unit', 'rank'] } },
    datasets: { rows: { from: 'units', entry: "{ 'id': id, 'hp': $lookup($tables.ranks, id & ':5').hp }" } },
  };
  const { builds, findings } = await compileFiles(
    gameFiles({
      'game.json': definition,
      '1.0/raw/units.csv': 'id\n7\n8\n',
      '1.0/raw/ranks.csv': 'unit,rank,hp\n7,1,10\n7,5,50\n8,5,60\n',
    }),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.datasets.rows, [
    { id: '7', hp: 50 },
    { id: '8', hp: 60 },
  ]);
});

test('files with lists of rows are one table, and each row has its place', async () => {
  const files = { '1.0/raw/a.json': [{ id: 'x' }, { id: 'y' }], '1.0/raw/b.json': [{ id: 'z' }] };
  const table = { files: 'raw/*.json', key: 'id' };
  assert.equal(await keysOf(table, files), ['x', 'y', 'z']);
  const twice = { ...files, '1.0/raw/b.json': [{ id: 'z' }, { id: 'y' }] };
  const { findings } = await compileFiles(gameOfTable(table, twice));
  assert.equal(placesOf(findings), ['table-key 1.0/raw/b.json:5 /1']);
});

test('rows without the key are left out if the table says so', async () => {
  const rows = [{ id: 'a', n: 1 }, { id: null }, { id: '' }, {}, { id: 'b', n: 2 }];
  const table = { files: 'raw/t.json', key: 'id', skip_keyless: true };
  assert.equal(await keysOf(table, { '1.0/raw/t.json': rows }), ['a', 'b']);
  assert.equal(await keysOf({ ...table, key: ['id', 'n'] }, { '1.0/raw/t.json': rows }), ['a:1', 'b:2']);
  const { findings } = await compileFiles(gameOfTable(table, { '1.0/raw/t.json': [{ id: true }] }));
  assert.equal(placesOf(findings), ['table-key 1.0/raw/t.json:2 /0']);
});

test('keys are texts or numbers, from a field or a pointer, for lists, objects and files', async () => {
  const list = [{ id: '1' }, { id: 'constructor' }, { id: '__proto__' }];
  assert.equal(await keysOf({ files: 'raw/t.json', key: 'id' }, { '1.0/raw/t.json': list }), [
    '1',
    '__proto__',
    'constructor',
  ]);
  assert.equal(
    await keysOf({ files: 'raw/t.json', key: 'n' }, { '1.0/raw/t.json': [{ n: 10 }, { n: 1.5 }] }),
    ['1.5', '10'],
  );
  const nested = { x: { 'a/b': [0], meta: { id: 'k' } } };
  assert.equal(await keysOf({ files: 'raw/t.json', key: '/meta/id' }, { '1.0/raw/t.json': nested }), ['k']);
  const files = { '1.0/raw/a.yaml': 'a.b: u1\n', '1.0/raw/b.yaml': 'a.b: u2\n' };
  assert.equal(await keysOf({ files: 'raw/*.yaml', key: 'a.b' }, files), ['u1', 'u2']);
});

test('with "many", several rows may have the same key, and each key has a list', async () => {
  const definition = {
    title: 'Game',
    tables: {
      units: 'raw/units.json',
      skills: { files: 'raw/skills.csv', key: 'unit', many: true },
    },
    datasets: {
      rows: { from: 'units', entry: "{ 'id': id, 'skills': [$lookup($tables.skills, id).name] }" },
      skills: { from: 'skills', entry: "{ 'id': $key, 'count': $count($) }" },
    },
  };
  const files = {
    'game.json': definition,
    '1.0/raw/units.json': [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    '1.0/raw/skills.csv': 'unit,name\nb,x\na,y\nb,z\n',
  };
  const { builds, findings } = await compileFiles(gameFiles(files));
  assert.equal(findings, []);
  assert.equal(builds[0]?.datasets.rows, [
    { id: 'a', skills: ['y'] },
    { id: 'b', skills: ['x', 'z'] },
    { id: 'c', skills: [] },
  ]);
  assert.equal(builds[0]?.datasets.skills, [
    { id: 'a', count: 1 },
    { id: 'b', count: 2 },
  ]);
  const unkeyed = {
    ...definition,
    tables: { ...definition.tables, skills: { files: 'raw/skills.csv', many: true } },
  };
  const refused = await compileFiles(gameFiles({ ...files, 'game.json': unkeyed }));
  assert.equal(placesOf(refused.findings), ['definition game.json:5 /tables/skills']);
  assert.is(refused.findings[0]?.found, '"many" without "key"');
});

test('each row without the key and each second row with the same key is a finding with its line', async () => {
  const table = { files: 'raw/t.csv', key: ['id', 'rank'] };
  const csv = 'id,rank:number,n:number\na,1,1\n,1,1\na,2,1\nb,,1\na,1,1\nc:d,1,1\nz,1,x\n';
  const { findings } = await compileFiles(gameOfTable(table, { '1.0/raw/t.csv': csv }));
  assert.equal(placesOf(findings), [
    'table-key 1.0/raw/t.csv:3 /1',
    'table-key 1.0/raw/t.csv:5 /3',
    'table-key 1.0/raw/t.csv:6 /4',
    'table-key 1.0/raw/t.csv:7 /5',
    'csv-syntax 1.0/raw/t.csv:8 /6/n',
  ]);
  assert.is(findings[0]?.found, 'nothing as "id"');
  assert.match(findings[0]?.fix ?? '', '"skip_keyless": true');
  assert.match(findings[2]?.fix ?? '', '"many": true');
  assert.is(findings[2]?.found, 'a second row with the key "a:1"; the first is 1.0/raw/t.csv /0');
  assert.is(findings[3]?.found, 'the text "c:d" as "id"');
});

test('a misspelt key of a table is reported with the nearest attribute', async () => {
  const table = { files: 'raw/t.json', key: 'unit_ids' };
  const { findings } = await compileFiles(
    gameOfTable(table, { '1.0/raw/t.json': [{ unit_id: 1, name: 'Ann' }] }),
  );
  assert.is(findings[0]?.found, 'nothing as "unit_ids"; did you mean "unit_id"?');
});

test('rows that are not objects, and tables without rows, are findings', async () => {
  const table = { files: 'raw/t.json', key: 'id' };
  const rows = await compileFiles(
    gameOfTable(table, { '1.0/raw/t.json': '[1,\n{"id": true},\n{"id": null}]' }),
  );
  assert.equal(placesOf(rows.findings), [
    'table-key 1.0/raw/t.json:1 /0',
    'table-key 1.0/raw/t.json:2 /1',
    'table-key 1.0/raw/t.json:3 /2',
  ]);
  const none = await compileFiles(gameOfTable(table, { '1.0/raw/t.json': '"x"' }));
  assert.ok(placesOf(none.findings).includes('table-key 1.0/raw/t.json:1'));
});

test('a finding about a row of a keyed table names the place of the row', async () => {
  const definition = {
    title: 'Game',
    tables: { t: { files: 'raw/t.txt', format: 'csv', delimiter: ';', key: 'id' } },
    datasets: { rows: { from: 't', entry: "$error('no')" } },
  };
  const { findings } = await compileFiles(
    gameFiles({ 'game.json': definition, '1.0/raw/t.txt': 'id;a\nx;"1\n2"\ny;1\n' }),
  );
  assert.equal(placesOf(findings), [
    'expression-result 1.0/raw/t.txt:2 /0',
    'expression-result 1.0/raw/t.txt:4 /1',
  ]);
});

test.run();
