import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding, ReadOptions } from '../../../../scripts/findings.ts';
import type { JsonObject } from '../../../../scripts/format/dist-format.ts';
import { findCsvLines, parseCsv } from '../../../../scripts/read/csv.ts';

const test = suite('csv');

function parse(text: string, options: ReadOptions = {}): { rows: JsonObject[]; findings: Finding[] } {
  const outcome = parseCsv(text, 't.csv', options);
  if ('finding' in outcome) return { rows: [], findings: [outcome.finding] };
  return { rows: outcome.value, findings: outcome.findings };
}

/** The line of each row. */
function linesOf(text: string, options: ReadOptions = {}): number[] {
  const lineOf = findCsvLines(text, options);
  return parse(text, options).rows.map((_, index) => lineOf(`/${index}/x`));
}

/** The values of column `a` in rows with the given cells. */
function columnOf(header: string, cells: string[]): unknown[] {
  const { rows, findings } = parse(`id,${header}\n${cells.map((cell, row) => `r${row},${cell}\n`).join('')}`);
  assert.equal(findings, []);
  return rows.map((row) => row.a);
}

const columns: [why: string, header: string, cells: string[], expected: unknown[]][] = [
  ['a column of numbers as they print is numeric', 'a', ['1', '-2', '0.5', '1e+21'], [1, -2, 0.5, 1e21]],
  ['leading zeros stay text', 'a', ['007', '008'], ['007', '008']],
  ['trailing zeros stay text', 'a', ['1.10', '1.20'], ['1.10', '1.20']],
  ['a value that is not a number makes its column text', 'a', ['1', '2', 'x'], ['1', '2', 'x']],
  ['a number in another notation makes its column text', 'a', ['1', '+2'], ['1', '+2']],
  ['minus zero stays text', 'a', ['-0'], ['-0']],
  ['words that JavaScript converts to numbers stay text', 'a', ['Infinity', 'NaN'], ['Infinity', 'NaN']],
  ['hexadecimal stays text', 'a', ['0x10'], ['0x10']],
  ['blank cells stay text', 'a', [' ', '1'], [' ', '1']],
  ['true and false stay text without a type', 'a', ['true', 'false'], ['true', 'false']],
  [
    'an empty cell is an absent attribute and does not make its column text',
    'a',
    ['1', '', '3'],
    [1, undefined, 3],
  ],
  ['long integers stay text', 'a', ['9007199254740993', '1'], ['9007199254740993', '1']],
  ['the largest exact integers are numbers', 'a', ['9007199254740991'], [9007199254740991]],
  ['a column declared as text is text', 'a:string', ['1', '2'], ['1', '2']],
  [
    'a column declared as number accepts other notations',
    'a:number',
    ['007', '1.10', '-1e3'],
    [7, 1.1, -1000],
  ],
  [
    'a column declared as number keeps long integers as text',
    'a:number',
    ['9007199254740993', '2'],
    ['9007199254740993', 2],
  ],
  ['a column declared as boolean is boolean', 'a:boolean', ['true', 'false', ''], [true, false, undefined]],
];
for (const [why, header, cells, expected] of columns)
  test(why, () => assert.equal(columnOf(header, cells), expected));

/** Columns that one or a few cells may make text; the warning's line, pointer and cell, if there is one. */
const oddCells: [why: string, cells: string[], warning: string | undefined][] = [
  ['an integer written as a fraction', ['1', '2', '1.0', '3'], '4 /2/a.b the cell "1.0"'],
  ['a few decimals with trailing zeros', ['1', '2.50', '', '3', '4.00', '5'], '3 /1/a.b the cell "2.50"'],
  ['a number with a plus sign', ['1', '2', '+3'], '4 /2/a.b the cell "+3"'],
  ['odd cells that are not fewer than plain ones', ['1.1', '1.10'], undefined],
  ['ids with leading zeros', ['007', '100', '200'], undefined],
  ['ids too long for a number', ['9007199254740993', '1', '2'], undefined],
  ['a cell that is not a number', ['1', '2', '3', '1.0', 'x'], undefined],
];
for (const [why, cells, warning] of oddCells) {
  test(`${why} among numbers: ${warning ? 'a warning names the first cell that makes the column text' : 'no warning'}`, () => {
    const { findings } = parse(`id,a.b\n${cells.map((cell, row) => `r${row},${cell}\n`).join('')}`);
    const reported = findings.map(
      ({ severity, place, found }) => `${severity} ${place.line} ${place.pointer} ${found}`,
    );
    const expected = warning?.replace('a.b', 'a/b');
    assert.equal(reported, expected ? [`warning ${expected}, which makes the whole column "a.b" text`] : []);
    assert.match(findings[0]?.fix ?? '"a.b:number"', '"a.b:number"');
  });
}

