import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderFindings } from '../../../scripts/check/report.ts';
import { compileFiles, type Files, gameFiles } from '../../support/fixtures.ts';
import { manyRecords } from './cases.ts';

const test = suite('one cause has one finding');

/** A game with 95 units and this mapping of the roster. */
const mapped = (roster: Record<string, string>, files: Files = {}): Files => ({
  'game.json': {
    title: 'Game',
    tables: { units: 'units.json', texts: 'texts.json' },
    roster: { from: 'units', entry: "{'id': id, 'name': $lookup($tables.texts, id)}", ...roster },
  },
  '1.0/characters.json': undefined,
  '1.0/units.json': manyRecords(95, (index) => ({ level: `L${index}` })),
  '1.0/texts.json': Object.fromEntries(manyRecords(95).map(({ id, name }) => [String(id), name ?? ''])),
  ...files,
});

/** What is wrong with a game, and the check and number of further findings of each. */
const CASES: [what: string, files: Files, expected: [check: string, more?: number][]][] = [
  ['nothing', mapped({}), []],
  [
    'an expression that fails for all rows',
    mapped({ entry: "{'id': id, 'n': $number(level)}" }),
    [['expression-result', 94]],
  ],
  ['a `where` that fails for all rows', mapped({ where: '$number(level) > 1' }), [['expression-result', 94]]],
  ['a `where` that drops all rows', mapped({ where: "level = 'X'" }), [['roster-size']]],
  [
    'a misspelt attribute of a row that records need',
    mapped({ entry: "{'id': id, 'name': nmae}" }),
    [['character-schema', 94]],
  ],
  ['a misspelt table', mapped({ from: 'unit' }), [['mapping-tables']]],
  [
    'a misspelt table in an expression',
    mapped({ entry: "{'id': id, 'name': $lookup($tables.text, id)}" }),
    [['mapping-tables']],
  ],
  ['an unreadable file', mapped({}, { '1.0/units.json': '[' }), [['json-syntax']]],
  ['an unreadable file that is joined', mapped({}, { '1.0/texts.json': '{' }), [['json-syntax']]],
];
for (const [what, files, expected] of CASES) {
  test(`${what}: ${expected.map((row) => row.join(' ')).join(', ') || 'no finding'}`, async () => {
    const { findings } = await compileFiles(gameFiles(files));
    assert.equal(
      findings.map(({ check, more }) => (more === undefined ? [check] : [check, more])),
      expected,
    );
  });
}

test('the finding of a failing expression counts what follows from it', async () => {
  const { findings } = await compileFiles(gameFiles(mapped({ entry: "{'id': id, 'n': $number(level)}" })));
  assert.match(findings[0]?.found ?? '', /; 1 finding that it causes: not listed$/);
});

/** Files of which one cannot be read, and what the one finding says. */
const FOLLOWING: [what: string, files: Files, check: string, found: string][] = [
  [
    'a table that records are joined with',
    mapped({}, { '1.0/texts.json': '{' }),
    'json-syntax',
    '; 95 findings that it causes: not listed',
  ],
  [
    'a table without which an expression fails',
    mapped(
      { entry: "{'id': id, 'name': $tables.texts ? $lookup($tables.texts, id) : $error('no texts')}" },
      { '1.0/texts.json': '{' },
    ),
    'json-syntax',
    '; 96 findings that it causes: not listed',
  ],
  [
    'the table of the roster',
    mapped({}, { '1.0/units.json': '[' }),
    'json-syntax',
    '; 1 finding that it causes: not listed',
  ],
  [
    'a row of the table of the roster',
    mapped(
      {},
      {
        'game.json': {
          title: 'Game',
          tables: { units: 'units.jsonl' },
          roster: { from: 'units', entry: '$' },
        },
        '1.0/units.jsonl': '{"id": "a", "name": "A"}\n{"id": "b" "name": "B"}\n',
      },
    ),
    'json-syntax',
    '; 1 finding that it causes: not listed',
  ],
  [
    'a dataset that every game needs',
    { '1.0/pull_planner.json': '{' },
    'json-syntax',
    '; 1 finding that it causes: not listed',
  ],
];
for (const [what, files, check, found] of FOLLOWING) {
  test(`what follows from an unreadable file is counted: ${what}`, async () => {
    const { findings } = await compileFiles(gameFiles(files));
    assert.equal(
      findings.map((finding) => finding.check),
      [check],
      findings.map((finding) => finding.found).join('\n'),
    );
    assert.ok(findings[0]?.found.endsWith(found), findings[0]?.found);
  });
}

test('a broken expression that does not read the unreadable table is reported beside it', async () => {
  const files = mapped({ entry: "{'id': $number(level), 'name': name}" }, { '1.0/texts.json': '{' });
  const { findings } = await compileFiles(gameFiles(files));
  assert.equal(
    findings.map(({ check, more }) => [check, more]),
    [
      ['json-syntax', undefined],
      ['expression-result', 94],
    ],
  );
});

test('the text counts what is not listed', async () => {
  const { findings } = await compileFiles(gameFiles(mapped({ entry: "{'id': id, 'n': $number(level)}" })));
  assert.match(renderFindings(findings), /\n {2}and {7}94 more like this\n/);
});

test.run();
