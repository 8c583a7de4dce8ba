import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { trimRows, trimText } from '../../../../../scripts/parts/upstream/add/trim.ts';

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
  assert.equal(trimRows([{ a: { one: row.a[1] ?? null } }], { columns: ['a.*.b.*.c'] }), [
    { a: { one: { b: { one: { c: 4 } } } } },
  ]);
  const skills = { one: { name: 'Hit', text: 'Hits.', cost: 1 }, two: { name: 'Run', text: 'Runs.' } };
  assert.equal(trimRows([{ skills }], { columns: ['skills.one.text', 'skills.*.name'] }), [
    { skills: { one: { name: 'Hit', text: 'Hits.' }, two: { name: 'Run' } } },
  ]);
  assert.equal(trimRows([row], { columns: ['a.*'] }), [row]);
});

test('only rows with one of the values stay', () => {
  const { b, ...rest } = ROWS;
  assert.equal(trimRows(ROWS, { rows: { kind: ['hero', 'boss'] } }), rest);
  assert.equal(trimRows(Object.values(ROWS), { rows: { kind: ['npc'], id: [2] } }), [b]);
});

test('what is trimmed already stays byte for byte, with a line for each row', () => {
  const rule = { columns: ['id', 'skills.one'] };
  const once = trimText(JSON.stringify(ROWS), 'x.json', rule) ?? '';
  assert.is(once, '{\n"a":{"id":1,"skills":{"one":{"name":"Hit","text":"Hits."}}},\n"b":{"id":2}\n}\n');
  assert.is(trimText(once, 'x.json', rule), once);
  assert.is(trimText('{', 'x.json', rule), undefined);
});

test.run();
