import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { safeCell } from '../../../gateway/api/tables.ts';
import type { Json } from '../../../scripts/format/dist-format.ts';

const test = suite('cells of CSV');

test('have quotes where RFC 4180 needs them, and where spreadsheets would split or trim', () => {
  const cells: [Json | undefined, string][] = [
    ['plain text', 'plain text'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['a;b', '"a;b"'],
    [' padded ', '" padded "'],
    ['', '""'],
    [null, ''],
    [undefined, ''],
    ['名前', '名前'],
  ];
  for (const [value, cell] of cells) assert.is(safeCell(value), cell, JSON.stringify(value));
});

test('of texts are harmless in spreadsheets, and numbers are as they are', () => {
  const texts = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x'];
  for (const text of texts) {
    const cell = safeCell(text);
    assert.match(cell, /^"?'/, text);
    assert.ok(cell.includes(text));
  }
  assert.is(safeCell('=HYPERLINK("http://x","y")'), `"'=HYPERLINK(""http://x"",""y"")"`);
  assert.is(safeCell(['=1', 'b']), "'=1|b");
  for (const value of [-5, 1.5, -0.25, 1e21, true, false]) assert.is(safeCell(value), String(value));
  assert.is(safeCell([-1, 2]), '-1|2');
});

test('of lists have one form that can be taken apart again', () => {
  assert.is(safeCell(['a', 'b|c', 'd\\e']), 'a|b\\|c|d\\\\e');
  assert.is(safeCell([1, null, true]), '1||true');
  assert.is(safeCell([]), '');
  assert.is(safeCell([{ a: 1 }, { a: 'x' }]), '"[{""a"":1},{""a"":""x""}]"');
  assert.is(safeCell([[1], [2]]), '"[[1],[2]]"');
  assert.is(safeCell({}), '{}');
});

test.run();
