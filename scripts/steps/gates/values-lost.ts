import type { JsonObject } from '../../format/dist-format.ts';
import { exampleRecords } from '../rule.ts';
import { type FieldChange, rowsAt, withoutZeros } from '../field-changes.ts';
import { isNameIn } from './names-lost.ts';
import type { ListProfile } from '../profile/profile.ts';
import { commonPath, keysOf, quoteKeys } from '../report-explained.ts';
import { type ListStep, nameSome, type StepCheck, type StepFinding } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(20, () => ({ stats: { hp: 10, atk: 5 } })) };
const without = (count: number) => ({
  '1.1/characters.json': exampleRecords(20, (index) => (index < count ? {} : { stats: { hp: 10, atk: 5 } })),
});

export const valuesLostCheck: StepCheck<'max_lost_share' | 'max_shortened_share' | 'min_lost_records'> = {
  name: 'values-lost',
  description: 'Records keep the values that most records have, and the rows of their lists.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    max_lost_share: { default: 0.03, min: 0, max: 1, help: 'the share of records that may lose a value' },
    max_shortened_share: {
      ...{ default: 0.08, min: 0, max: 1 },
      help: 'the share of lists of rows of which it is a warning that they are shorter',
    },
    min_lost_records: {
      default: 3,
      min: 1,
      max: 1e9,
      help: 'fewer records that lose a value are not reported',
    },
  },
  passes: { ...before, ...without(2) },
  fails: { ...before, ...without(3) },
  check: ({ lists, before: { build } }, { max_lost_share, max_shortened_share, min_lost_records }) =>
    lists.flatMap((list): StepFinding[] => {
      if (list.after.kind === 'object' || list.renumbered.length > 0) return [];
      const isMany = ({ had, lost }: Pick<FieldChange, 'had' | 'lost'>) =>
        lost.length >= min_lost_records && lost.length > had * max_lost_share;
      // What all records had, one that lost it had too.
      const ofAll = thinned(list).filter(
        ({ had, lost }) => had >= MIN_OF_ALL && had === list.pairs.length && lost.length > 0,
      );
      const groups = new Map<string, FieldChange[]>();
      const shorter = shortened(list);
      const isMild = (change: FieldChange) =>
        few.includes(change) ||
        (shorter.includes(change) && change.lost.length <= change.had * max_shortened_share);
      const rows = emptiedRows(list);
      const several = lostTogether(list, (change) => !isMany(change));
      const ofRows = rows.filter((change) => hasInAllRows(list, change));
      const few = [...new Set([...[...ofAll, ...ofRows].filter((change) => !isMany(change)), ...several])];
      for (const change of [...[...thinned(list), ...shorter, ...rows].filter(isMany), ...few]) {
        const records = change.lost.join('\0');
        groups.set(records, [...(groups.get(records) ?? []), change]);
      }
      return [...groups.values()].map((changes) => {
        const [{ lost, had }] = changes as [FieldChange];
        return {
          of: [list.after.list, ...commonPath(changes.map(({ key }) => key))].join('.'),
          place: list.place,
          ...(changes.every(isMild) && { severity: 'warning' }),
          found: `${quoteKeys(changes)} zero, empty, absent or shorter in ${lost.length} of ${had} records of ${list.after.list}: ${nameSome(lost)}`,
          expected: `values, as in build ${build}`,
          changed: { attributes: keysOf(changes), count: lost.length, all: had },
        };
      });
    }),
};

/** So many attributes are not missing in one record by chance: it lacks what is joined to it. */
const MIN_TOGETHER = 3;

/** The changes of some kind in which a record lost several attributes at once; those that few records had count too. */
function lostTogether(list: ListStep, isOfKind: (change: FieldChange) => boolean): FieldChange[] {
  const counts = new Map<string, number>();
  const all = list.changes.filter(({ key, change }) => change === 'thinned' && !isNameIn(list.after, key));
  const ends = all.filter(({ key }) => !all.some((other) => other.key.startsWith(`${key}.`)));
  for (const change of ends)
    for (const name of withoutZeros(list.before, list.pairs, change).lost)
      counts.set(name, (counts.get(name) ?? 0) + 1);
  const isTogether = ({ lost }: FieldChange) => lost.some((name) => (counts.get(name) ?? 0) >= MIN_TOGETHER);
  return thinned(list).filter((change) => isOfKind(change) && isTogether(change));
}

/** An attribute of fewer records is missing in one by chance. */
const MIN_OF_ALL = 24;

/** Whether every row of a list in every record had an attribute. */
function hasInAllRows({ pairs }: ListStep, { key, had }: FieldChange): boolean {
  const path = key.split('.');
  return had >= MIN_OF_ALL && pairs.every(([, earlier]) => rowsAt(earlier, path)?.every(isFilled) ?? true);
}

/** Attributes of most records that some records have lost. Names have their own gate. */
function thinned({ before, after, changes, pairs, explained }: ListStep): FieldChange[] {
  return changes
    .filter(
      ({ key, change, had }) =>
        change === 'thinned' && had >= pairs.length / 2 && !isNameIn(after, key) && !explained.has(key),
    )
    .map((change) => withoutZeros(before, pairs, change));
}

/** Lists of objects that became shorter, such as a table of levels; and lists of texts or numbers that did so in most records. */
function shortened({ columns, changes, pairs }: ListStep): FieldChange[] {
  const reported = new Set(changes.map(({ key }) => key));
  return columns
    .filter(({ key, hasRows, shortened, lists }) => {
      const isMany = shortened.length > (hasRows ? 0 : lists / 2);
      return isMany && !reported.has(key);
    })
    .map(({ key, lists, shortened }) => {
      const lost = [...new Set(shortened)].map((record) => pairs[record]?.[0] ?? '');
      return { key, change: 'thinned', had: lists, lost };
    });
}

/** Attributes that rows inside lists have lost. Rows in another order have them elsewhere. */
function emptiedRows({ before, after, columns, pairs }: ListStep): FieldChange[] {
  return columns.flatMap(({ key, had, emptied }): FieldChange[] => {
    if (emptied.length === 0) return [];
    const path = key.split('.');
    const isFewer = countWithin(after, key) < countWithin(before, key);
    const lost = emptied.flatMap((at): string[] => {
      const [name, earlier, later] = pairs[at] ?? ['', {}, {}];
      return isFewer || countRows(later, path) < countRows(earlier, path) ? [name] : [];
    });
    return lost.length > 0 ? [{ key, change: 'thinned', had, lost }] : [];
  });
}

/** How many rows of a list have an attribute. */
function countRows(record: JsonObject, path: readonly string[]): number {
  return rowsAt(record, path)?.filter(isFilled).length ?? 0;
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** How many numbers and texts an attribute has in all records, those inside it included. */
function countWithin({ values }: ListProfile, key: string): number {
  let count = 0;
  for (const profile of values.values())
    if (profile.key === key || profile.key.startsWith(`${key}.`)) count += profile.numbers + profile.texts;
  return count;
}
