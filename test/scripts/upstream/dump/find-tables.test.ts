import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findTables } from '../../../../scripts/upstream/dump/find-tables.ts';
import { describeShape } from '../../../../scripts/upstream/dump/table-shape.ts';
import type { Json } from '../../../../scripts/format/dist-format.ts';

const test = suite('findTables');

/** The tables of files as short texts. */
function tablesOf(files: Record<string, Json>): string[] {
  return findTables({ values: new Map(Object.entries(files)), columns: new Map() }).map(
    ({ name, files, at, shape }) => `${name} = ${files}${at && ` at ${at}`}: ${describeShape(shape)}`,
  );
}

const UNIT = { id: 1, name: 'Ann' };
const ROWS = [UNIT, { id: 2, name: 'Bob' }];
const KEYED = { ann: UNIT, bob: UNIT };

test('a list, a keyed object and any other object are each a table', () => {
  assert.equal(
    tablesOf({ 'raw/units.json': ROWS, 'raw/heroes.yaml': KEYED, 'settings.txt': { speed: '1' } }),
    [
      'units = raw/units.json: a list of 2 records',
      'heroes = raw/heroes.yaml: an object of 2 records, keyed as "ann"',
      'settings = settings.txt: an object of 1 value',
    ],
  );
});

test('files with one record each are one table with a glob, per folder and extension', () => {
  const files = {
    'raw/units/ann.json': UNIT,
    'raw/units/bob.json': UNIT,
    'raw/units/cid.json': UNIT,
    'raw/units/notes.yaml': { x: 1 },
  };
  assert.equal(tablesOf(files), [
    'units = raw/units/*.json: an object of 3 records, keyed as "ann"',
    'notes = raw/units/notes.yaml: an object of 1 value',
  ]);
});

test('in the top folder, the glob excludes the datasets that every game must have', () => {
  assert.equal(tablesOf({ 'ann.json': UNIT, 'bob.json': UNIT, 'cid.json': UNIT }), [
    'records = !(pull_planner).json: an object of 3 records, keyed as "ann"',
  ]);
});

test('tables in one folder are not mistaken for records', () => {
  const tables = tablesOf({
    'a/x.json': { k1: { v: 1 }, k2: { v: 2 } },
    'a/y.json': { k1: { v: 1 }, k2: { v: 2 } },
    'a/z.json': { k1: { v: 1 }, k2: { v: 2 } },
  });
  assert.equal(
    tables.map((table) => table.split(' ')[0]),
    ['x', 'y', 'z'],
  );
});

test('tables inside an object are found with their JSON Pointers, but not inside a record', () => {
  const wrapped = {
    version: 3,
    'data/1': { units: ROWS, more: { heroes: KEYED } },
    one: { id: 'x', steps: ROWS },
  };
  assert.equal(tablesOf({ 'all.json': wrapped }), [
    'all_data_1_units = all.json at /data~11/units: a list of 2 records',
    'all_data_1_more_heroes = all.json at /data~11/more/heroes: an object of 2 records, keyed as "ann"',
  ]);
});

test('table names are valid in game.json and unique', () => {
  const files = {
    'en/excel/unit-table.json': ROWS,
    'ja/excel/unit-table.json': ROWS,
    'a-b.json': ROWS,
    'a_b.json': ROWS,
    '1.json': ROWS,
  };
  assert.equal(
    tablesOf(files).map((table) => table.split(' ')[0]),
    ['en_excel_unit_table', 'ja_excel_unit_table', 'a_b', 'a_b_2', 'table_1'],
  );
});

test.run();
