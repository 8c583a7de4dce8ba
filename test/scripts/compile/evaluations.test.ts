import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Evaluation, plainEvaluation } from '../../../scripts/compile/compile-build.ts';
import { Evaluations } from '../../../scripts/compile/evaluations.ts';
import { compileExpression, type Expression } from '../../../scripts/compile/expression.ts';
import type { Finding } from '../../../scripts/findings.ts';
import type { Json } from '../../../scripts/format/dist-format.ts';
import type { BuildTables, Table } from '../../../scripts/read/tables.ts';
import { fc } from '../../support/random.ts';

const test = suite('evaluation from build to build');
const place = { file: 'game.json', pointer: '/roster/entry' };

type Tables = Record<string, Json>;

function tablesOf(values: Tables): BuildTables {
  const tables = Object.entries(values).map(([name, value]): [string, Table] => [
    name,
    { name, value, place, placeOfRow: () => place },
  ]);
  return { tables: new Map(tables) } as unknown as BuildTables;
}

function parse(text: string): Expression {
  const outcome = compileExpression(text, place);
  if ('finding' in outcome) throw new Error(outcome.finding.found);
  return outcome.value;
}

/** The values of an expression for each row of the table "rows" and for all tables at once, and the findings. */
async function evaluateAll(expression: Expression, { values, evaluate }: Evaluation, rows: Tables) {
  const findings: Finding[] = [];
  const results: (Json | undefined)[] = [];
  for (const [key, row] of Object.entries(rows)) {
    results.push(await evaluate(expression, row, { key, tables: values }, place, findings));
  }
  results.push(await evaluate(expression, values, { tables: values }, place, findings));
  return { results, findings };
}

// One of each way to read tables: by key, in part, whole, absent parts, by names and their order, through lists.
const EXPRESSIONS = [
  '$lookup($tables.texts, name)',
  '$tables.texts.en.a',
  '$get($tables.texts.en, name) & $key',
  '$text($tables.texts.en, name, "none")',
  '$tables.texts.*.a',
  '$tables.**.b',
  '$keys($tables.texts)',
  '$keys($tables)',
  '$each($tables.texts, function($v, $k) { $k & $string($v) })',
  '$string($tables.list)',
  '$tables.list[a = 1].b',
  '$count($tables.list)',
  '$tables.list[0]',
  '$exists($tables.texts.en.b)',
  '$exists($tables.texts.constructor)',
  '$get($tables.texts, "constructor")',
  '$get($tables.list, "length")',
  '$tables.texts = $tables.list',
  '$tables.texts.en = {"a": 1}',
  '$merge([$tables.texts, {"more": name}])',
  '$tables.texts ~> |en|{"b": 2}|',
  '$tables.texts.en{a: b}',
  '$tables.texts ? "some" : "none"',
  '$type($tables.texts.en)',
  '$sift($tables.texts.en, function($v) { $v = 1 })',
  '{"all": $tables, "row": $}',
  '$spread($tables.texts)',
  '$sum($tables.list.a)',
  '$map($tables.list, function($v, $i) { $v.a + $i })',
  '$tables.texts.en.a.b.c',
  '($x := $tables.texts; $x.en ? $x.en.a : name)',
  '$number(name)',
  '$error(name)',
];

const scalar = fc.constantFrom<Json>(null, 0, 1, 'a', 'b', true, '');
const value = fc.oneof(
  { depthSize: 'small' },
  scalar,
  fc.dictionary(fc.constantFrom('a', 'b', 'en'), scalar, { maxKeys: 3 }) as fc.Arbitrary<Json>,
  fc.array(fc.dictionary(fc.constantFrom('a', 'b'), scalar), { maxLength: 3 }) as fc.Arbitrary<Json>,
);
const object = fc.dictionary(fc.constantFrom('en', 'a', 'b', 'constructor', '__proto__'), value, {
  maxKeys: 3,
  noNullPrototype: true,
}) as fc.Arbitrary<Tables>;
const build = fc.record(
  { rows: object, texts: fc.oneof(object, object, value), list: fc.oneof(value, fc.array(object)) },
  { requiredKeys: ['rows'], noNullPrototype: true },
) as fc.Arbitrary<Tables & { rows: Tables }>;

