import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import jsonata from 'jsonata';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJsonata, rewrite } from '../../../scripts/compile/jsonata.ts';
import { fc } from '../../support/random.ts';

const test = suite('JSONata without promises');

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
// biome-ignore format: short forms, some on each line
const FORMS = [
  '(A)[B]', '(A)[]', '(A)[-1]', '(A)^(>B, <a)', '(A){a: B}', '(A)@$v.(B)', '(A)#$i.{"i": $i, "of": B}', 'a.b.%', 'a.(A)[%.b = B]', '[A, B]', '[A..B]',
  '{"k": A, "l": B}', '{$string(A): B}', '(A) ? (B)', '(A) ? (B) : $x', '($x := A; $y := $x; [$x, B])', '[($x := A; $x), $x, B]', '-(A)',
  '(A) ~> |a|{"b": B}, "c"|', '(function($x, $y) { A })(B)', '(function($x)<n:n> { A })(B)',
  '($f := function($n) { $n > 0 ? [A, $f($n - 1)] : B }; $f(2))', '($f := $lookup(?, "a"); $f(B))', '$map(A, function($v, $i) { [$v, $i, B] })',
  '$filter(A, function($v) { $v = B })', '$reduce(A, function($l, $r) { [$l, $r, B] })', '$sift(A, function($v, $k) { $k = B })',
  '$each(A, function($v, $k) { $k & B })', '$sort(A, function($l, $r) { $l > $r })', '$replace($string(A), /[a1]/, function($m) { $m.match & B })',
  '$match($string(A), /[a-z]([0-9])?/)', '$lookup(A, "a")', '$merge([A, B])', '$distinct(A)', '$sum(A)', '$exists(A)', '$string(A)', '$keys(A)',
  '$zip(A, B)', '$join(A, "-")', '$error("told")', '$nothing(A)', '($map(A, function($v) { $filter([$v, B], function($w) { $w = B }) }))',
  '([A].(B)).a',
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

function outcomeOf(evaluate: () => unknown): Outcome {
  try {
    return { value: textOf(evaluate()) };
  } catch (error) {
    const { code, position, token } = error as Record<string, unknown>;
    return { failure: { code, position, token } };
  }
}

function copyOf(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(copyOf);
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, copyOf(value)]));
}

/** The package without promises, and without the two faults that are repaired. */
function loadReference(): (
  text: string,
  options: { timeout: number },
) => { evaluate: (...given: unknown[]) => unknown } {
  const filename = createRequire(import.meta.url).resolve('jsonata');
  const source = readFileSync(filename, 'utf8')
    .replace('input.push(undefined);', 'input = [undefined];')
    .replaceAll('JSON.parse(JSON.stringify(left))', 'copyOf(left)')
    .replace(/\basync (?=function|\()|\bawait Promise\.all\b|\bawait /g, '');
  const module = { exports: {} };
  compileFunction(source, ['module', 'exports', 'copyOf'], { filename })(module, module.exports, copyOf);
  return module.exports as ReturnType<typeof loadReference>;
}

/** In milliseconds; some expressions grow with every level of nesting. */
const MAX_EVALUATION_MS = 500;

const BINDINGS = { x: { a: [1, 2] }, y: 'b1' };

test('an expression has the same result as in the package, and does not change its input', () => {
  const seen = { values: 0, failures: 0 };
  const reference = loadReference();
  fc.assert(
    fc.property(EXPRESSIONS, VALUES, (text, input) => {
      const before = textOf(input);
      const published = reference(text, { timeout: MAX_EVALUATION_MS });
      const expected = outcomeOf(() => published.evaluate(structuredClone(input), BINDINGS));
      fc.pre(!('failure' in expected && expected.failure.code === 'D1012'));
      const found = outcomeOf(() => parseJsonata(text).evaluate(input, BINDINGS));
      assert.is(textOf(input), before);
      assert.equal(found, expected);
      seen['value' in expected ? 'values' : 'failures']++;
    }),
    { numRuns: 1000 },
  );
  assert.ok(Math.min(seen.values, seen.failures) > 100, JSON.stringify(seen));
});

for (const text of ['a{"k": $}', '($z := 1; a{"k": $})', 'b.{"k": $}', '[a{"k": $}, $error("told")]']) {
  test(`an empty list that ${text} groups stays empty`, async () => {
    const input = { a: [], b: [[]] };
    outcomeOf(() => parseJsonata(text).evaluate(input));
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
  test(`the operand before the operator in ${text} is copied whole`, () => {
    assert.is(textOf(parseJsonata(text).evaluate({ a: 'b1,c', b: 'other' })), textOf(expected));
  });
}

test('another version of the package is refused with what to do', () => {
  assert.throws(
    () => rewrite('another source'),
    /SHA-256 is [0-9a-f]{64}, .*install the version that package\.json names/,
  );
});

test.run();
