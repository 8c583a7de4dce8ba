import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTrimmer, trimRows, writeTrimmed } from '../../../../scripts/upstream/add/trim.ts';
import type { RawTrim } from '../../../../scripts/upstream/source.ts';

const test = suite('trimmed files');

const ROWS = {
  a: {
    id: 1,
    kind: 'hero',
    skills: { one: { name: 'Hit', text: 'Hits.' }, two: [{ name: 'Run', text: 'Runs.' }] },
  },
  b: { id: 2, kind: 'npc', story: 'Long.' },
};

test('only the named columns stay, also inside objects and lists', () => {
  assert.equal(trimRows(ROWS, { columns: ['id', 'skills.*.name'] }), {
    a: { id: 1, skills: { one: { name: 'Hit' }, two: [{ name: 'Run' }] } },
    b: { id: 2 },
  });
  assert.equal(trimRows([ROWS.b], { columns: ['id', 'id.x', 'none', 'kind.x'] }), [{ id: 2 }]);
});

test('a star stands for names and for items of lists, also twice, and adds to what a name keeps', () => {
  const row = {
    a: [
      { x: 1, b: [{ c: 1, d: 2 }, { c: 3 }] },
      { x: 2, b: { one: { c: 4, d: 5 } } },
    ],
  };
  const kept = [{ b: [{ c: 1 }, { c: 3 }] }, { b: { one: { c: 4 } } }];
  assert.equal(trimRows([row], { columns: ['a.*.b.*.c'] }), [{ a: kept }]);
  const skills = { one: { name: 'Hit', text: 'Hits.', cost: 1 }, two: { name: 'Run', text: 'Runs.' } };
  assert.equal(trimRows([{ skills }], { columns: ['skills.one.text', 'skills.*.name'] }), [
    { skills: { one: { name: 'Hit', text: 'Hits.' }, two: { name: 'Run' } } },
  ]);
});

test('rows can be inside a member, beside which nothing stays', () => {
  const value = { items: ROWS, notes: { a: 1 } };
  assert.equal(trimRows(value, { at: 'items', columns: ['id'] }), { items: { a: { id: 1 }, b: { id: 2 } } });
  assert.equal(trimRows({ x: value }, { at: '*.items', rows: { $key: ['b'] } }), {
    x: { items: { b: ROWS.b } },
  });
});

test('only rows with one of the values stay', () => {
  const { b, ...rest } = ROWS;
  assert.equal(trimRows(ROWS, { rows: { kind: ['hero', 'boss'] } }), rest);
  assert.equal(trimRows(Object.values(ROWS), { rows: { kind: ['npc'], id: [2] } }), [b]);
});

/** What stays of a file, as it is written. */
async function trim(files: Record<string, string>, rules: Record<string, RawTrim>, file: string) {
  const read = async (each: string) => files[each] ?? '';
  const value = await createTrimmer(rules, { paths: Object.keys(files), read }).restOf(file);
  return value === undefined ? undefined : writeTrimmed(value, file);
}

test('what is trimmed already stays byte for byte, with a line for each row', async () => {
  const rules = { 'x.json': { columns: ['id', 'skills.one'] } };
  const once = (await trim({ 'x.json': JSON.stringify(ROWS) }, rules, 'x.json')) ?? '';
  assert.is(once, '{\n"a":{"id":1,"skills":{"one":{"name":"Hit","text":"Hits."}}},\n"b":{"id":2}\n}\n');
  assert.is(await trim({ 'x.json': once }, rules, 'x.json'), once);
  assert.is(await trim({ 'x.json': '{' }, rules, 'x.json'), undefined);
});

test('columns and rows of YAML and CSV files are left out too, where the cells of CSV are text', async () => {
  const rules = { 'x.*': { columns: ['id', 'name'], rows: { kind: [1] } } };
  const csv = 'id,name,kind\n1,"Ann, ""A""",1\n2,Bob,2\n';
  assert.is(await trim({ 'x.csv': csv }, rules, 'x.csv'), 'id,name\n1,"Ann, ""A"""\n');
  const yaml = '- id: a\n  name: Ann\n  kind: 1\n  text: Long.\n- id: b\n  kind: 2\n';
  assert.is(await trim({ 'x.yaml': yaml }, rules, 'x.yaml'), '- id: a\n  name: Ann\n');
  assert.is(await trim({ 'x.csv': 'a,b\n1,2,3\n' }, rules, 'x.csv'), undefined);
});

