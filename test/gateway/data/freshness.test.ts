import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeFreshness } from '../../../gateway/data/catalog.ts';
import type { BuildEntry } from '../../../scripts/format/dist-format.ts';

const test = suite('freshness');

const describe = (now: string, ...days: string[]) =>
  describeFreshness(
    days.map((released_at) => ({ released_at }) as BuildEntry),
    undefined,
    Date.parse(now),
  );

const old = Array.from({ length: 20 }, (_, at) => `20${10 + at}-01-01`);
const recent = Array.from({ length: 13 }, (_, at) => new Date(Date.UTC(2030, 0, 1 + at)).toISOString());
for (const [what, days, interval, behind] of [
  ['no interval with one build', ['2026-01-01T06:00:00Z'], null, null],
  ['none with two', ['2026-01-01', '2026-02-01'], null, null],
  ['the middle of two intervals', ['2026-01-01', '2026-01-11', '2026-01-31'], 15, 0],
  ['that one long pause is no habit', ['2025-01-01', '2025-01-11', '2025-01-21', '2025-06-21'], 10, 229],
  ['the last intervals only', [...old, ...recent], 1, 0],
] as const)
  test(`knows ${what}`, () => {
    const found = describe('2026-02-15', ...days);
    assert.is(found.cadence_days, interval);
    assert.is(found.behind_days, behind);
  });

test('counts from the source of the characters, in the known rhythm of the game', () => {
  const build = { released_at: '2026-08-22', as_of: { characters: '2025-10-10' } } as unknown as BuildEntry;
  const found = describeFreshness([build], 14, Date.parse('2026-08-23'));
  assert.equal(found, { age_days: 1, cadence_days: 14, behind_days: 303 });
});

test.run();
