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

const unread = (file: string): Files => mapped({}, { [`1.0/${file}.json`]: '{' });
const LINES = {
  'game.json': { title: 'G', tables: { units: 'units.jsonl' }, roster: { from: 'units', entry: '$' } },
  '1.0/units.jsonl': '{"id": "a", "name": "A"}\n{"id": "b" "name": "B"}\n',
};
const BROKEN = { '1.0/texts.json': '{' };
const NO_TEXTS = "{'id': id, 'name': $tables.texts ? $lookup($tables.texts, id) : $error('no texts')}";

/** What is wrong with a game, the check and the number of further findings. */
const CASES: [what: string, files: Files, check?: string, more?: number][] = [
  ['nothing', mapped({})],
  ['all rows fail', mapped({ entry: "{'id': id, 'n': $number(level)}" }), 'expression-result', 94],
  ['`where` fails for all rows', mapped({ where: '$number(level) > 1' }), 'expression-result', 94],
  ['`where` drops all rows', mapped({ where: "level = 'X'" }), 'roster-size'],
  ['a misspelt attribute', mapped({ entry: "{'id': id, 'name': nmae}" }), 'character-schema', 94],
  ['a misspelt table', mapped({ from: 'unit' }), 'mapping-tables'],
  [
    'a misspelt table in an expression',
    mapped({ entry: "{'id': id, 'name': $lookup($tables.text, id)}" }),
    'mapping-tables',
  ],
  ['the unreadable table of the roster', unread('units'), 'file-syntax'],
  ['an unreadable table that is joined', unread('texts'), 'file-syntax'],
  ['an unreadable table without which all fails', mapped({ entry: NO_TEXTS }, BROKEN), 'file-syntax'],
  ['an unreadable row', mapped({}, LINES), 'file-syntax'],
  ['an unreadable dataset that every game needs', { '1.0/pull_planner.json': '{' }, 'file-syntax'],
];
for (const [what, files, check, more] of CASES)
  test(`${what}: ${check ?? 'no finding'}`, async () => {
    const { findings } = await compileFiles(gameFiles(files));
    const [first] = findings;
    assert.equal([first?.check, first?.more, findings.length], [check, more, check === undefined ? 0 : 1]);
  });

test('a broken expression that does not read the unreadable table is reported beside it', async () => {
  const files = mapped({ entry: "{'id': $number(level), 'name': name}" }, BROKEN);
  const { findings } = await compileFiles(gameFiles(files));
  assert.equal(
    findings.map(({ check, more }) => [check, more]),
    [
      ['file-syntax', undefined],
      ['expression-result', 94],
    ],
  );
});

test('the text counts what is not listed', async () => {
  const { findings } = await compileFiles(gameFiles(mapped({ entry: "{'id': id, 'n': $number(level)}" })));
  assert.match(renderFindings(findings), /\n {2}and {7}94 more like this\n/);
});

test.run();