for (const text of EXPRESSIONS) {
  test(`a result of the build before equals that of an evaluation: ${text}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(build, { minLength: 2, maxLength: 4 }), async (builds) => {
        const expression = parse(text);
        const evaluations = new Evaluations();
        for (const tables of builds.flatMap((tables) => [tables, structuredClone(tables)])) {
          const kept = await evaluateAll(expression, evaluations.of(tablesOf(tables)), tables.rows);
          const anew = await evaluateAll(expression, plainEvaluation(tablesOf(tables)), tables.rows);
          assert.is(JSON.stringify(kept), JSON.stringify(anew));
        }
      }),
      { seed: 7, numRuns: 25 },
    );
  });
}

/** How often an expression was evaluated in each of several builds. */
async function countEvaluations(text: string, builds: (Tables & { rows: Tables })[]): Promise<number[]> {
  const parsed = parse(text);
  let count = 0;
  const { literals, parsed: tree } = parsed;
  const counting: Expression = {
    ...{ literals, parsed: tree, place, tables: undefined, placeOf: () => place },
    ...{ sharedData: parsed.sharedData, prepare: (bindings) => parsed.prepare(bindings) },
    evaluate: (context, bindings) => {
      count++;
      return parsed.evaluate(context, bindings);
    },
  };
  const evaluations = new Evaluations();
  const counts: number[] = [];
  for (const tables of builds) {
    count = 0;
    const { values, evaluate } = evaluations.of(tablesOf(structuredClone(tables)));
    for (const [key, row] of Object.entries(tables.rows)) {
      await evaluate(counting, structuredClone(row), { key, tables: values }, place, []);
    }
    counts.push(count);
  }
  return counts;
}

const ROWS = { a: { text: 't1' }, b: { text: 't2' } };
const TEXTS = { en: { t1: 'Ann', t2: 'Bob', t3: 'Cat' } };

const STEPS: [what: string, expression: string, later: Tables & { rows: Tables }, again: number][] = [
  ['nothing', '$tables.texts.en', { rows: ROWS, texts: TEXTS }, 0],
  ['a row', '$key', { rows: { ...ROWS, b: { text: 't3' } }, texts: TEXTS }, 1],
  ['a new row', '$key', { rows: { ...ROWS, c: { text: 't3' } }, texts: TEXTS }, 1],
  [
    'a text of one row',
    '$lookup($tables.texts.en, text)',
    { rows: ROWS, texts: { en: { ...TEXTS.en, t2: 'Rob' } } },
    1,
  ],
  [
    'a text of no row',
    '$lookup($tables.texts.en, text)',
    { rows: ROWS, texts: { en: { ...TEXTS.en, t3: 'Kat' } } },
    0,
  ],
  [
    'a text of no row, and all are read',
    '$keys($tables.texts.en)',
    { rows: ROWS, texts: { en: { t1: 'Ann' } } },
    2,
  ],
  ['a table that is not read', 'text', { rows: ROWS, texts: null }, 0],
  [
    'the order of texts, which is seen',
    '$keys($tables.texts.en)',
    { rows: ROWS, texts: { en: { t2: 'Bob', t1: 'Ann', t3: 'Cat' } } },
    2,
  ],
  [
    'a text that was not there',
    '$tables.texts.ja.t1',
    { rows: ROWS, texts: { ...TEXTS, ja: { t1: 'アン' } } },
    2,
  ],
  [
    'an attribute by which JSONata tells functions',
    '$tables.texts.en.t1',
    { rows: ROWS, texts: { en: { ...TEXTS.en, _jsonata_lambda: true } } },
    2,
  ],
];

for (const [what, expression, later, again] of STEPS) {
  test(`after this change: ${what}, ${again} of 2 rows are evaluated again`, async () => {
    assert.equal(await countEvaluations(expression, [{ rows: ROWS, texts: TEXTS }, later]), [2, again]);
  });
}

test('a build is compared with the one directly before it, even if the earlier build lacks a row', async () => {
  const texts = { texts: TEXTS };
  const counts = await countEvaluations('$key', [
    { rows: ROWS, ...texts },
    { rows: { a: ROWS.a }, ...texts },
    { rows: ROWS, ...texts },
  ]);
  assert.equal(counts, [2, 0, 1]);
});

test.run();
