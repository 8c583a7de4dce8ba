import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';

const test = suite('expressions in their own files');

function gameOf(mapping: JsonObject, files: Files = {}): Files {
  return gameFiles({
    'game.json': { title: 'Game', tables: { units: 'raw/units.json' }, ...mapping },
    '1.0/characters.json': undefined,
    '1.0/raw/units.json': { a: { n: 'Ann', s: 4 }, b: { n: 'Bob', s: 0 } },
    ...files,
  });
}
const entryOf = (file: string): JsonObject => ({ roster: { from: 'units', entry: { file } } });

const ENTRY = "/* Names are\n   as upstream has them. */\n{\n  'id': $key,\n  'name': n /* short */\n}\n";

test('every expression may be in a file, with comments', async () => {
  const { builds, findings } = await compileFiles(
    gameOf(
      {
        roster: {
          from: 'units',
          where: { file: 'mapping/where.jsonata' },
          entry: { file: 'entry.jsonata' },
          record: { file: 'mapping/more/record.jsonata' },
        },
        datasets: {
          top: { file: 'top.jsonata' },
          unit_names: { from: 'units', entry: { file: 'entry.jsonata' } },
        },
        changes: [{ from: '1.0', datasets: { low: { file: 'low.jsonata' } } }],
      },
      {
        'mapping/where.jsonata': 's > 0',
        'entry.jsonata': `\uFEFF${ENTRY}`,
        'mapping/more/record.jsonata': "{ 'stars': s }",
        'top.jsonata': "{ 'stars': $max(units.*.s) }",
        'low.jsonata': "{ 'stars': $min(units.*.s) }",
      },
    ),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.characters, [{ id: 'a', name: 'Ann', stars: 4 }]);
  assert.equal(builds[0]?.datasets.unit_names, [
    { id: 'a', name: 'Ann' },
    { id: 'b', name: 'Bob' },
  ]);
  assert.equal([builds[0]?.datasets.top, builds[0]?.datasets.low], [{ stars: 4 }, { stars: 0 }]);
});

/** A file whose expression cannot be parsed, and the line that the finding names. */
const unparsable: [text: string, line: number, found: RegExp][] = [
  ['{\n  "id": $key,\n  "name" n\n}', 3, /S0202/],
  ['/* a\n b */\n\n$sum(', 4, /S0203|S0207/],
  ["{ 'id': $key }\n}", 2, /S0201/],
  ["{\n'id': 'never closed\n}", 3, /S0101/],
  ['\n/* never closed', 2, /S0106/],
  ['', 1, /S0207/],
  ['/* only a comment */', 1, /S0207/],
];
for (const [text, line, found] of unparsable) {
  test(`the syntax error in ${JSON.stringify(text)} is reported at its line ${line}`, async () => {
    const { builds, findings } = await compileFiles(
      gameOf(entryOf('mapping/entry.jsonata'), { 'mapping/entry.jsonata': text }),
    );
    assert.equal(placesOf(findings), [`expression-syntax mapping/entry.jsonata:${line}`]);
    assert.match(findings[0]?.found ?? '', found);
    assert.equal(builds, []);
  });
}

test('a failing expression is reported at the row, with the file and line to correct', async () => {
  const { findings } = await compileFiles(
    gameOf(entryOf('entry.jsonata'), { 'entry.jsonata': "{\n  'id': $key,\n  'name': $uppercase(s)\n}" }),
  );
  assert.equal(
    findings.filter(({ check }) => check === 'expression-result').map(({ place, fix }) => [place.line, fix]),
    [
      [2, 'correct entry.jsonata:3'],
      [6, 'correct entry.jsonata:3'],
    ],
  );
});

test('a dataset by one expression is placed in the file', async () => {
  for (const text of ['units.*.s', '\n$error("no")']) {
    const { findings } = await compileFiles(
      gameOf(
        { ...entryOf('entry.jsonata'), datasets: { d: { file: 'd.jsonata' } } },
        {
          'entry.jsonata': ENTRY,
          'd.jsonata': text,
        },
      ),
    );
    assert.ok(findings.length > 0);
    assert.ok(findings.every(({ place }) => place.file === 'd.jsonata' && place.line === 1));
  }
});

for (const file of [
  '../entry.jsonata',
  '/etc/entry.jsonata',
  'a/../../b.jsonata',
  'a\\b.jsonata',
  'e.json',
  '.jsonata/..',
]) {
  test(`the path ${file} is refused`, async () => {
    const { findings } = await compileFiles(gameOf(entryOf(file)));
    assert.equal(placesOf(findings), ['definition game.json:8 /roster/entry']);
    assert.match(findings[0]?.expected ?? '', 'inside the game');
  });
}

test('a file that is missing, a folder or too long is a finding, and the tables are still checked', async () => {
  for (const [files, found] of [
    [{}, /no file .*entry\.jsonata$/],
    [{ 'entry.jsonata/x': 'x' }, /which is not a file/],
    [{ 'entry.jsonata': `1${' '.repeat(1 << 20)}` }, /of 1048577 bytes/],
  ] as [Files, RegExp][]) {
    const { findings } = await compileFiles(
      gameOf(entryOf('entry.jsonata'), { ...files, '1.0/raw/units.json': '[' }),
    );
    assert.equal(placesOf(findings), [
      'json-syntax 1.0/raw/units.json:1',
      'expression-file game.json:8 /roster/entry',
    ]);
    assert.match(findings[1]?.found ?? '', found);
  }
});

test.run();
