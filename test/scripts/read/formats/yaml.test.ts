import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { findYamlLines, parseYaml } from '../../../../scripts/read/yaml.ts';
import { fc } from '../../../support/random.ts';

const test = suite('yaml');

function parse(text: string) {
  const outcome = parseYaml(text, 't.yaml');
  return 'finding' in outcome ? { value: undefined, findings: [outcome.finding] } : outcome;
}

const values: [why: string, text: string, json: string][] = [
  [
    'words are read by the core schema',
    '[yes, on, ~, null, true, 2026-01-02]',
    '["yes","on",null,null,true,"2026-01-02"]',
  ],
  ['numbers are read by the core schema', '[010, 0x1F, 0o17, 1.50, 1e3]', '[10,31,15,1.5,1000]'],
  ['a file that declares YAML 1.1 is still read as YAML 1.2', '%YAML 1.1\n---\n[yes, 010]', '["yes",10]'],
  [
    'long integers become strings of their digits',
    '[9007199254740993, -9007199254740993, 9007199254740991, "123"]',
    '["9007199254740993","-9007199254740993",9007199254740991,"123"]',
  ],
  [
    'keys are strings as written',
    '{007: a, null: b, 9007199254740993: c, 1.0: d, : e}',
    '{"007":"a","null":"b","9007199254740993":"c","1.0":"d","":"e"}',
  ],
  ['an attribute without a value is null', 'a:\nb: ""', '{"a":null,"b":""}'],
  ['block texts keep their lines', 'a: |\n  x\n  y\n', '{"a":"x\\ny\\n"}'],
  [
    'an alias has the value of its anchor',
    'a: &x {b: 1}\nc: [*x, *x]',
    '{"a":{"b":1},"c":[{"b":1},{"b":1}]}',
  ],
  ['an anchor may be set again', '[&x 1, *x, &x 2, *x]', '[1,1,2,2]'],
  [
    '__proto__ and constructor are keys',
    '__proto__: {polluted: 1}\nconstructor: 2',
    '{"__proto__":{"polluted":1},"constructor":2}',
  ],
  ['a merge key in quotes is a key', '"<<": 1', '{"<<":1}'],
];
for (const [why, text, json] of values) {
  test(why, () => {
    const { value, findings } = parse(text);
    assert.equal([JSON.stringify(value), findings], [json, []]);
    assert.is(({} as Record<string, unknown>).polluted, undefined);
  });
}

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

const broken: [why: string, text: string, place: string, found: RegExp][] = [
  ['a truncated file', 'a: 1\nb: {c: 1,\n', 'yaml-syntax 3 ', /./],
  ['wrong indentation', 'a: 1\n  b: 2\n', 'yaml-syntax 1 ', /./],
  ['a tab as indentation', 'a:\n\tb: 1\n', 'yaml-syntax 2 ', /[Tt]ab/],
  ['a second document', 'a: 1\n---\nb: 2\n', 'yaml-syntax 2 ', /^a second document$/],
  ['a key that is not a string', 'a: 1\n? [x]\n: 2\n', 'yaml-syntax 2 ', /keys must be strings/],
  ['a duplicate key', 'a:\n  b/c: 1\n  b/c: 2\n', 'duplicate-key 3 /a/b~1c', /^a second "b\/c"$/],
  ['a merge key', 'x: &x {a: 1}\ny:\n  <<: *x\n', 'yaml-syntax 3 /y/<<', /^the merge key <<$/],
  ['an alias without an anchor', '- 1\n- *x\n', 'yaml-alias 2 /1', /^the alias \*x$/],
  ['an alias inside its own value', '&x\n- 1\n- [*x]\n', 'yaml-alias 3 /1/0', /inside its own value/],
  ['an empty file', '', 'yaml-syntax 1 ', /^an empty file$/],
  ['a file of comments', '# a\n---\n', 'yaml-syntax 1 ', /^an empty file$/],
  ['very deep nesting', '['.repeat(20_000), 'yaml-syntax 1 ', /nesting that is too deep/],
  ['very deep nesting in blocks', '- '.repeat(20_000), 'yaml-syntax 1 ', /nesting that is too deep/],
  [
    'more values than the limit',
    '- a\n'.repeat(2_000_001),
    'yaml-syntax 1 ',
    /^more than 32 MiB, or more than 2000000/,
  ],
];
for (const [why, text, expected, found] of broken) {
  test(`${why} is a finding with its line`, () => {
    const { findings } = parse(text);
    assert.equal(
      findings.map(({ check, severity, place }) => `${severity} ${check} ${place.line} ${place.pointer}`),
      [`error ${expected}`],
    );
    assert.match(findings[0]?.found ?? '', found);
  });
}

test('aliases that multiply are stopped with one finding', () => {
  const levels = Array.from(
    { length: 30 },
    (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}, *l${level}]`,
  );
  const { findings } = parse(`l0: &l0 [a, b]\n${levels.join('\n')}\n`);
  assert.is(findings.length, 1);
  assert.is(findings[0]?.check, 'yaml-alias');
  assert.match(findings[0]?.expected ?? '', 'at most 1000000 values');
});

test('tags outside of the core schema are one warning per file', () => {
  const { value, findings } = parse('- !Unit {id: a}\n- !Unit {id: b}\n- !!binary aGk=\n');
  assert.equal(value, [{ id: 'a' }, { id: 'b' }, 'aGk=']);
  assert.equal(
    findings.map(({ severity, place, found }) => [severity, place.line, found]),
    [['warning', 1, 'Unresolved tag: !Unit, and 2 more']],
  );
});

test('the lines of values are found', () => {
  const lineOf = findYamlLines('# x\n- id: a\n  stats:\n    hp: 1\n- id: b\n  b/c:\n    - 1\n    - 2\n');
  const pointers = ['', '/0', '/0/stats', '/0/stats/hp', '/1/id', '/1/b~1c', '/1/b~1c/1', '/1/x/y', '/7'];
  assert.equal(pointers.map(lineOf), [2, 2, 3, 4, 5, 6, 8, 5, 2]);
  assert.equal(['', '/a'].map(findYamlLines('')), [1, 1]);
  assert.is(findYamlLines('['.repeat(20_000))('/0/0'), 1);
});

test.run();
