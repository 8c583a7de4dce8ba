import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countFindings, locateFindings, renderFindings } from '../../../scripts/check/report.ts';
import type { Finding } from '../../../scripts/findings.ts';
import { placesOf, withFolder } from '../../support/fixtures.ts';

const test = suite('report');

function findingAt(file: string, pointer: string, line?: number): Finding {
  const place = { file, pointer, ...(line !== undefined && { line }) };
  return { check: 'ids', severity: 'error', place, found: 'this', expected: 'that' };
}

test('findings get the line of their pointer and are sorted by file and line, without duplicates', async () => {
  await withFolder({ 'a10.json': '{\n"x": 1,\n"y": 2}', 'a2.json': '1' }, async (folder) => {
    const at = (file: string, pointer: string, line?: number) =>
      findingAt(path.join(folder, file), pointer, line);
    const located = await locateFindings([
      at('a10.json', '/y'),
      at('a10.json', '/x'),
      at('gone.json', '/x'),
      at('a10.json', '', 7),
      at('a10.json', '/y'),
      at('a2.json', ''),
    ]);
    assert.equal(
      placesOf(located).map((text) => text.replace(`${folder}/`, '')),
      ['ids a2.json:1', 'ids a10.json:2 /x', 'ids a10.json:3 /y', 'ids a10.json:7', 'ids gone.json:1 /x'],
    );
  });
});

test('each of many findings in a list or an object gets its own line', async () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => at);
  const files = {
    'list.json': `[\n${rows.map((row) => `{"n": ${row}}`).join(',\n')}\n]`,
    'object.json': `{\n${rows.map((row) => `"k${row}": {"n": ${row}}`).join(',\n')}\n}`,
  };
  await withFolder(files, async (folder) => {
    const located = await locateFindings([
      ...rows.map((row) => findingAt(path.join(folder, 'list.json'), `/${row}/n`)),
      ...rows.map((row) => findingAt(path.join(folder, 'object.json'), `/k${row}/n`)),
    ]);
    assert.equal(
      located.map(({ place }) => place.line),
      [...rows, ...rows].map((row) => row + 2),
    );
  });
});

test('for a duplicate key, the line is the one of the last value', async () => {
  await withFolder({ 'f.json': '{\n"x": 1,\n"x": "2"}' }, async (folder) => {
    const located = await locateFindings([findingAt(path.join(folder, 'f.json'), '/x')]);
    assert.is(located[0]?.place.line, 3);
  });
});

test('a finding shows its place, what was found, what was expected, and what to do if that is known', () => {
  assert.is(
    renderFindings([
      findingAt('f.json', '/a/0', 3),
      { ...findingAt('g.csv', '', 1), severity: 'warning', fix: 'do it' },
    ]),
    `error f.json:3 /a/0 (ids)
  found     this
  expected  that

warning g.csv:1 (ids)
  found     this
  expected  that
  to do     do it
`,
  );
});

test('findings that are not listed are shown as a number, and counted', () => {
  const findings = [
    { ...findingAt('f.json', '/20', 3), more: 380 },
    { ...findingAt('g.json', '', 1), severity: 'warning' as const, more: 5 },
  ];
  assert.match(
    renderFindings(findings),
    '  expected  that\n  and       380 more of this check in the file\n',
  );
  assert.is(countFindings(findings).errors, 381);
});

test('control characters and invisible characters become escapes', () => {
  const finding = { ...findingAt('f\u001b[2J.json', '/a\nb\u202e', 1), found: 'x\u009b\u{e0001}é🎮\ud800' };
  assert.match(
    renderFindings([finding]),
    'error f\\u001b[2J.json:1 /a\\u000ab\\u202e (ids)\n  found     x\\u009b\\u{e0001}é🎮\\ud800\n',
  );
});

test.run();
