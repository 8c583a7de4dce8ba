import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../../scripts/findings.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { findCsvLines, parseCsv } from '../../../scripts/read/csv.ts';
import type { ReadOptions } from '../../../scripts/read/formats.ts';
import { table } from '../check/cases.ts';

const test = suite('csv');

function parse(text: string, options: ReadOptions = {}): { rows: JsonObject[]; findings: Finding[] } {
  const outcome = parseCsv(text, 't.csv', options);
  if ('finding' in outcome) return { rows: [], findings: [outcome.finding] };
  const lineOf = findCsvLines(text, options);
  const findings = outcome.findings.map((finding) => ({
    ...finding,
    place: { ...finding.place, line: lineOf(finding.place.pointer) },
  }));
  return { rows: outcome.value, findings };
}

/** Each finding as `<check> <line> <pointer> <found>`. */
const told = ({ findings }: { findings: Finding[] }) =>
  findings.map(({ check, place, found }) => `${check} ${place.line} ${place.pointer} ${found}`).join('; ');

/** The header of a column, its cells with `;` between them, and its values as JSON. */
const COLUMNS = table`
  a         | 1;-2;0.5;1e+21          | [1,-2,0.5,1e21]
  a         | 007;008                 | ["007","008"]
  a         | 1.10;1.20               | ["1.10","1.20"]
  a         | 1;2;x                   | ["1","2","x"]
  a         | 1;+2                    | ["1","+2"]
  a         | -0                      | ["-0"]
  a         | Infinity;NaN            | ["Infinity","NaN"]
  a         | 0x10                    | ["0x10"]
  a         | " ";1                   | [" ","1"]
  a         | true;false              | ["true","false"]
  a         | 1;;3                    | [1,null,3]
  a         | 9007199254740993;1      | ["9007199254740993","1"]
  a         | 9007199254740991        | [9007199254740991]
  a:string  | 1;2                     | ["1","2"]
  a:number  | 007;1.10;-1e3           | [7,1.1,-1000]
  a:number  | 9007199254740993.0;+9007199254740993;1.5e16 | ["9007199254740993.0","+9007199254740993",15e15]
  a:boolean | true;false;             | [true,false,null]
`;
const inColumn = (header: string, cells: string) =>
  parse(
    `id,${header}\n${cells
      .split(';')
      .map((cell, row) => `r${row},${cell}\n`)
      .join('')}`,
  );
for (const [header = '', cells = '', values = ''] of COLUMNS)
  test(`a column ${header} of ${cells} is ${values}`, () => {
    const { rows, findings } = inColumn(header, cells);
    assert.equal([rows.map(({ a = null }) => a), findings], [JSON.parse(values), []]);
  });

/** Cells of which one may make the column text; the line, pointer and cell of the warning. */
const ODD = table`
  1;2;1.0;3                       | 4 /2/a/b the cell "1.0"
  1;2.50;;3;4.00;5                | 3 /1/a/b the cell "2.50"
  1;2;+3                          | 4 /2/a/b the cell "+3"
  1.1;1.10                        |
  007;100;200                     |
  9007199254740993;1;2            |
  1;2;3;1.0;x                     |
`;
for (const [cells = '', warning] of ODD)
  test(`of the numbers ${cells}, ${warning ? 'the first that makes the column text is' : 'none is'} reported`, () => {
    const outcome = inColumn('a.b', cells);
    assert.is(told(outcome), warning && `csv-columns ${warning}, which makes the whole column "a.b" text`);
    if (warning) assert.match(outcome.findings[0]?.fix ?? '', '"a.b:number"');
  });

const VALUES: [why: string, text: string, expected: JsonObject[], options?: ReadOptions][] = [
  ['dots nest', 'id,s.hp,s.more.atk:number\nb,,3\n', [{ id: 'b', s: { more: { atk: 3 } } }]],
  [
    'a mark, CRLF and blank lines',
    '\ufeffid,n\r\na,A\r\n\r\nb,B',
    [
      { id: 'a', n: 'A' },
      { id: 'b', n: 'B' },
    ],
  ],
  ['quotes', 'id,t\r\na,"one, ""two""\r\nthree"\r\n', [{ id: 'a', t: 'one, "two"\nthree' }]],
  ['one column', 'name\nAnn; B\n', [{ name: 'Ann; B' }]],
  ['a header row alone', 'id,name\n', []],
  ['names of built-ins', 'id,constructor\na,1\n', [{ id: 'a', constructor: 1 } as never]],
  ['another delimiter', 'id;a\nx;"1;2"\n', [{ id: 'x', a: '1;2' }], { delimiter: ';' }],
  ['a long delimiter', 'id||a\nx||1\n', [{ id: 'x', a: 1 }], { delimiter: '||' }],
  ['another quote', "id,a\nx,'it''s, \"so\"'\n", [{ id: 'x', a: 'it\'s, "so"' }], { quote: "'" }],
  ['no quotes', 'id,a\nx,"1" and 2"\n', [{ id: 'x', a: '"1" and 2"' }], { quote: '' }],
  ['comments', '# a; b\nid,a\n#y,2\nx,1#\n', [{ id: 'x', a: '1#' }], { comment: '#' }],
  ['a later header', 'made "by" hand\n\nid,a\nx,1\n', [{ id: 'x', a: 1 }], { header: 3 }],
  ['a declared header', 'x,1\n', [{ id: 'x', a: '1' }], { header: ['id', 'a:string'] }],
  [
    'declared types',
    'id,a.b\n01,1.50\n',
    [{ id: '01', a: { b: 1.5 } }],
    { columns: { 'a.b': 'number', no: 'string' } },
  ],
  ['no escapes', 'id,a\nx,"a\\nb"\n', [{ id: 'x', a: 'a\\nb' }]],
  [
    'escapes',
    'id,a,b\nx,"a\\nb ""c"" \\"d\\", \\\\n",e\\,f\\u00e9\\d\n',
    [{ id: 'x', a: 'a\nb "c" "d", \\n', b: 'e,fé\\d' }],
    { escapes: 'backslash' },
  ],
  ['the mark of escapes', 'id\n\ufdd00041\\n\n', [{ id: '\ufdd00041\n' }], { escapes: 'backslash' }],
];
for (const [why, text, rows, options] of VALUES)
  test(`${why} of CSV`, () =>
    assert.equal(JSON.stringify(parse(text, options)), JSON.stringify({ rows, findings: [] })));

