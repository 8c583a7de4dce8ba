import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileExpression } from '../../../scripts/compile/expression.ts';
import { FUNCTIONS } from '../../../scripts/compile/suggest-function.ts';
import { ENGINES, REWRITTEN } from '../../support/engines.ts';

const test = suite('expressions');

async function evaluate(text: string, engine = REWRITTEN): Promise<unknown> {
  const compiled = compileExpression(text, { file: 'game.json', pointer: '' }, engine);
  if ('finding' in compiled) throw new Error(compiled.finding.found);
  return await compiled.value.evaluate({}, {});
}

async function failureOf(text: string, engine = REWRITTEN): Promise<string> {
  return await evaluate(text, engine).then(
    (value) => `no failure but ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  );
}

/** What depends on when or where it is evaluated, and what the refusal says of it. */
const REFUSED: [expression: string, why: string][] = [
  ['$now()', '$now gives another result every time'],
  ["$now('[Y]')", '$now gives another result every time'],
  ['$millis()', '$millis gives another result every time'],
  ['$random()', '$random gives another result every time'],
  ['$shuffle([1, 2])', '$shuffle gives another result every time'],
  ["$eval('$random()')", '$random gives another result every time'],
  [
    "$toMillis('05-01', '[M01]-[D01]')",
    'takes what "[M01]-[D01]" does not name, the year or the day, from today',
  ],
  ["$toMillis('5:00', '[H]:[m01]')", 'takes what "[H]:[m01]" does not name'],
  ["$toMillis('[Y]5', '[[Y]][M]')", 'takes what "[[Y]][M]" does not name'],
  ['$eval(\'$toMillis("05", "[M01]")\')', 'does not name, the year or the day, from today'],
  ["$toMillis('2024-05-01T05:00:00')", 'takes "2024-05-01T05:00:00", which names no zone'],
  ["$toMillis('2024-05-01T05:00:00.5')", 'takes "2024-05-01T05:00:00.5", which names no zone'],
];
for (const [name, engine] of Object.entries(ENGINES)) {
  test(`what would be another result at another time or on another machine is refused: JSONata ${name}`, async () => {
    for (const [expression, why] of REFUSED) {
      const failure = await failureOf(expression, engine);
      assert.ok(failure.includes(why), `${expression}: ${failure}`);
    }
  });
}

/** Times that say all that is to be known of them. */
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
for (const [name, engine] of Object.entries(ENGINES)) {
  test(`times that name their day, and their zone or none, are read: JSONata ${name}`, async () => {
    for (const [expression, millis] of TIMES)
      assert.is(await evaluate(expression, engine), millis, expression);
  });

  test(`what $toMillis cannot read is told with its place: JSONata ${name}`, async () => {
    assert.match(
      await failureOf("$string($toMillis('May'))", engine),
      /must be an ISO 8601 formatted timestamp.*near "\$string\(\$toMillis\("$/,
    );
    // JSONata gives no place here; the position in what the engine evaluates would be a wrong one.
    assert.match(await failureOf("'May' ~> $toMillis", engine), /formatted timestamp\. Given "May"$/);
  });
}

test('the name of a function that is none is told, with the one that was meant', async () => {
  assert.match(
    await failureOf('$isoMilis(1)'),
    /^\$isoMilis is no function; did you mean \$isoMillis\? near/,
  );
  assert.match(
    await failureOf('[1] ~> $revers()'),
    /^\$revers is no function; did you mean \$reverse\? near/,
  );
  assert.match(await failureOf('$frobnicate(1)'), /^\$frobnicate is no function near/);
  assert.match(await failureOf('($sum := 1; $sum(2))'), /^\$sum is no function near/);
});

test('every function that may be meant is one', async () => {
  for (const name of FUNCTIONS) assert.is(await evaluate(`$type($${name})`), 'function', name);
});

test.run();
