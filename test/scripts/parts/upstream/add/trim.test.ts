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
