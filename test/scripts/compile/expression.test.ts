import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileExpression } from '../../../scripts/compile/expression.ts';
import { FUNCTIONS } from '../../../scripts/compile/library.ts';

const test = suite('expressions');

function evaluate(text: string): unknown {
  const compiled = compileExpression(text, { file: 'game.json', pointer: '' });
  if ('finding' in compiled) throw new Error(compiled.finding.found);
  return compiled.value.evaluate({}, {});
}

async function failureOf(text: string): Promise<string> {
  try {
    return `no failure but ${JSON.stringify(evaluate(text))}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Expressions that depend on the time or the machine, and the reason in their refusal. */
const REFUSED: [expression: string, why: string][] = [
  ['$now()', '$now returns another result every time'],
  ["$now('[Y]')", '$now returns another result every time'],
  ['$millis()', '$millis returns another result every time'],
  ['$random()', '$random returns another result every time'],
  ['$shuffle([1, 2])', '$shuffle returns another result every time'],
  ["$eval('$random()')", '$random returns another result every time'],
  [
    "$toMillis('05-01', '[M01]-[D01]')",
    'uses today\'s date for the year or day that "[M01]-[D01]" does not contain',
  ],
  ["$toMillis('5:00', '[H]:[m01]')", 'for the year or day that "[H]:[m01]" does not contain'],
  ["$toMillis('[Y]5', '[[Y]][M]')", 'for the year or day that "[[Y]][M]" does not contain'],
  ['$eval(\'$toMillis("05", "[M01]")\')', "uses today's date for the year or day that"],
  ["$toMillis('2024-05-01T05:00:00')", 'reads "2024-05-01T05:00:00", which has no time zone'],
  ["$toMillis('2024-05-01T05:00:00.5')", 'reads "2024-05-01T05:00:00.5", which has no time zone'],
];
test(`an expression that depends on the time or the machine fails`, async () => {
  for (const [expression, why] of REFUSED) {
    const failure = await failureOf(expression);
    assert.ok(failure.includes(why), `${expression}: ${failure}`);
  }
});

/** Times that are unambiguous. */
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
test(`$toMillis reads times that name their day`, async () => {
  for (const [expression, millis] of TIMES) assert.is(await evaluate(expression), millis, expression);
});

test(`a time that $toMillis cannot read is reported with its place`, async () => {
  assert.match(
    await failureOf("$string($toMillis('May'))"),
    /must be an ISO 8601 formatted timestamp.*near "\$string\(\$toMillis\("$/,
  );
  // JSONata has no place here: the position would be one in the engine's own expression.
  assert.match(await failureOf("'May' ~> $toMillis"), /formatted timestamp\. Given "May"$/);
});

test('the name of an unknown function is reported with the nearest known one', async () => {
  assert.match(
    await failureOf('$isoMilis(1)'),
    /^\$isoMilis is not a function; did you mean \$isoMillis\? near/,
  );
  assert.match(
    await failureOf('[1] ~> $revers()'),
    /^\$revers is not a function; did you mean \$reverse\? near/,
  );
  assert.match(await failureOf('$lookup({}, 1)'), /"lookup".*; \$get\(table, key\) takes a number too$/);
  assert.match(await failureOf('$frobnicate(1)'), /^\$frobnicate is not a function near/);
  assert.match(await failureOf('($sum := 1; $sum(2))'), /^\$sum is not a function near/);
});

/** Expressions with an unknown function, where JSONata itself fails with a TypeError. */
const UNKNOWN_FUNCTIONS: [expression: string, message: RegExp][] = [
  ['$map([1], function($x) { $isoMilis($x) })', /^\$isoMilis is not a function; did you mean \$isoMillis\?/],
  ['($f := function($x) { $frobnicate($x) }; $f(1))', /^\$frobnicate is not a function/],
  [
    '$reduce([1, 2], function($a, $b) {(\n$c := $a;\n$frobnicate($c, $b))})',
    /^\$frobnicate is not a function near "\$frobnicate"/,
  ],
  ['$replace("a", /a/, $frobnicate)', /^\$frobnicate is not a function/],
];
for (const [expression, message] of UNKNOWN_FUNCTIONS) {
  test(`an unknown function is reported by its name in ${JSON.stringify(expression)}`, async () => {
    assert.match(await failureOf(expression), message);
  });
}

test('every function that may be suggested exists', async () => {
  for (const name of FUNCTIONS) assert.is(await evaluate(`$type($${name})`), 'function', name);
});

/** Regular expressions with a bracket that has no partner, and the line that they begin in. */
const UNCLOSED: [expression: string, line: number][] = [
  ["$replace(name, /{M#/, '')", 1],
  ["{\n  'id': 1 / 2,\n  'name': $replace(name, /[^}]*/, ''), 'b': $match(name, /a/)\n}", 3],
  ['(\n  $a := /x/;\n  $b :=\n /(/;\n)', 4],
];
test(`a bracket without a partner in a regular expression is reported where it is`, () => {
  for (const [expression, line] of UNCLOSED) {
    const compiled = compileExpression(expression, { file: 'a.jsonata', pointer: '', line: 1 });
    const { found, place } = 'finding' in compiled ? compiled.finding : { found: '', place: { line: 0 } };
    assert.match(found, /a bracket in it has no partner\. Write a backslash before it/, expression);
    assert.is(place.line, line, expression);
  }
});

test.run();
