import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../../scripts/findings.ts';
import { findJsonLines, findJsonLinesLines, parseJson, parseJsonLines } from '../../../scripts/read/json.ts';
import { fc } from '../../support/random.ts';
import { table } from '../check/cases.ts';

const test = suite('json');

type Outcome = ReturnType<typeof parseJson>;
const valueIn = (outcome: Outcome) => ('finding' in outcome ? undefined : outcome.value);
const findingsOf = (outcome: Outcome): readonly Finding[] =>
  'finding' in outcome ? [outcome.finding] : outcome.findings;
/** Each finding as `<check> <line> <pointer> <found>`. */
const told = (outcome: Outcome) =>
  findingsOf(outcome).map(({ check, place, found }) => `${check} ${place.line} ${place.pointer} ${found}`);
const parse = (text: string) => valueIn(parseJson(text, 't.json'));

/** A text, and its value. */
const VALUES = table`
  { // one¶ "a": /* two */ 1 }                  | {"a":1}
  {"url": "http://x/*y*/"}                      | {"url":"http://x/*y*/"}
  [9007199254740993, -9007199254740993]         | ["9007199254740993","-9007199254740993"]
  [9007199254740991, 1000000000000000]          | [9007199254740991,1000000000000000]
  ["x 9007199254740993 y", "9007199254740993"]  | ["x 9007199254740993 y","9007199254740993"]
  ["\" 9007199254740993", 1]                    | ["\" 9007199254740993",1]
  {"9007199254740993": 1}                       | {"9007199254740993":1}
  [0.30000000000000004, 1234567890123456.5]     | [0.30000000000000004,1234567890123456.5]
  [9007199254740993e0, 12345678901234567890.0]  | ["9007199254740993e0","12345678901234567890.0"]
  [1.2345678901234567e+19, 1.5e16, 1e20]        | [12345678901234567000,15000000000000000,100000000000000000000]
  {"__proto__": {"x": 1}, "constructor": 2}     | {"__proto__":{"x":1},"constructor":2}
`;
test('comments are left out, and long integers become texts', () => {
  for (const [text = '', value] of VALUES) assert.is(JSON.stringify(parse(text)), value, text);
  assert.equal(parse('[1E9007199254740993]'), [Infinity]);
});

test('any JSON without long integers is read as JSON.parse reads it', () => {
  const isLong = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 1, 2), (text, indent) => {
      let long = false;
      const value = JSON.parse(text, (_, part) => {
        long ||= isLong(part);
        return part;
      });
      fc.pre(!long);
      const outcome = parseJson(JSON.stringify(value, null, indent), 't.json');
      assert.is(JSON.stringify(valueIn(outcome)), JSON.stringify(value));
      assert.equal(findingsOf(outcome), []);
    }),
  );
});

test('any integer is read exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (integer) => {
      assert.is(String(BigInt((parse(`{"n": ${integer}}`) as { n: string | number }).n)), String(integer));
    }),
  );
});

/** A text, and what is found, with `;` between. */
const FAULTS = table`
  {¶ "a": 1¶ "b": 2¶}             | file-syntax 3  comma expected at ""b": 2"
  [1,¶2,¶]                        | file-syntax 3  value expected at "]"
  {"a": }                         | file-syntax 1  value expected
  {¶"a": NaN}                     | file-syntax 2  invalid symbol at "NaN}"
  {¶¶'a': 1}                      | file-syntax 3  invalid symbol
  {¶"a": 1                        | file-syntax 2  close brace expected at the end of the line
                                  | file-syntax 1  an empty file
  {"a": 1,¶"b": 2,¶"a": 3}        | duplicate-key 3 /a a second "a"
  {"a": 1, "a": 2,¶"a": 3}        | duplicate-key 1 /a a second "a";duplicate-key 2 /a a second "a"
  {"a": {"b": 1,¶"b": 1},¶"a": 1} | duplicate-key 2 /a/b a second "b";duplicate-key 3 /a a second "a"
  [{"x/y": [{"a": 1, "a": 1}]}]   | duplicate-key 1 /0/x~1y/0/a a second "a"
  {"a": 1, "\u0061": 2}           | duplicate-key 1 /a a second "a"
  { // "a": 1¶"a": 1, /* "a":¶ */ "a": 2} | duplicate-key 3 /a a second "a"
  {"__proto__": 1, "__proto__": 2} | duplicate-key 1 /__proto__ a second "__proto__"
  {"a": 9007199254740993,¶"a": 1} | duplicate-key 2 /a a second "a"
  {"a": "\"a\": 1, \\", "b": ["a", "a"], "c": ":"} |
  [{"a": {"a": 1}}, {"a": 1}]     |
`;
for (const [text = '', expected = ''] of FAULTS)
  test(`${JSON.stringify(text)}: ${expected || 'no finding'}`, () => {
    const found = told(parseJson(text, 't.json'));
    const each = expected === '' ? [] : expected.split(';');
    assert.is(found.length, each.length);
    for (const [at, start] of each.entries()) assert.ok(found[at]?.startsWith(start), found[at]);
  });

test('nesting deeper than the call stack is no crash, nor is a long text', () => {
  const long = 'x'.repeat(20_000_000);
  assert.equal(parse(`["${long}", 9007199254740993]`), [long, '9007199254740993']);
  const deep = `${'[{"a": '.repeat(100_000)}1${'}]'.repeat(100_000)}`;
  assert.equal(told(parseJson(deep, 't.json')), []);
  assert.is(told(parseJson(`{"a": 1, "a": ${deep}}`, 't.json')).length, 1);
  assert.is(told(parseJson('['.repeat(100_000), 't.json')).length, 1);
  assert.is(findJsonLines(deep)('/0'), 1);
});

test('the lines of pointers are found, or of the nearest value that exists', () => {
  const lineOf = findJsonLines(
    '{\n  // a comment\n  "a": [\n    { "x": 1 },\n    {\n      "y/z": { "~": null } }\n  ],\n  "": 2\n}',
  );
  const pointers = [
    '',
    '/a',
    '/a/0',
    '/a/0/x',
    '/a/1',
    '/a/1/y~1z',
    '/a/1/y~1z/~0',
    '/',
    '/a/1/absent/deeper',
  ];
  assert.equal([...pointers, '/a/7', '/absent'].map(lineOf), [1, 3, 4, 4, 5, 6, 6, 8, 5, 3, 1]);
  assert.equal([findJsonLines('')('/a'), findJsonLines('\ufeff{\n"a": 1}')('/a')], [1, 2]);
});

test('each line of JSON Lines is a row, and each broken line a finding', () => {
  const lines = (text: string) => parseJsonLines(text, 't.jsonl');
  assert.equal(valueIn(lines('{"id": "a"}\r\n\r\n[1]\n"x"\r\n')), [{ id: 'a' }, [1], 'x']);
  assert.equal(
    told(lines('{"a": 1}\n\n{"a": }\n{"a": 1, "a": 2}\n{"a": 1')).map((text) =>
      text.split(' ').slice(0, 3).join(' '),
    ),
    ['file-syntax 3 /1', 'duplicate-key 4 /2/a', 'file-syntax 5 /3'],
  );
  for (const text of ['', '\n \r\n']) assert.match(told(lines(text)).join(), 'an empty file');
  const lineOf = findJsonLinesLines('1\n\n2\n\r\n{"a": 1}');
  assert.equal(['', '/0', '/1', '/2/a', '/3'].map(lineOf), [1, 1, 3, 5, 1]);
});

test.run();
