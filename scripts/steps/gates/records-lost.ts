import { valueAt } from '../field-changes.ts';
import type { ListProfile } from '../profile/profile.ts';
import { exampleRecords, limitsOf } from '../rule.ts';
import { datasetLossCheck, losesMany } from './dataset-loss.ts';
import { proposeRenamed } from '../propose-renamed.ts';
import { findMovedAway } from '../renumbered.ts';
import { rosterLossCheck } from './roster-loss.ts';
import { type ListStep, nameSome, type StepCheck, type StepFinding } from '../step.ts';

export const recordsLostCheck: StepCheck<'max_lost_share' | 'min_lost_records'> = {
  name: 'records-lost',
  description: 'No character disappears, and few records of a dataset.',
  scope: 'step',
  severity: 'warning',
  thresholds: {
    max_lost_share: { default: 0.02, min: 0, max: 1, help: 'the share of records that a dataset may lose' },
    min_lost_records: {
      default: 3,
      min: 1,
      max: 1e9,
      help: 'fewer lost records of a dataset are not reported',
    },
  },
  passes: { '1.0/items.json': exampleRecords(20), '1.1/items.json': exampleRecords(18) },
  fails: { '1.0/characters.json': exampleRecords(20), '1.1/characters.json': exampleRecords(19) },
  check: ({ lists, before: { build }, build: later }, { max_lost_share, min_lost_records }) =>
    lists.flatMap((list): StepFinding[] => {
      const { before, after, place } = list;
      const lost = findLost(list);
      const all = before.records.length;
      // Of a dataset that lists what is current, all records may be others.
      const isReplaced = isCurrent(before) || lost.length > all / 2;
      const fewer = isReplaced ? Math.min(lost.length, all - after.records.length) : lost.length;
      const isFew =
        after.list === 'characters'
          ? lost.length === 0
          : fewer < min_lost_records || fewer <= all * max_lost_share;
      if (isFew || after.kind === 'object' || isReported(list, lost.length)) return [];
      const moved = findMovedAway(before, after);
      return [
        {
          of: after.list,
          place,
          found: `${lost.length} of the ${all} records of ${after.list} in build ${build} are missing: ${nameSome(lost)}`,
          expected: 'the records of the build before: a game adds and edits',
          ...(moved.length > 0 && proposeRenamed(later, after.list, moved)),
        },
      ];
    }),
};

/** Whether a list has dates, as one of events has: it may list only what is current. */
function isCurrent({ values, records }: ListProfile): boolean {
  return [...values.keys()].some((key) => {
    const path = key.split('.');
    return records.slice(0, MAX_LOOKED_AT).some((record) => isDate(valueAt(record, path)));
  });
}

const MAX_LOOKED_AT = 20;

function isDate(value: unknown): boolean {
  if (typeof value === 'number') return value > 1e9 && value < 1e13;
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value);
}

/** Whether so many are lost that it is an error: `roster-loss`, `dataset-loss` or `dataset-gone`, which a game can allow. */
function isReported({ before, after }: ListStep, lost: number): boolean {
  if (after.records.length === 0) return true;
  if (after.list !== 'characters') return losesMany({ before, after }, limitsOf(datasetLossCheck, {}));
  return lost > before.records.length * rosterLossCheck.thresholds.max_lost_share.default;
}

/** The ids of lost records; the last positions of a list without ids. */
function findLost({ before, after, renumbered }: ListStep): string[] {
  const { byId } = after;
  if (before.byId === undefined || byId === undefined)
    return before.records.slice(after.records.length).map((_, at) => `#${after.records.length + at}`);
  const moved = new Set(renumbered.map(({ from }) => from));
  return [...before.byId.keys()].filter((id) => !byId.has(id) && !moved.has(id));
}
