import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limitsOf } from '../../../scripts/steps/rule.ts';
import { compareColumns, type Scalar } from '../../../scripts/steps/columns.ts';
import { type Explanation, explainChanges } from '../../../scripts/steps/explain-changes.ts';
import { valuesMergedCheck } from '../../../scripts/steps/gates/values-merged.ts';
import { valuesMovedCheck } from '../../../scripts/steps/gates/values-moved.ts';
import { valuesRewrittenCheck } from '../../../scripts/steps/gates/values-rewritten.ts';
import { valuesScaledCheck } from '../../../scripts/steps/gates/values-scaled.ts';

const test = suite('explanations of changes');

const limits = {
  scaled: limitsOf(valuesScaledCheck, {}),
  moved: limitsOf(valuesMovedCheck, {}),
  merged: limitsOf(valuesMergedCheck, {}),
  rewritten: limitsOf(valuesRewrittenCheck, {}),
};

/** Explains how some values of an attribute changed. */
function explain(
  before: readonly Scalar[],
  after: readonly Scalar[],
  usual: readonly Scalar[] = [],
): Explanation | undefined {
  const [column] = compareColumns(
    before.map((value, at) => [String(at), { value }, { value: after[at] as Scalar }]),
  );
  return column && explainChanges(column, limits, new Set(usual));
}

const twenty = Array.from({ length: 20 }, (_, at) => at);
const stats = twenty.map((at) => 100 + at * at);

test('one factor is found behind rounding, and beside edits of some records', () => {
  const higher = stats.map((value) => Math.round(value * 1.1));
  assert.equal(explain(stats, higher)?.kind, 'scaled');
  const edited = stats.map((value, at) => (at < 3 ? value * 3 + 1 : value * 10));
  assert.equal(explain(stats, edited), { kind: 'scaled', by: 10, count: 17 });
});

test('one difference is found where numbers are few, such as rarities counted from another number', () => {
  const rarities = twenty.map((at) => (at % 3) + 3);
  assert.equal(
    explain(
      rarities,
      rarities.map((value) => value + 1),
    ),
    { kind: 'shifted', by: 1, count: 20 },
  );
});

test('a sign or a decimal point that slipped in three values is found; edits of a patch are not', () => {
  const slipped = stats.map((value, at) => (at < 3 ? value * 10 : value));
  assert.equal(explain(stats, slipped), { kind: 'scaled', by: 10, count: 3 });
  const patched = stats.map((value, at) => (at < 9 ? value + (at % 2 ? 3 : -4) * (at + 1) : value));
  assert.is(explain(stats, patched), undefined);
});

test('coarse numbers and dates that became one value far outside are merged; a new highest level is not', () => {
  const levels = twenty.map((at) => 60 + (at % 3) * 10);
  const broken = levels.map((value, at) => (at % 4 === 0 ? 1 : value));
  assert.equal(explain(levels, broken), { kind: 'merged', value: 1, count: 5 });
  const raised = levels.map((value, at) => (at % 4 === 0 ? 90 : value));
  assert.is(explain(levels, raised)?.kind === 'merged', false);
  const dates = twenty.map((at) => `202${at % 3}-01-01`);
  const epoch = dates.map((value, at) => (at % 4 === 0 ? '1970-01-01' : value));
  assert.equal(explain(dates, epoch), { kind: 'merged', value: '1970-01-01', count: 5 });
});

test('values that moved to the next record are told from others, also if many are equal', () => {
  assert.equal(explain(stats, [...stats.slice(1), 100])?.kind, 'moved');
  const elements = twenty.map((at) => ['Fire', 'Ice', 'Wind'][at % 3] as string);
  assert.equal(explain(elements, [...elements.slice(1), 'Fire'])?.kind, 'moved');
  const swapped = [...stats];
  [swapped[0], swapped[1]] = [stats[1] as number, stats[0] as number];
  assert.is(explain(stats, swapped), undefined);
});

