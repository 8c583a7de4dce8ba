import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileExpression } from '../../../scripts/compile/expression.ts';
import { FUNCTIONS } from '../../../scripts/compile/library.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles } from '../../support/fixtures.ts';
import { table, testFindings, testRows } from '../check/cases.ts';

const test = suite('expressions');

function evaluate(text: string): unknown {
  const compiled = compileExpression(text, { file: 'game.json', pointer: '' });
  if ('finding' in compiled) throw new Error(compiled.finding.found);
  return compiled.value.evaluate({}, {});
}

/** Expressions that depend on the time or the machine, or call what is no function, and what their failure says. */
const FAILURES = table`
  $now()                    | $now returns another result every time
  $random()                 | $random returns another result every time
  $eval('$random()')        | $random returns another result every time
  $toMillis('05-01', '[M01]-[D01]')         | uses today's date for the year or day that "[M01]-[D01]" does not contain
  $toMillis('5:00', '[H]:[m01]')            | for the year or day that "[H]:[m01]" does not contain
  $toMillis('[Y]5', '[[Y]][M]')             | for the year or day that "[[Y]][M]" does not contain
  $eval('$toMillis("05", "[M01]")')         | uses today's date for the year or day that
  $toMillis('2024-05-01T05:00:00')          | reads "2024-05-01T05:00:00", which has no time zone
  $toMillis('2024-05-01T05:00:00.5')        | reads "2024-05-01T05:00:00.5", which has no time zone
  $string($toMillis('May'))                 | must be an ISO 8601 formatted timestamp
  $isoMilis(1)                              | $isoMilis is not a function; did you mean $isoMillis? near
  [1] ~> $revers()                          | $revers is not a function; did you mean $reverse? near
  $lookup({}, 1)                            | ; $get(table, key) takes a number too
  $frobnicate(1)                            | $frobnicate is not a function near
  ($sum := 1; $sum(2))                      | $sum is not a function near
  $map([1], function($x) { $isoMilis($x) }) | $isoMilis is not a function; did you mean $isoMillis?
  ($f := function($x) { $frobnicate($x) }; $f(1))                            | $frobnicate is not a function
  $reduce([1, 2], function($a, $b) {(¶$c := $a;¶$frobnicate($c, $b))})       | $frobnicate is not a function near "$frobnicate"
  $replace("a", /a/, $frobnicate)           | $frobnicate is not a function
`;
test('an expression that depends on the time, or calls what does not exist, fails and says why', async () => {
  for (const [expression = '', why = ''] of FAILURES) {
    const failure = await new Promise((resolve) => resolve(evaluate(expression))).catch(
      (error: Error) => error,
    );
    assert.ok(failure instanceof Error && failure.message.includes(why), `${expression}: ${failure}`);
  }
});

/** Times that name their day. */
const TIMES: [expression: string, millis: number | undefined][] = [
  ["$toMillis('2024-05-01')", Date.UTC(2024, 4, 1)],
  ["$toMillis('2024-05-01T05:00:00Z')", Date.UTC(2024, 4, 1, 5)],
  ["$toMillis('2024-05-01T05:00:00+09:00')", Date.UTC(2024, 3, 30, 20)],
  ["$toMillis('01.05.2024 5:07', '[D01].[M01].[Y0001] [H]:[m01]')", Date.UTC(2024, 4, 1, 5, 7)],
  ["$toMillis('2024', '[ Y0001]')", Date.UTC(2024, 0, 1)],
  ["$toMillis('2024-032', '[Y0001]-[d001]')", Date.UTC(2024, 1, 1)],
  ["['2024-05-01'].$toMillis()", Date.UTC(2024, 4, 1)],
  ["$toMillis('no match', '[Y0001]')", undefined],
  ['$toMillis(nothing)', undefined],
];
test('$toMillis reads times that name their day, and every function that may be suggested exists', async () => {
  for (const [expression, millis] of TIMES) assert.is(await evaluate(expression), millis, expression);
  for (const name of FUNCTIONS) assert.is(await evaluate(`$type($${name})`), 'function', name);
});

/** A game with a mapping whose expressions are in files. */
function gameOf(mapping: JsonObject, files: Files = {}): Files {
  return gameFiles({
    'game.json': { title: 'Game', tables: { units: 'raw/units.json' }, ...mapping },
    '1.0/characters.json': undefined,
    '1.0/raw/units.json': { a: { n: 'Ann', s: 4 }, b: { n: 'Bob', s: 0 } },
    ...files,
  });
}
const FROM_FILE = { roster: { from: 'units', entry: { file: 'e.jsonata' } } };
const ENTRY = "/* Names are\n   as upstream has them. */\n{\n  'id': $key,\n  'name': n /* short */\n}\n";

