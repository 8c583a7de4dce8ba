import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeFreshness } from '../../../gateway/data/catalog.ts';
import type { BuildEntry } from '../../../scripts/format/dist-format.ts';

const test = suite('freshness');

test('counts from the source of the characters, in the known rhythm of the game', () => {
  const build = { released_at: '2026-08-22', as_of: { characters: '2025-10-10' } } as unknown as BuildEntry;
  const now = Date.parse('2026-08-23');
  assert.equal(describeFreshness([build], 14, now), { age_days: 1, cadence_days: 14, behind_days: 303 });
  assert.equal(describeFreshness([build], undefined, now), {
    age_days: 1,
    cadence_days: null,
    behind_days: null,
  });
});

test.run();
