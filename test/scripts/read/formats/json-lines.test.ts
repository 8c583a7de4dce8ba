import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findJsonLinesLines, parseJsonLines } from '../../../../scripts/read/json.ts';

const test = suite('json lines');

function parse(text: string) {
  const outcome = parseJsonLines(text, 't.jsonl');
  return 'finding' in outcome ? { value: undefined, findings: [outcome.finding] } : outcome;
}

test('each line is a row; blank lines and CRLF make no difference', () => {
  const text = '{"id": "a"}\r\n\r\n[1]\n"x"\r\n';
  assert.equal(parse(text), { value: [{ id: 'a' }, [1], 'x'], findings: [] });
});

test('long integers and keys such as __proto__ are kept', () => {
  const { value } = parse('{"n": 9007199254740993}\n{"__proto__": {"polluted": 1}}');
  assert.is(JSON.stringify(value), '[{"n":"9007199254740993"},{"__proto__":{"polluted":1}}]');
  assert.is(({} as Record<string, unknown>).polluted, undefined);
});

test('each broken line is a finding with its line and row', () => {
  const { findings } = parse('{"a": 1}\n\n{"a": }\n{"a": 1, "a": 2}\n{"a": 1');
  assert.equal(
    findings.map(({ check, place }) => [check, place]),
    [
      ['json-syntax', { file: 't.jsonl', pointer: '/1', line: 3 }],
      ['duplicate-key', { file: 't.jsonl', pointer: '/2/a', line: 4 }],
      ['json-syntax', { file: 't.jsonl', pointer: '/3', line: 5 }],
    ],
  );
});

test('a file without rows is a finding', () => {
  for (const text of ['', '\n \r\n']) assert.is(parse(text).findings[0]?.found, 'an empty file');
});

test('the lines of rows and their attributes are found', () => {
  const lineOf = findJsonLinesLines('1\n\n2\n\r\n{"a": 1}');
  assert.equal(['', '/0', '/1', '/2/a', '/3'].map(lineOf), [1, 1, 3, 5, 1]);
});

test.run();