test('dots in a header nest', () => {
  const { rows } = parse('id,stats.hp,stats.more.atk:number\na,1,2\nb,,3\n');
  assert.equal(rows, [
    { id: 'a', stats: { hp: 1, more: { atk: 2 } } },
    { id: 'b', stats: { more: { atk: 3 } } },
  ]);
});

test('a byte order mark, CRLF and blank lines make no difference', () => {
  const plain = parse('id,name\na,Ann\nb,Bob\n').rows;
  assert.equal(plain.length, 2);
  assert.equal(parse('\ufeffid,name\r\na,Ann\r\n\r\nb,Bob').rows, plain);
});

test('quoted cells contain commas, quotes and line breaks; any line break becomes \\n', () => {
  const { rows } = parse('id,text\r\na,"one, ""two""\r\nthree"\r\n');
  assert.equal(rows, [{ id: 'a', text: 'one, "two"\nthree' }]);
});

test('the line of a row is right after line breaks in cells and blank lines', () => {
  for (const newline of ['\n', '\r\n']) {
    const text = ['id,n:number', '"a', '', 'a",1', '', 'b,2', '"c', 'c",3', 'd,4', ''].join(newline);
    assert.equal(linesOf(text), [2, 6, 7, 9]);
  }
});

test('each bad cell is a finding with its line and pointer', () => {
  const { findings } = parse('id,a.n:number,b:boolean\n"x\nx",one,yes\ny,2,true\nz,0b1x,\n');
  assert.equal(
    findings.map(({ check, place, found, expected }) => [check, place, found, expected]),
    [
      ['csv-syntax', { file: 't.csv', pointer: '/0/a/n', line: 2 }, 'the cell "one"', 'a number'],
      ['csv-syntax', { file: 't.csv', pointer: '/0/b', line: 2 }, 'the cell "yes"', 'a boolean'],
      ['csv-syntax', { file: 't.csv', pointer: '/2/a/n', line: 5 }, 'the cell "0b1x"', 'a number'],
    ],
  );
});

test('each row with too few or too many cells is a finding with its line', () => {
  const { findings } = parse('id,a\nx\ny,1\nz,1,2\n');
  assert.equal(
    findings.map(({ place, found, expected }) => [place.line, place.pointer, found, expected]),
    [
      [2, '/0', 'a row of 1 cells', '2 cells, as in the header row'],
      [4, '/2', 'a row of 3 cells', '2 cells, as in the header row'],
    ],
  );
});

test('a quote in the middle of a cell is a finding with its line', () => {
  const [finding] = parse('id,a\nx,1\ny,2"z\n').findings;
  assert.is(finding?.place.line, 3);
  assert.match(finding?.expected ?? '', 'quotes around a whole cell');
});

for (const cell of ['0x1F', '0b11', ' 5', '1_000', 'Infinity', '.', '1e999']) {
  test(`"${cell}" is not a number`, () => {
    const { findings } = parse(`id,n:number\na,"${cell}"\n`);
    assert.is(findings.length, 1);
  });
}