test('CSV without a row and a column that stay, and with columns without names of their own, stays as it is', async () => {
  const rules = { 'x.csv': { columns: ['id'], rows: { id: [1] } } };
  for (const csv of ['id,name\n', 'id,name\n2,Bob\n', 'id;name\n1;Ann\n', 'id,id\n1,2\n', 'id,\n1,\n'])
    assert.is(await trim({ 'x.csv': csv }, rules, 'x.csv'), undefined, csv);
  assert.is(await trim({ 'x.csv': '\ufeff"id",name\r\n1,A\r\n' }, rules, 'x.csv'), 'id\n1\n');
});

test('columns of CSV are named as in the header, without their types', async () => {
  const csv = 'id,name:string,stats.hp,kind:number,junk\na,7,9,1,x\nb,8,9,2,x\n';
  const rules = { 'x.csv': { columns: ['id', 'name', 'stats.hp'], rows: { 'kind:number': [1] } } };
  assert.is(await trim({ 'x.csv': csv }, rules, 'x.csv'), 'id,name:string,stats.hp\na,7,9\n');
  assert.is(
    await trim({ 'y.csv': 'a,b\n,1\n2,1\n' }, { 'y.csv': { columns: ['a'] } }, 'y.csv'),
    'a\n""\n2\n',
  );
});

test('a file that cannot be read removes no rows of others, and one with a repeated key stays as it is', async () => {
  const rules = { 'texts.json': { named_in: { $key: ['units.*'] } }, 'x.json': { columns: ['v'] } };
  const textsWith = (file: string, content: string) =>
    trim({ 'texts.json': '{"a":1,"b":2}', [file]: content }, rules, 'texts.json');
  for (const file of ['units.jsonl', 'units.tsv', 'units.json'])
    assert.is(await textsWith(file, '{"id":"a"}\n{}'), '{\n"a":1,\n"b":2\n}\n', file);
  assert.is(await textsWith('units.json', '\ufeff[{"id":"a"}]'), '{\n"a":1\n}\n');
  assert.is(await textsWith('units.csv', 'id\n'), '{\n\n}\n');
  assert.is(await trim({ 'x.json': '{"k":{"v":1},"k":{"v":2}}' }, rules, 'x.json'), undefined);
});

test('files that name each other keep the rows of one that the other names', async () => {
  const files = { 'a.json': '[{"id":1},{"id":2}]', 'b.json': '[{"id":2},{"id":3}]' };
  const rules = { 'a.json': { named_in: { id: ['b.json'] } }, 'b.json': { named_in: { id: ['a.json'] } } };
  assert.is(await trim(files, rules, 'a.json'), '[\n{"id":2}\n]\n');
  assert.is(await trim(files, rules, 'b.json'), '[\n{"id":2}\n]\n');
});

test('only rows stay that other files name as they are trimmed, by a column or by their keys, also inside members', async () => {
  const files = {
    'units.csv': 'id,name,skill\n1,ann,s1\n2,bob,s2\n',
    'skills.json': '[{"id":"s1","action":"a1"},{"id":"s2","action":"a2"}]',
    'actions.json': '{"a1":{"text":"t1"},"a2":{"text":"t2"}}',
    'texts.json': '{"en":{"t1":"One","t2":"Two","ann":"Ann"},"ja":{"t2":"二"}}',
  };
  const rules = {
    'units.csv': { rows: { id: [1] } },
    'skills.json': { named_in: { id: ['units.csv'] } },
    'actions.json': { named_in: { $key: ['skills.json'] } },
    'texts.json': { at: '*', named_in: { $key: ['{units,actions}.*', 'texts.json'] } },
  };
  assert.is(await trim(files, rules, 'actions.json'), '{\n"a1":{"text":"t1"}\n}\n');
  assert.is(await trim(files, rules, 'texts.json'), '{\n"en":{"t1":"One","ann":"Ann"},\n"ja":{}\n}\n');
});

test.run();
