import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReadOptions } from '../../../../scripts/findings.ts';
import { findKeyValueLines, parseKeyValue } from '../../../../scripts/read/key-value.ts';

const test = suite('key-value text');

function parse(text: string, options: ReadOptions = {}) {
  const outcome = parseKeyValue(text, 't.txt', options);
  return 'finding' in outcome ? { value: undefined, findings: [outcome.finding] } : outcome;
}

const cases: [why: string, text: string, options: ReadOptions, expected: Record<string, string>][] = [
  ['the first delimiter splits', 'a=b=c', {}, { a: 'b=c' }],
  ['spaces around key and value are dropped, spaces inside stay', ' a b =  c d \r\n', {}, { 'a b': 'c d' }],
  [
    'other white space is part of the key or value',
    '\u3000a\u00a0=\u3000b\u2003\nc=\u00a0 \nd = e\u00a0\t\r\n\ufeff=f',
    {},
    { '\u3000a\u00a0': '\u3000b\u2003', c: '\u00a0', d: 'e\u00a0', '\ufeff': 'f' },
  ],
  ['a value is always a text', 'a=1\nb=true\nc=', {}, { a: '1', b: 'true', c: '' }],
  ['blank lines and comments are skipped', '# a=1\n\n  # b\nc=1 # d\n', {}, { c: '1 # d' }],
  ['the start of a comment can be set', '// a\n#b=1', { comment: '//' }, { '#b': '1' }],
  ['comments can be turned off', '#a=1', { comment: '' }, { '#a': '1' }],
  ['the delimiter can be set', 'a:b=1\nc=d:2', { delimiter: ':' }, { a: 'b=1', 'c=d': '2' }],
  ['a delimiter can be several characters', 'a => b=>c', { delimiter: '=>' }, { a: 'b=>c' }],
  ['a delimiter can be a tab', 'a b\tc\td', { delimiter: '\t' }, { 'a b': 'c\td' }],
  ['without "escapes", a backslash is a backslash', 'a\\=b=\\n', {}, { 'a\\': 'b=\\n' }],
  [
    'with "escapes", backslashes escape characters as in most languages',
    'a\\=b=one\\ntwo\\u00e9\\\\n\\d',
    { escapes: 'backslash' },
    { 'a=b': 'one\ntwoé\\n\\d' },
  ],
];
for (const [why, text, options, expected] of cases) {
  test(why, () => assert.equal(parse(text, options), { value: expected, findings: [] }));
}

test('__proto__ and constructor are keys like any other', () => {
  assert.is(JSON.stringify(parse('__proto__=1\nconstructor=2').value), '{"__proto__":"1","constructor":"2"}');
});

test('lines that are not pairs, duplicate keys and empty files are findings with their lines', () => {
  const { value, findings } = parse('a=1\nb\n=2\n\na/b=1\na/b = 2\na=1\n');
  assert.equal(
    findings.map(({ check, place: { pointer, line }, found }) => [check, pointer, line, found]),
    [
      ['key-value-syntax', '', 2, 'the line "b"'],
      ['key-value-syntax', '', 3, 'the line "=2"'],
      ['duplicate-key', '/a~1b', 6, 'a second "a/b" with another value'],
    ],
  );
  assert.equal(value, { a: '1', 'a/b': '1' });
  for (const text of ['', '\n', '# a=1']) assert.is(parse(text).findings[0]?.found, 'an empty file');
});

test('the lines of keys are found', () => {
  const lineOf = findKeyValueLines('a:1\n#\nb:2', { delimiter: ':' });
  assert.equal(['', '/a', '/b', '/c'].map(lineOf), [1, 1, 3, 1]);
});

test.run();
