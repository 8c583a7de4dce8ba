import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import type { Finding } from '../../../scripts/findings.ts';
import type { ReadOptions } from '../../../scripts/read/formats.ts';
import { findKeyValueLines, parseKeyValue } from '../../../scripts/read/key-value.ts';
import { findYamlLines, parseYaml } from '../../../scripts/read/yaml.ts';
import { fc } from '../../support/random.ts';
import { table } from '../check/cases.ts';

const test = suite('yaml and key-value text');

function outcomeOf(outcome: ReturnType<typeof parseYaml>): { value: unknown; findings: readonly Finding[] } {
  return 'finding' in outcome ? { value: undefined, findings: [outcome.finding] } : outcome;
}
const parse = (text: string) => outcomeOf(parseYaml(text, 't.yaml'));
const pairs = (text: string, options: ReadOptions = {}) => outcomeOf(parseKeyValue(text, 't.txt', options));

/** A text, and its value. */
const VALUES = table`
  [yes, on, ~, null, true, 2026-01-02]         | ["yes","on",null,null,true,"2026-01-02"]
  [010, 0x1F, 0o17, 1.50, 1e3]                 | [10,31,15,1.5,1000]
  %YAML 1.1¶---¶[yes, 010]                     | ["yes",10]
  [9007199254740993, 9007199254740991, "123"]  | ["9007199254740993",9007199254740991,"123"]
  {007: a, null: b, 9007199254740993: c, 1.0: d, : e} | {"007":"a","null":"b","9007199254740993":"c","1.0":"d","":"e"}
  a:¶b: ""                                     | {"a":null,"b":""}
  a: ~¶b: !!str 1                              | {"a":null,"b":"1"}
  a: &x {b: 1}¶c: [*x, *x]                     | {"a":{"b":1},"c":[{"b":1},{"b":1}]}
  [&x 1, *x, &x 2, *x]                         | [1,1,2,2]
  __proto__: {polluted: 1}¶constructor: 2      | {"__proto__":{"polluted":1},"constructor":2}
  "<<": 1                                      | {"<<":1}
`;
for (const [text = '', value] of VALUES)
  test(`${JSON.stringify(text)} is ${value}`, () => {
    const { value: found, findings } = parse(text);
    assert.equal([JSON.stringify(found), findings], [value, []]);
  });

function holdsLongInteger(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsLongInteger);
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

test('any JSON value that is written as YAML is read back unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      fc.pre(!holdsLongInteger(value));
      const text = stringify(value, { aliasDuplicateObjects: false });
      assert.is(JSON.stringify(parse(text).value), JSON.stringify(value));
    }),
  );
});

const LEVELS = Array.from(
  { length: 30 },
  (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}]`,
);
const FAULTS = [
  ...table`
    a: 1¶b: {c: 1,¶               | file-syntax 3
    a: 1¶  b: 2¶                  | file-syntax 1
    a: 1¶---¶b: 2¶                | file-syntax 2   | multiple documents
    a: 1¶? [x]¶: 2¶               | file-syntax 2   | keys must be strings
    a:¶  b/c: 1¶  b/c: 2¶         | duplicate-key 3 | a second "b/c"
    x: &x {a: 1}¶y:¶  <<: *x¶     | file-syntax 3 | the merge key <<
    - 1¶- *x¶                     | file-syntax 1    | x
                                  | file-syntax 1   | an empty file
    # a¶---¶                      | file-syntax 1   | an empty file
  `,
  ['a:\n\tb: 1\n', 'file-syntax 2', 'ab'],
  ['['.repeat(20_000), 'file-syntax 1', 'nesting that is too deep'],
  ['- '.repeat(20_000), 'file-syntax 1', 'nesting that is too deep'],
  [`l0: &l0 [a, b]\n${LEVELS.join('\n')}\n`, 'file-syntax 1', 'Excessive alias count'],
];
for (const [text = '', place = '', said = ''] of FAULTS)
  test(`${JSON.stringify(text.slice(0, 30))} is the finding ${place}`, () => {
    const { findings } = parse(text);
    assert.is(
      findings.map(({ check, place: { line, pointer } }) => `${check} ${line} ${pointer}`.trim()).join(),
      place,
    );
    assert.match(findings[0]?.found ?? '', said);
  });

test('the lines of values are found', () => {
  const lineOf = findYamlLines('# x\n- id: a\n  stats:\n    hp: 1\n- id: b\n  b/c:\n    - 1\n    - 2\n');
  const pointers = ['', '/0', '/0/stats', '/0/stats/hp', '/1/id', '/1/b~1c', '/1/b~1c/1', '/1/x/y', '/7'];
  assert.equal(pointers.map(lineOf), [2, 2, 3, 4, 5, 6, 8, 5, 2]);
  assert.equal(['', '/a'].map(findYamlLines('')), [1, 1]);
  assert.is(findYamlLines('['.repeat(20_000))('/0/0'), 1);
  const ofKey = findKeyValueLines('a:1\n#\nb:2', { delimiter: ':' });
  assert.equal(['', '/a', '/b', '/c'].map(ofKey), [1, 1, 3, 1]);
});

const PAIRS: [text: string, expected: Record<string, string>, options?: ReadOptions][] = [
  ['a=b=c', { a: 'b=c' }],
  [' a b =  c d \r\n', { 'a b': 'c d' }],
  [
    '\u3000a\u00a0=\u3000b\u2003\nc=\u00a0 \n\ufeff=f',
    { '\u3000a\u00a0': '\u3000b\u2003', c: '\u00a0', '\ufeff': 'f' },
  ],
  ['a=1\nb=true\nc=', { a: '1', b: 'true', c: '' }],
  ['# a=1\n\n  # b\nc=1 # d\n', { c: '1 # d' }],
  ['// a\n#b=1', { '#b': '1' }, { comment: '//' }],
  ['#a=1', { '#a': '1' }, { comment: '' }],
  ['a:b=1\nc=d:2', { a: 'b=1', 'c=d': '2' }, { delimiter: ':' }],
  ['a => b=>c', { a: 'b=>c' }, { delimiter: '=>' }],
  ['a b\tc\td', { 'a b': 'c\td' }, { delimiter: '\t' }],
  ['a\\=b=\\n', { 'a\\': 'b=\\n' }],
  ['a\\=b=one\\ntwo\\u00e9\\\\n\\d', { 'a=b': 'one\ntwoé\\n\\d' }, { escapes: 'backslash' }],
];
for (const [text, value, options] of PAIRS)
  test(`the pairs ${JSON.stringify(text)} with ${JSON.stringify(options ?? {})}`, () =>
    assert.equal(pairs(text, options), { value, findings: [] }));

test('lines that are not pairs, duplicate keys and empty files are findings with their lines', () => {
  assert.is(JSON.stringify(pairs('__proto__=1\nconstructor=2').value), '{"__proto__":"1","constructor":"2"}');
  const { value, findings } = pairs('a=1\nb\n=2\n\na/b=1\na/b = 2\na=1\n');
  assert.equal(
    findings.map(({ check, place: { pointer, line }, found }) => [check, pointer, line, found]),
    [
      ['file-syntax', '', 2, 'the line "b"'],
      ['file-syntax', '', 3, 'the line "=2"'],
      ['duplicate-key', '/a~1b', 6, 'a second "a/b" with another value'],
    ],
  );
  assert.equal(value, { a: '1', 'a/b': '1' });
  for (const text of ['', '\n', '# a=1']) assert.is(pairs(text).findings[0]?.found, 'an empty file');
});

test.run();
