import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findJsonLines, parseJson } from '../../../../scripts/read/json.ts';
import { fc } from '../../../support/random.ts';

const test = suite('json');

function parse(text: string): unknown {
  const outcome = parseJson(text, 't.json');
  if ('finding' in outcome) throw new Error(outcome.finding.found);
  return outcome.value;
}

const values: [why: string, text: string, expected: unknown][] = [
  ['comments of both kinds are allowed', '{ // one\n "a": /* two */ 1 }', { a: 1 }],
  ['comment marks inside a string are text', '{"url": "http://x/*y*/"}', { url: 'http://x/*y*/' }],
  [
    'long integers become strings of their digits',
    '[9007199254740993, -9007199254740993]',
    ['9007199254740993', '-9007199254740993'],
  ],
  [
    'integers that a number holds exactly are numbers',
    '[9007199254740991, 1000000000000000]',
    [9007199254740991, 1e15],
  ],
  [
    'digits inside a string stay unchanged',
    '["x 9007199254740993 y", "9007199254740993"]',
    ['x 9007199254740993 y', '9007199254740993'],
  ],
  ['an escaped quote does not end a string', '["\\" 9007199254740993", 1]', ['" 9007199254740993', 1]],
  ['a key of digits stays a key', '{"9007199254740993": 1}', { '9007199254740993': 1 }],
  [
    'long decimals are numbers',
    '[0.30000000000000004, 1234567890123456.5]',
    [0.30000000000000004, 1234567890123456.5],
  ],
  [
    'long numbers with an exponent are numbers',
    '[9007199254740993e0, 1E9007199254740993]',
    [9007199254740992, Infinity],
  ],
];
for (const [why, text, expected] of values) test(why, () => assert.equal(parse(text), expected));

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
      assert.is(JSON.stringify(parse(JSON.stringify(value, null, indent))), JSON.stringify(value));
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

const broken: [text: string, line: number, found: RegExp][] = [
  ['{\n "a": 1\n "b": 2\n}', 3, /comma expected at ""b": 2"/],
  ['[1,\n2,\n]', 3, /value expected at "]"/],
  ['{"a": }', 1, /value expected/],
  ['{\n"a": NaN}', 2, /invalid symbol at "NaN}"/],
  ["{\n\n'a': 1}", 3, /invalid symbol/],
  ['{\n"a": 1', 2, /close brace expected at the end of the line/],
  ['', 1, /^an empty file$/],
  [' \n\t', 2, /^an empty file$/],
  ['['.repeat(100_000), 1, /./],
];
for (const [text, line, found] of broken) {
  test(`${JSON.stringify(text.slice(0, 20))} is a finding on line ${line}`, () => {
    const outcome = parseJson(text, 't.json');
    if (!('finding' in outcome)) throw new Error('parsing succeeded');
    assert.equal(outcome.finding.place, { file: 't.json', pointer: '', line });
    assert.match(outcome.finding.found, found);
    assert.is(outcome.finding.check, 'json-syntax');
  });
}

const TEXT = `{
  // a comment
  "a": [
    { "x": 1 },
    {
      "y/z": { "~": null } }
  ],
  "": 2
}`;
const lines: [pointer: string, line: number][] = [
  ['', 1],
  ['/a', 3],
  ['/a/0', 4],
  ['/a/0/x', 4],
  ['/a/1', 5],
  ['/a/1/y~1z', 6],
  ['/a/1/y~1z/~0', 6],
  ['/', 8],
  ['/a/1/absent/deeper', 5],
  ['/a/7', 3],
  ['/absent', 1],
];
for (const [pointer, line] of lines) {
  test(`"${pointer}" is on line ${line}`, () => assert.is(findJsonLines(TEXT)(pointer), line));
}

test('the line of a pointer is found in empty, marked and deeply nested texts', () => {
  assert.is(findJsonLines('')('/a'), 1);
  assert.is(findJsonLines('\ufeff{\n"a": 1}')('/a'), 2);
  assert.is(findJsonLines(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)('/0'), 1);
});

test.run();
