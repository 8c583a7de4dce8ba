import jsonata from 'jsonata';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseExpression } from '../../../scripts/compile/evaluator.ts';
import { isSynchronous } from '../../../scripts/jsonata/is-synchronous.ts';
import { ENGINES, PUBLISHED, REWRITTEN } from '../../support/engines.ts';
import { fc } from '../../support/random.ts';

const test = suite('evaluating without promises');

const VALUES: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, -2, 2.5, '', 'a', 'b1', '7'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const NAMES = ['a', 'b', 'c', '*', '**', '$', '$$', '$x', '$y'];
const CONSTANTS = ['0', '1', '-1', '2.5', '"a"', '"b1"', '""', 'null', 'true', '[]', '{}', '[1..3]'];
const BINARY = ['+', '-', '*', '/', '%', '=', '!=', '<', '>=', '&', 'and', 'or', 'in', '.', '~>', '??', '?:'];
/** `A` and `B` are placeholders for expressions. */
const FORMS = [
  '(A)[B]',
  '(A)[]',
  '(A)[0]',
  '(A)[-1]',
  '(A)^(B)',
  '(A)^(>B, <a)',
  '(A){a: B}',
  '(A){"k": $}',
  '(A)@$v.(B)',
  '(A)#$i.{"i": $i, "of": B}',
  'a.b.%',
  'a.(A)[%.b = B]',
  '[A, B]',
  '[A..B]',
  '{"k": A, "l": B}',
  '{$string(A): B}',
  '(A) ? (B)',
  '(A) ? (B) : $x',
  '($x := A; $y := $x; [$x, B])',
  '[($x := A; $x), $x, B]',
  '-(A)',
  '(A) ~> |a|{"b": B}, "c"|',
  '(function($x, $y) { A })(B)',
  '(function($x)<n:n> { A })(B)',
  '($f := function($n) { $n > 0 ? [A, $f($n - 1)] : B }; $f(2))',
  '($f := $lookup(?, "a"); $f(B))',
  '$map(A, function($v, $i) { [$v, $i, B] })',
  '$filter(A, function($v) { $v = B })',
  '$single(A, function($v) { $v = B })',
  '$reduce(A, function($l, $r) { [$l, $r, B] })',
  '$sift(A, function($v, $k) { $k = B })',
  '$each(A, function($v, $k) { $k & B })',
  '$sort(A, function($l, $r) { $l > $r })',
  '$replace($string(A), /[a1]/, function($m) { $m.match & B })',
  '$match($string(A), /[a-z]([0-9])?/)',
  '$contains($string(A), /b/)',
  '$split($string(A), /,/)',
  '$lookup(A, "a")',
  '$append(A, B)',
  '$merge([A, B])',
  '$distinct(A)',
  '$count(A)',
  '$sum(A)',
  '$exists(A)',
  '$not(A)',
  '$string(A)',
  '$number(A)',
  '$keys(A)',
  '$spread(A)',
  '$zip(A, B)',
  '$join(A, "-")',
  '$fromMillis(A)',
  '$error("told")',
  '$nothing(A)',
];

function parses(text: string): boolean {
  try {
    return Boolean(jsonata(text));
  } catch {
    return false;
  }
}

const EXPRESSIONS: fc.Arbitrary<string> = fc
  .letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(...NAMES, ...CONSTANTS),
      fc
        .tuple(tie('text'), fc.constantFrom(...BINARY), tie('text'))
        .map(([l, op, r]) => `(${l}) ${op} (${r})`),
      fc.tuple(tie('text'), fc.constantFrom('a', 'b', 'c', '*')).map(([l, name]) => `(${l}).${name}`),
      fc
        .tuple(fc.constantFrom(...FORMS), tie('text'), tie('text'))
        .map(([form, one, two]) => form.replace(/[AB]/g, (place) => (place === 'A' ? one : two))),
    ),
  }))
  .text.filter(parses);

/** The text of a value. It distinguishes absent from null; all functions have the same text. */
function textOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: object | null) => {
    const callable =
      typeof part === 'object' && part !== null && ('_jsonata_lambda' in part || '_jsonata_function' in part);
    return typeof part === 'function' || callable ? 'a function' : part;
  });
}

type Outcome = { value: string | undefined } | { failure: Record<string, unknown> };

async function outcomeOf(evaluate: () => unknown): Promise<Outcome> {
  try {
    return { value: textOf(await evaluate()) };
  } catch (error) {
    const { code, message, position, token } = error as Record<string, unknown>;
    return { failure: { code, message, position, token } };
  }
}

/** In milliseconds; some expressions grow with every level of nesting. */
const MAX_EVALUATION_MS = 500;

/** Whether JSONata stopped an evaluation that took too long (jsonata.js, `errorCodes`). */
function isTooLong(outcome: Outcome): boolean {
  return 'failure' in outcome && outcome.failure.code === 'D1012';
}

const BINDINGS = { x: { a: [1, 2] }, y: 'b1' };

/** The failures of the published package on expressions that it would get wrong; the second is that of a function with a signature. */
const GETS_WRONG = /which jsonata as published gets wrong|signature\.validate is not a function/;