test('lost decimals are no factor, and different values that become one are no rewrite', () => {
  const rates = twenty.map((at) => 1.05 + at / 10);
  assert.equal(explain(rates, rates.map(Math.trunc)), { kind: 'rounded', count: 20 });
  const names = twenty.map((at) => `Name ${at}`);
  const soon = names.map((name, at) => (at < 12 ? 'Soon' : name));
  assert.equal(explain(names, soon), { kind: 'merged', value: 'Soon', count: 12 });
});

test('values inside lists of equal length count, and lists that became shorter are counted', () => {
  const levels = (count: number, factor: number) => ({
    levels: Array.from({ length: count }, (_, at) => ({ hp: (at + 1) * factor })),
  });
  const columns = compareColumns([
    ['a', levels(3, 1), levels(3, 10)],
    ['b', levels(3, 1), levels(2, 1)],
  ]);
  assert.equal(
    columns.map(({ key, both, changed, lists, shortened }) => [key, both, changed.length, lists, shortened]),
    [
      ['levels', 0, 0, 2, [1]],
      ['levels.hp', 3, 3, 0, []],
    ],
  );
});

test('texts that differ only in capitals or spaces are one change', () => {
  const names = twenty.map((at) => `Name ${at}`);
  const inCapitals = names.map((name, at) => (at < 6 ? name.toUpperCase() : name));
  assert.equal(explain(names, inCapitals), { kind: 'restyled', count: 6 });
});

test('values of three kinds that all come back in other records have moved, also if they are few', () => {
  const speeds = Array.from({ length: 100 }, (_, at) => [5, 6, 7][at % 3] as number);
  const moved = speeds.map((speed, at) => (at < 9 ? (speeds[at + 1] as number) : speed));
  assert.equal(explain(speeds, moved), { kind: 'moved', count: 9 });
  const edited = speeds.map((speed, at) => (at < 9 ? 5 + ((speed + 2 * at) % 4) : speed));
  assert.is(explain(speeds, edited), undefined);
});

test('a decimal point that slipped in few of many changed values is chance', () => {
  const edited = stats.map((value, at) => (at < 3 ? value * 10 : at < 10 ? value + at * at : value));
  assert.is(explain(stats, edited), undefined);
});

test('a change in one position of lists is found, although all others are as they were', () => {
  const record = (change: (cost: number) => number) => (at: number) =>
    [1, 2, 3, 4].map((phase) => ({ cost: phase === 2 ? change(at + phase) : at + phase }));
  const pairs = twenty.map((at): [string, object, object] => [
    String(at),
    { phases: record((cost) => cost)(at) },
    { phases: record((cost) => cost * 10)(at) },
  ]);
  const column = compareColumns(pairs as never).find(({ key }) => key === 'phases.cost');
  assert.equal(column && explainChanges(column, limits), { kind: 'scaled', by: 10, count: 20 });
});

test('a patch is no damage: few records move to a usual value, a factor near 1 is rounding, each of five gets one more', () => {
  const arenas = Array.from({ length: 60 }, (_, at) => at % 12);
  const moved = arenas.map((arena, at) => (at % 7 === 1 ? 14 : arena));
  assert.is(explain(arenas, moved)?.kind, 'merged');
  assert.is(explain(arenas, moved, [14]), undefined);
  const nearly = stats.map((value) => Math.round(value * 10 * 0.9968));
  const tenfold = stats.map((value) => value * 10);
  assert.is(explain(tenfold, nearly)?.kind === 'scaled', false);
  const caps = [14, 12, 9, 6, 4];
  const raised = caps.map((cap) => cap + 1);
  assert.is(explain(caps, raised), undefined);
});

test('a few rows of long lists in another order are no pattern', () => {
  const record = (at: number, isSwapped: boolean) => {
    const keys = Array.from({ length: 10 }, (_, row) => ({ key: `k${at}-${row}` }));
    return { rows: isSwapped ? [keys[1], keys[0], ...keys.slice(2)] : keys };
  };
  const pairs = Array.from({ length: 60 }, (_, at) => [String(at), record(at, false), record(at, at < 3)]);
  const column = compareColumns(pairs as never).find(({ key }) => key === 'rows.key');
  assert.is(column?.changed.length, 6);
  assert.is(column && explainChanges(column, limits), undefined);
});

test.run();
