import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuildEntry } from '../../../scripts/format/dist-format.ts';
import { describeFreshness } from '../../../gateway/freshness/freshness.ts';

const test = suite('freshness');

function builds(...days: string[]): BuildEntry[] {
  return days.map((released_at) => ({ released_at }) as BuildEntry);
}

const NOW = Date.parse('2026-02-01');

test('says since when the newest build is public', () => {
  assert.equal(describeFreshness(builds('2026-01-01T06:00:00Z'), 24, NOW), {
    public_at: '2026-01-02T06:00:00.000Z',
    age_days: 31,
    usual_interval_days: null,
    behind: null,
  });
});

test('knows the usual interval of three builds or more, by the last ones', () => {
  const intervalOf = (...days: string[]) => describeFreshness(builds(...days), 24, NOW).usual_interval_days;
  assert.is(intervalOf('2026-01-01', '2026-02-01'), null);
  assert.is(intervalOf('2026-01-01', '2026-01-11', '2026-01-31'), 15);
  assert.is(
    intervalOf('2026-01-01', '2026-01-11', '2026-01-21', '2026-06-21'),
    10,
    'one long pause is no habit',
  );
  const old = Array.from({ length: 20 }, (_, at) => `20${10 + at}-01-01`);
  const recent = Array.from({ length: 13 }, (_, at) => new Date(Date.UTC(2030, 0, 1 + at)).toISOString());
  assert.is(intervalOf(...old, ...recent), 1);
});

test('says how many usual intervals old the newest build is', () => {
  const { behind } = describeFreshness(
    builds('2026-01-01', '2026-01-11', '2026-01-21'),
    24,
    Date.parse('2026-02-15'),
  );
  assert.is(behind, 2.5);
});

test.run();
