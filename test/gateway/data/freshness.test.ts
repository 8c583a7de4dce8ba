import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeFreshness } from '../../../gateway/data/catalog.ts';
import type { BuildEntry } from '../../../scripts/format/dist-format.ts';

const test = suite('freshness');

const describe = (now: string, ...days: string[]) =>
  describeFreshness(
    days.map((released_at) => ({ released_at }) as BuildEntry),
    Date.parse(now),
  );

const old = Array.from({ length: 20 }, (_, at) => `20${10 + at}-01-01`);
const recent = Array.from({ length: 13 }, (_, at) => new Date(Date.UTC(2030, 0, 1 + at)).toISOString());
for (const [what, days, interval, behind] of [
  ['no interval with one build', ['2026-01-01T06:00:00Z'], null, null],
  ['none with two', ['2026-01-01', '2026-02-01'], null, null],
  ['the middle of two intervals', ['2026-01-01', '2026-01-11', '2026-01-31'], 15, 1],
  ['that one long pause is no habit', ['2025-01-01', '2025-01-11', '2025-01-21', '2025-06-21'], 10, 23.9],
  ['the last intervals only', [...old, ...recent], 1, 0],
] as const)
  test(`knows ${what}`, () => {
    const found = describe('2026-02-15', ...days);
    assert.is(found.usual_interval_days, interval);
    assert.is(found.behind, behind);
  });

test.run();