test('an expression has the same result as with promises, and does not change its input', async () => {
  const seen = { values: 0, failures: 0 };
  const sameAsPublished = async (text: string, input: unknown, expected: Outcome) => {
    const guarded = structuredClone(input);
    PUBLISHED.guardTable(guarded);
    const found = await outcomeOf(() => parseExpression(text, PUBLISHED).evaluate(guarded, BINDINGS));
    if (!GETS_WRONG.test(JSON.stringify(found))) assert.equal(found, expected);
    assert.is(textOf(guarded), textOf(input));
  };
  await fc.assert(
    fc.asyncProperty(EXPRESSIONS, VALUES, async (text, input) => {
      const before = textOf(input);
      const promised = REWRITTEN.parse(text, { timeout: MAX_EVALUATION_MS });
      const expected = await outcomeOf(() => promised.evaluate(input, BINDINGS));
      fc.pre(!isTooLong(expected));
      assert.equal(
        await outcomeOf(() => parseExpression(text, REWRITTEN).evaluate(input, BINDINGS)),
        expected,
      );
      await sameAsPublished(text, input, expected);

      assert.ok(isSynchronous(promised.ast()));
      const found = await outcomeOf(() => REWRITTEN.parseSynchronous?.(text).evaluate(input, BINDINGS));
      if ('value' in expected) assert.equal(found, expected);
      else assert.ok('failure' in found);
      assert.is(textOf(input), before);
      seen['value' in expected ? 'values' : 'failures']++;
    }),
    { numRuns: 1000 },
  );
  assert.ok(Math.min(seen.values, seen.failures) > 100, JSON.stringify(seen));
});

/** Expressions whose result needs promises. */
const NEED_PROMISES: [name: string, text: string, value: unknown][] = [
  ['an element binds a variable of the next', '[$z := 1, $z]', [1]],
  ['an attribute binds a variable of the next', '{"a": $z := 1, "b": $z}', { a: 1 }],
  ['a text that is evaluated binds one', `$eval('[$z := 1, $z]')`, [1]],
  ['a recursion is deep', '($f := function($n) { $n = 0 ? 0 : 1 + $f($n - 1) }; $f(20000))', 20_000],
];
for (const [name, text, expected] of NEED_PROMISES) {
  test(`the result is the one with promises if ${name}`, async () => {
    assert.is(textOf(await jsonata(text).evaluate({})), textOf(expected));
    for (const engine of Object.values(ENGINES))
      assert.is(textOf(await parseExpression(text, engine).evaluate({}, {})), textOf(expected));
  });
}

for (const text of [
  'a{"k": $}',
  '($z := 1; a{"k": $})',
  '[$z := 1, a{"k": $}]',
  'b.{"k": $}',
  '[a{"k": $}, $error("told")]',
]) {
  test(`an empty list that ${text} groups stays empty`, async () => {
    const input = { a: [], b: [[]] };
    const found = await outcomeOf(() => parseExpression(text, REWRITTEN).evaluate(input, {}));
    assert.equal(found, await outcomeOf(() => jsonata(text).evaluate(structuredClone(input))));
    assert.is(textOf(input), '{"a":[],"b":[[]]}');
  });
}

for (const [text, expected] of [
  ['$split(a, /,/) ?? b', ['b1', 'c']],
  ['$split(a, /,/) ?: b', ['b1', 'c']],
  ['$match(a, /C/i).match ?? b', 'c'],
  ['$match(a, /d/).match ?? b', 'other'],
  ['function($x)<s:s> { $x & "!" }(a) ?? b', 'b1,c!'],
] as const) {
  test(`the operand before the operator in ${text} is copied whole`, async () => {
    for (const parsed of [parseExpression(text, REWRITTEN), REWRITTEN.parse(text)])
      assert.is(textOf(await parsed.evaluate({ a: 'b1,c', b: 'other' }, {})), textOf(expected));
  });
}

for (const text of [
  'a{"k": $}',
  'b.{"k": $}',
  '$tables.a{"k": $}',
  '$match(c, /C/i).match ?? "none"',
  '$split(c, /,/) ?: "none"',
  'function($x)<s:s> { $x }(c) ?? "none"',
  '$eval("$match(c, /C/i).match ?? 0")',
]) {
  test(`the published package fails on ${text} and does not return another result`, async () => {
    const input = { a: [], b: [[]], c: 'c' };
    const tables = { a: [] };
    for (const table of [input, tables]) PUBLISHED.guardTable(table);
    const found = await outcomeOf(() => parseExpression(text, PUBLISHED).evaluate(input, { tables }));
    assert.match(JSON.stringify(found), GETS_WRONG);
    assert.is(textOf([input, tables]), '[{"a":[],"b":[[]],"c":"c"},{"a":[]}]');
  });
}

test('of several failures the one with promises is reported', async () => {
  const text = '{"a": 1 + $error("the first"), "b": $error("the second")}';
  const expected = await outcomeOf(() => jsonata(text).evaluate({}));
  assert.match(JSON.stringify(expected), 'the second');
  for (const engine of Object.values(ENGINES))
    assert.equal(await outcomeOf(() => parseExpression(text, engine).evaluate({}, {})), expected);
});

test('statements bind variables immediately', () => {
  for (const text of [
    '($z := 1; $z)',
    '($y := $z := 1)',
    'a.[($z := 1; $z)]',
    'function($z) { ($y := $z) }',
  ]) {
    assert.ok(isSynchronous(jsonata(text).ast()), text);
  }
});

test.run();
