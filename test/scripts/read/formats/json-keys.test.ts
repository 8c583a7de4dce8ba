import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson } from '../../../../scripts/read/json.ts';
import { fc } from '../../../support/random.ts';

const test = suite('duplicate keys in json');

function duplicatesOf(text: string): string[] {
  const outcome = parseJson(text, 't.json');
  if ('finding' in outcome) throw new Error(outcome.finding.found);
  return outcome.findings.map(({ check, place, found }) => {
    assert.is(check, 'duplicate-key');
    return `${place.line} ${place.pointer} ${found}`;
  });
}

const cases: [why: string, text: string, expected: string[]][] = [
  ['a second key is a finding with its line', '{"a": 1,\n"b": 2,\n"a": 3}', ['3 /a a second "a"']],
  [
    'each of several duplicates is found',
    '{"a": 1, "a": 2,\n"a": 3}',
    ['1 /a a second "a"', '2 /a a second "a"'],
  ],
  [
    'a duplicate is found inside a value that a later duplicate replaces',
    '{"a": {"b": 1,\n"b": 1},\n"a": 1}',
    ['2 /a/b a second "b"', '3 /a a second "a"'],
  ],
  ['a duplicate is found inside lists', '[0, {"x/y": [{"a": 1, "a": 1}]}]', ['1 /1/x~1y/0/a a second "a"']],
  ['keys are compared after escapes are resolved', '{"a": 1, "\\u0061": 2}', ['1 /a a second "a"']],
  ['comments do not shift lines', '{ // "a": 1\n"a": 1, /* "a":\n */ "a": 2}', ['3 /a a second "a"']],
  [
    '__proto__ counts like any other',
    '{"__proto__": 1, "__proto__": 2}',
    ['1 /__proto__ a second "__proto__"'],
  ],
  ['long integers make no difference', '{"a": 9007199254740993,\n"a": 1}', ['2 /a a second "a"']],
  ['texts that look like keys are not keys', '{"a": "\\"a\\": 1, \\\\", "b": ["a", "a"], "c": ":"}', []],
  ['equal keys of different objects are not duplicates', '[{"a": {"a": 1}}, {"a": 1}]', []],
];
for (const [why, text, expected] of cases) test(why, () => assert.equal(duplicatesOf(text), expected));

test('JSON from JSON.stringify has no duplicate keys', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
      assert.equal(duplicatesOf(JSON.stringify(value, null, indent)), []);
    }),
  );
});

test('any duplicate key is found', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), fc.jsonValue(), (key, one, other) => {
      const name = JSON.stringify(key);
      const text = `{${name}: ${JSON.stringify(one)}, ${name} :\t${JSON.stringify(other)}}`;
      assert.is(duplicatesOf(text).length, 1);
    }),
  );
});

test('nesting deeper than the call stack is a finding, not a crash', () => {
  const depth = 100_000;
  const text = `${'[{"a": '.repeat(depth)}1${'}]'.repeat(depth)}`;
  assert.equal(duplicatesOf(text), []);
  assert.is(duplicatesOf(`{"a": 1, "a": ${text}}`).length, 1);
});

test.run();