test('every expression may be in a file, with comments', async () => {
  const file = (name: string) => ({ file: `${name}.jsonata` });
  const { builds, findings } = await compileFiles(
    gameOf(
      {
        roster: { from: 'units', where: file('in/where'), entry: file('e'), record: file('in/more/record') },
        datasets: { top: file('top'), unit_names: { from: 'units', entry: file('e') } },
        changes: [{ from: '1.0', datasets: { low: file('low') } }],
      },
      {
        'in/where.jsonata': 's > 0',
        'e.jsonata': `\uFEFF${ENTRY}`,
        'in/more/record.jsonata': "{ 'stars': s }",
        'top.jsonata': "{ 'stars': $max(units.*.s) }",
        'low.jsonata': "{ 'stars': $min(units.*.s) }",
      },
    ),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.characters, [{ id: 'a', name: 'Ann', stars: 4 }]);
  const { unit_names, top, low } = builds[0]?.datasets ?? {};
  assert.equal([top, low, (unit_names as JsonObject[]).length], [{ stars: 4 }, { stars: 0 }, 2]);
});

/** What e.jsonata has. */
testRows(
  test,
  table`
    {¶  "id": $key,¶  "name" n¶}     | expression-syntax e.jsonata:3 | S0202
    /* a¶ b */¶¶$sum(                | expression-syntax e.jsonata:4 | S020
    { 'id': $key }¶}                 | expression-syntax e.jsonata:2 | S0201
    {¶'id': 'never closed¶}          | expression-syntax e.jsonata:3 | S0101
    ¶/* never closed                 | expression-syntax e.jsonata:2 | S0106
                                     | expression-syntax e.jsonata:1 | S0207
    /* only a comment */             | expression-syntax e.jsonata:1 | S0207
    {¶  'id': $key,¶  'name': $replace(n, /[^}]*/, ''), 'b': $match(n, /a/)¶} | expression-syntax e.jsonata:3 | a bracket in it has no partner. Write a backslash before it
    { /* $tables.old */¶  'id': $key & "$tables.no",¶  'name': $tables."unitz".a & $tables.unitz.b¶} | mapping-tables e.jsonata:3
    {¶  'id': $key,¶  'name': $uppercase(s)¶} | expression-result 1.0/raw/units.json:2 /a; expression-result 1.0/raw/units.json:6 /b | correct e.jsonata:3
  `,
  (text) => gameOf(FROM_FILE, { 'e.jsonata': text }),
);
testFindings(
  test,
  'a file that is missing is a finding, and the tables are still checked',
  gameOf(FROM_FILE, { '1.0/raw/units.json': '[' }),
  ['file-syntax 1.0/raw/units.json:1', 'expression-file game.json:8 /roster/entry'],
);
testFindings(
  test,
  'latin-1 bytes in a file are a finding in it',
  gameOf(FROM_FILE, { 'e.jsonata': Buffer.from("{ 'é': 1 }", 'latin1') }),
  ['file-text e.jsonata:1'],
);
testFindings(
  test,
  'a dataset by one expression is placed in the file',
  gameOf(
    { ...FROM_FILE, datasets: { d: { file: 'd.jsonata' } } },
    { 'e.jsonata': ENTRY, 'd.jsonata': '\n$error("no")' },
  ),
  ['expression-result d.jsonata:1'],
);

const HELPERS = `/* What several expressions need. */
$nameOf := function($key) { $get($tables.texts, $key) };
$stars := function($rank) { $fromZero($rank) };
$item := function($key) { {'id': $key, 'name': $nameOf($key)} };
`;

/** A game of two builds with functions that all its expressions share. */
function withHelpers(helpers: string, entry: string, files: Files = {}, datasets: JsonObject = {}): Files {
  return gameFiles({
    'game.json': {
      title: 'Game',
      helpers: 'helpers.jsonata',
      tables: { units: 'raw/units.json', texts: 'raw/texts.json' },
      roster: { from: 'units', entry },
      datasets,
    },
    '1.0/characters.json': undefined,
    '1.0/raw/units.json': { a: { n: 't1', s: 4, i: 't2' } },
    '1.0/raw/texts.json': { t1: 'Ann', t2: 'Sword' },
    '1.1/build.json': { released_at: '2026-02-01' },
    '1.1/raw/texts.json': { t1: 'Anna', t2: 'Sword' },
    'helpers.jsonata': helpers,
    ...files,
  });
}