/** A file, and its findings. */
const FAULTS = table`
  id,a.n:number,b:boolean¶"x¶x",one,yes¶y,2,true¶z,0b1x,¶ | file-syntax 2 /0/a/n the cell "one"; file-syntax 2 /0/b the cell "yes"; file-syntax 5 /2/a/n the cell "0b1x"
  id,a¶x¶y,1¶z,1,2¶     | file-syntax 2 /0 a row of 1 cells; file-syntax 4 /2 a row of 3 cells
  id;name¶a;Ann, B¶     | file-syntax 1  the header "id;name"
  id,n:number¶a,0x1F¶   | file-syntax 2 /0/n the cell "0x1F"
  id,n:number¶a," 5"¶   | file-syntax 2 /0/n the cell " 5"
  id,n:number¶a,1_000¶  | file-syntax 2 /0/n the cell "1_000"
  id,n:number¶a,NaN¶    | file-syntax 2 /0/n the cell "NaN"
  id,n:number¶a,.¶      | file-syntax 2 /0/n the cell "."
  id,n:number¶a,1e999¶  | file-syntax 2 /0/n the cell "1e999"
                        | file-syntax 1  an empty file
  ¶¶                    | file-syntax 1  an empty file
`;
for (const [text = '', findings = ''] of FAULTS)
  test(`CSV ${JSON.stringify(text)}: ${findings}`, () => {
    assert.ok(told(parse(text)).startsWith(findings), told(parse(text)));
    assert.is(told(parse(text)).split('; csv').length, findings.split('; csv').length);
  });

test('a quote in the middle of a cell is a finding with its line', () => {
  const [finding] = parse('id,a\nx,1\ny,2"z\n').findings;
  assert.is(finding?.place.line, 3);
  assert.match(finding?.expected ?? '', 'quotes around a whole cell');
});

for (const header of ['id,id', 'id,a,a.b', 'id,a.b,a', 'id,a:number,a', 'id,', 'id,a..b', 'id,:number'])
  test(`the header row ${header} is a finding, and its rows are ignored`, () => {
    const { rows, findings } = parse(`${header}\n${header.replaceAll(/[^,]+/g, 'x')}\n`);
    assert.equal([rows, findings.length, findings[0]?.place.line], [[], 1, 1]);
    assert.is(findings[0]?.expected, 'distinct, non-empty column names');
  });

test('a header that another delimiter separates says which one to declare', () => {
  for (const [text, delimiter, options] of [
    ['\ufeffid;"name"\r\na;"Ann"\r\n', ';', {}],
    ['id\tname\na\tAnn\n', '\t', {}],
    ['made by a program\nid|name\na|Ann\n', '|', { header: 2 }],
    ['id,name\na,Ann\n', ',', { delimiter: ';' }],
  ] as const)
    assert.is(
      parse(text, options).findings[0]?.fix,
      `set "delimiter": ${JSON.stringify(delimiter)} of its table in game.json`,
    );
});

test('the lines of rows, and of findings below a later header, are right with every option', () => {
  const linesOf = (text: string, options: ReadOptions = {}) =>
    parse(text, options).rows.map((_, index) => findCsvLines(text, options)(`/${index}/x`));
  for (const newline of ['\n', '\r\n'])
    assert.equal(
      linesOf(['id,n:number', '"a', '', 'a",1', '', 'b,2', '"c', 'c",3', 'd,4', ''].join(newline)),
      [2, 6, 7, 9],
    );
  assert.equal(linesOf('a\n"b\nid\nx\n\ny\n', { header: 3 }), [4, 6]);
  assert.equal(linesOf('x\n\ny\n', { header: ['id'] }), [1, 3]);
  assert.equal(linesOf('id,a\nx,"1\\n2"\ny,"1\n2"\nz,1\n', { escapes: 'backslash' }), [2, 3, 5]);
  assert.equal(linesOf('id\n# c\nx\n', { comment: '#' }), [3]);
  const found = (text: string) => parse(text, { header: 3 }).findings.map(({ place }) => place.line);
  assert.equal(['a\nb\nid,id\nx,y\n', 'a\nb\nid,n:number\nx,y\nz\n', 'a\nb\n'].map(found), [
    [3],
    [4, 5],
    [1],
  ]);
});

test.run();