for (const [text, options, delimiter] of [
  ['id;name\na;Ann, B\n', {}, ';'],
  ['\ufeffid;"name"\r\na;"Ann"\r\n', {}, ';'],
  ['id\tname\na\tAnn\n', {}, '\t'],
  ['made by a program\nid|name\na|Ann\n', { header: 2 }, '|'],
  ['id,name\na,Ann\n', { delimiter: ';' }, ','],
] as const) {
  test(`a header that "${delimiter}" separates is one finding`, () => {
    const { findings, rows } = parse(text, options);
    const line = 'header' in options ? 2 : 1;
    assert.equal(rows, []);
    assert.equal(
      findings.map(({ place, found }) => [place.line, /^the header "id.*name/.test(found)]),
      [[line, true]],
    );
    assert.is(findings[0]?.fix, `set "delimiter": ${JSON.stringify(delimiter)} of its table in game.json`);
  });
}

test('a file of one column, and comments, are read as they are', () => {
  assert.equal(parse('name\nAnn; B\n').rows, [{ name: 'Ann; B' }]);
  assert.equal(parse('# a; b\nname\nAnn\n', { comment: '#' }).rows, [{ name: 'Ann' }]);
});

for (const header of ['id,id', 'id,a,a.b', 'id,a.b,a', 'id,a:number,a', 'id,', 'id,a..b', 'id,:number']) {
  test(`the header row ${header} is a finding, and its rows are ignored`, () => {
    const { rows, findings } = parse(`${header}\n${header.replaceAll(/[^,]+/g, 'x')}\n`);
    assert.is(findings.length, 1);
    assert.equal(findings[0]?.place, { file: 't.csv', pointer: '', line: 1 });
    assert.is(findings[0]?.expected, 'distinct, non-empty column names');
    assert.equal(rows, []);
  });
}

test('a header row alone is a table without rows; an empty file is a finding', () => {
  assert.equal(parse('id,name\n'), { rows: [], findings: [] });
  for (const text of ['', '\n\n', '\ufeff']) assert.is(parse(text).findings[0]?.found, 'an empty file');
});

const BACKSLASHES: ReadOptions = { escapes: 'backslash' };
const declared: [why: string, text: string, options: ReadOptions, expected: JsonObject[]][] = [
  ['the delimiter can be set', 'id;a\nx;"1;2"\n', { delimiter: ';' }, [{ id: 'x', a: '1;2' }]],
  ['a delimiter can be several characters', 'id||a\nx||1\n', { delimiter: '||' }, [{ id: 'x', a: 1 }]],
  ['the quote can be set', "id,a\nx,'it''s, \"so\"'\n", { quote: "'" }, [{ id: 'x', a: 'it\'s, "so"' }]],
  ['quotes can be turned off', 'id,a\nx,"1" and 2"\n', { quote: '' }, [{ id: 'x', a: '"1" and 2"' }]],
  [
    'comments can be declared',
    '# made by hand\nid,a\n#y,2\nx,1#\n',
    { comment: '#' },
    [{ id: 'x', a: '1#' }],
  ],
  ['the header can be on a later line', 'made "by" hand\n\nid,a\nx,1\n', { header: 3 }, [{ id: 'x', a: 1 }]],
  [
    'a header can be declared in place of a header row',
    'x,1\ny,2\n',
    { header: ['id', 'a:string'] },
    [
      { id: 'x', a: '1' },
      { id: 'y', a: '2' },
    ],
  ],
  [
    'types of columns can be declared',
    'id,a.b,c\n01,1.50,1\n',
    { columns: { 'a.b': 'number', c: 'string', absent: 'number' } },
    [{ id: '01', a: { b: 1.5 }, c: '1' }],
  ],
  ['without "escapes", a backslash is a backslash', 'id,a\nx,"a\\nb"\n', {}, [{ id: 'x', a: 'a\\nb' }]],
  [
    'with "escapes", backslashes escape characters, and doubled quotes still work',
    'id,a,b\nx,"a\\nb ""c"" \\"d\\", \\\\n",e\\,f\\u00e9\\d\n',
    BACKSLASHES,
    [{ id: 'x', a: 'a\nb "c" "d", \\n', b: 'e,fé\\d' }],
  ],
  [
    'a text may contain the mark that hides escapes',
    'id\n\ufdd00041\\n\n',
    BACKSLASHES,
    [{ id: '\ufdd00041\n' }],
  ],
];
for (const [why, text, options, expected] of declared) {
  test(why, () => assert.equal(parse(text, options), { rows: expected, findings: [] }));
}

test('the lines of rows are right with every option', () => {
  assert.equal(linesOf('a\n"b\nid\nx\n\ny\n', { header: 3 }), [4, 6]);
  assert.equal(linesOf('x\n\ny\n', { header: ['id'] }), [1, 3]);
  assert.equal(linesOf('id,a\nx,"1\\n2"\ny,"1\n2"\nz,1\n', BACKSLASHES), [2, 3, 5]);
  assert.equal(linesOf('id\n# c\nx\n', { comment: '#' }), [3]);
});

test('findings below a header on a later line have the right lines', () => {
  const lines = (text: string) => parse(text, { header: 3 }).findings.map(({ place }) => place.line);
  assert.equal(lines('a\nb\nid,id\nx,y\n'), [3]);
  assert.equal(lines('a\nb\nid,n:number\nx,y\nz\n'), [4, 5]);
  assert.equal(lines('a\nb\nid,n\nx,y"z\n'), [4]);
  assert.equal(lines('a\nb\n'), [1]);
});

test('reading a header takes time linear in its width', () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `c${index}`);
  assert.equal(parse(`${names.join()}\n`), { rows: [], findings: [] });
  assert.is(parse(`${'a.'.repeat(50_000)}a,b\n1,2\n`).findings.length, 0);
});

test('headers like __proto__ and constructor are attributes like any other', () => {
  const { rows, findings } = parse('id,__proto__.polluted,constructor\na,yes,1\n');
  assert.equal(findings, []);
  assert.is(JSON.stringify(rows), '[{"id":"a","__proto__":{"polluted":"yes"},"constructor":1}]');
  assert.is(({} as Record<string, unknown>).polluted, undefined);
});

test.run();