test('every expression may call shared functions, and they read the tables of its build', async () => {
  const hidden = HELPERS.replace('$get($tables.texts, $key)', "$eval('$get($tables.texts, $key)') & ''");
  for (const text of [HELPERS, `(\n${HELPERS})`, hidden]) {
    const entry = "{'id': $key, 'name': $nameOf(n), 'rarity': $stars(s), 'item': $item(i)}";
    const { builds, findings } = await compileFiles(
      withHelpers(text, entry, {}, { items: '[units.*.$item(i)]' }),
    );
    assert.equal(findings, []);
    const item = { id: 't2', name: 'Sword' };
    const records = builds.map(({ characters }) => characters[0]);
    assert.equal(
      records,
      ['Ann', 'Anna'].map((name) => ({ id: 'a', item, name, rarity: 5 })),
    );
    assert.equal(builds[1]?.datasets.items, [item]);
  }
});

test('shared data is made anew when the tables change', async () => {
  const each = '$each(function($v, $k) {{$v: $k}}) ~> $merge';
  const helpers = `$byName := $tables.texts ~> ${each};\n$keyOf := function($name) { $lookup($byName, $name) };`;
  const files = {
    '1.0/raw/units.json': { a: { n: 'Sword' } },
    '1.1/raw/texts.json': { t1: 'Ann', t9: 'Sword' },
  };
  const { builds, findings } = await compileFiles(
    withHelpers(helpers, "{'id': $key, 'name': n, 'own': $keyOf(n), 'of': $byName.Ann}", files),
  );
  assert.equal(findings, []);
  assert.equal(
    builds.map(({ characters: [unit] }) => [unit?.own, unit?.of]),
    [
      ['t2', 't1'],
      ['t9', 't1'],
    ],
  );
});

test('shared functions may name tables of a change whose build was taken back', async () => {
  const game = {
    title: 'Game',
    helpers: 'helpers.jsonata',
    tables: { units: 'raw/units.json' },
    roster: { from: 'units', entry: "{'id': $key, 'name': n}" },
    changes: [{ from: '1.2', tables: { relics: 'raw/relics.json' } }],
  };
  const helpers = '$relic := function($id) { $get($tables.relics, $id) };';
  const { findings } = await compileFiles(withHelpers(helpers, '', { 'game.json': game }));
  assert.equal(
    findings.map(({ check, severity }) => [check, severity]),
    [['mapping-changes', 'warning']],
  );
});

/** What helpers.jsonata has, and the finding. */
testRows(
  test,
  table`
    $a := function($x) {¶  $x +¶};                  | expression-syntax helpers.jsonata:3 | S02
    $a := function($x) {¶  $x                       | expression-syntax helpers.jsonata:2 | S020
    $a := function() { 1 };¶$a(2);                  | expression-syntax helpers.jsonata:2 | defines nothing
    $a := function() { 1 };¶¶$a := function() { 2 } | expression-syntax helpers.jsonata:3 | second $a
    $first := function() { 1 }                      | expression-syntax helpers.jsonata:1 | second $first
    $a := function() {¶  $tables.unitz.a¶}          | mapping-tables helpers.jsonata:2    | the table "unitz"
    $a := function() {¶  $nothing(1)¶}              | expression-syntax helpers.jsonata:2 | $nothing
  `,
  (text) => withHelpers(text, "{'id': $key, 'name': n}"),
);

test('a failure in a function names its line and the expression that calls it', async () => {
  const entry = "{'id': $key, 'name': n, 'rarity': $stars(s)}";
  const fixOf = async (helpers: string) =>
    (await compileFiles(withHelpers(helpers, entry))).findings[0]?.fix ?? '';
  const called = await fixOf("\n$stars := function($rank) {\n  $number($rank & 'x')\n};\n");
  assert.match(called, /^correct .*helpers\.jsonata:3, which .* calls$/);
  const { findings } = await compileFiles(withHelpers(HELPERS, "{'id': $key, 'name': $nameof(n)}"));
  assert.match(findings[0]?.found ?? '', /did you mean \$nameOf\?/);
});

test.run();
