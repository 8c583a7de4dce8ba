import { ownValue } from '../../format/dist-format.ts';
import { recordError } from '../../check/check.ts';
import { countOf } from '../../lib/count-of.ts';
import type { BuildProfile } from '../profile/profile.ts';
import { exampleRecords } from '../rule.ts';
import type { Range, Seen, StepCheck, StepFinding } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(2, (index) => ({ rarity: 3 + index * 3 })) };

export const rarityRangeCheck: StepCheck = {
  name: 'rarity-range',
  description: 'A rarity is within the range of the rarities in all builds before.',
  scope: 'step',
  severity: 'error',
  thresholds: {},
  passes: { ...before, '1.1/characters.json': exampleRecords(3, (index) => ({ rarity: 3 + index })) },
  fails: { ...before, '1.1/characters.json': exampleRecords(3, (index) => ({ rarity: 3 + index * 2 })) },
  check: ({ lists, seen: { rarities } }) =>
    lists.flatMap(({ after, records }) => {
      const seen = ownValue(rarities, after.list);
      if (seen === undefined) return [];
      const outside = new Map<number, number[]>();
      for (const [position, { rarity }] of after.records.entries()) {
        if (typeof rarity !== 'number' || (rarity >= seen.min && rarity <= seen.max)) continue;
        const positions = outside.get(rarity);
        if (positions) positions.push(position);
        else outside.set(rarity, [position]);
      }
      return [...outside].flatMap(([rarity, positions]): StepFinding[] => {
        const record = records[positions[0] ?? 0];
        if (record === undefined) return [];
        const found = `the rarity ${rarity} in ${countOf(positions.length, 'record')} of ${after.list}, first here`;
        const expected = `${seen.min} to ${seen.max}, as in all builds before`;
        return [{ of: `${after.list}.rarity`, ...recordError(record, '/rarity', found, expected) }];
      });
    }),
};

/** Adds the rarities of a build to the range of each list. */
export function widenRarities(seen: Seen['rarities'], { lists }: BuildProfile): Seen['rarities'] {
  const widened: Record<string, Range> = { ...seen };
  for (const { list, kind, records } of lists.values()) {
    if (kind === 'object') continue;
    for (const { rarity } of records) {
      if (typeof rarity !== 'number') continue;
      const { min, max } = ownValue(widened, list) ?? { min: rarity, max: rarity };
      widened[list] = { min: Math.min(min, rarity), max: Math.max(max, rarity) };
    }
  }
  return widened;
}
