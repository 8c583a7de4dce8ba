import type { ChangedValue, Column, Scalar } from '../columns.ts';
import type { ListProfile } from '../profile/profile.ts';
import { quoteKeys } from '../report-explained.ts';
import { exampleRecords } from '../rule.ts';
import { nameSome, type StepCheck, type StepFinding } from '../step.ts';
import { isNameIn } from './names-lost.ts';

const before = { '1.0/characters.json': exampleRecords(20) };
const renamed = (count: number) => ({
  '1.1/characters.json': exampleRecords(20, (index) => (index < count ? { name: `Other ${index}` } : {})),
});

export const namesChangedCheck: StepCheck<'max_changed_share' | 'min_changed_names'> = {
  name: 'names-changed',
  description: 'Most records of a list keep their names.',
  scope: 'step',
  severity: 'warning',
  thresholds: {
    max_changed_share: { default: 0.1, min: 0, max: 1, help: 'the share of names that may change' },
    min_changed_names: { default: 3, min: 1, max: 1e9, help: 'fewer changed names are not reported' },
  },
  passes: { ...before, ...renamed(2) },
  fails: { ...before, ...renamed(3) },
  check: ({ lists, before: { build } }, { max_changed_share, min_changed_names }) =>
    lists.flatMap(({ before, after, place, columns, changes, explained, pairs }): StepFinding[] =>
      columns
        .filter(({ key }) => isNameIn(after, key))
        .map((column) => ({ ...column, changed: column.changed.filter((change) => isOther(column, change)) }))
        .filter(({ key, changed, both }) => {
          const isShared = changed.length <= both / 2 && takesNames(before, key, changed);
          const many =
            isShared || (changed.length >= min_changed_names && changed.length > both * max_changed_share);
          // What the other gates say about the attribute is more exact.
          const isReported = explained.has(key) || changes.some((change) => change.key === key);
          return (many || hasSwapped(changed)) && !isReported;
        })
        .map((column) => {
          const { key, changed, both } = column;
          const examples = changed.map(
            ({ record, before, after }) => `${pairs[record]?.[0]} was "${before}" and is "${after}"`,
          );
          return {
            of: `${after.list}.${key}`,
            place,
            found: `${quoteKeys([column])} changed in ${changed.length} of ${both} records of ${after.list}: ${nameSome(examples)}`,
            expected: `names as in build ${build}, with a few that were corrected`,
            changed: { attributes: [key], count: changed.length, all: both },
          };
        }),
    ),
};

/** Whether most of the changed names are those that one other record had, or have no letters, such as "???". */
function takesNames({ records }: ListProfile, key: string, changed: readonly ChangedValue[]): boolean {
  if (changed.length === 0) return false;
  const counts = new Map<unknown, number>();
  for (const { [key]: name } of records) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isUnique = counts.size >= records.length * UNIQUE_SHARE;
  const isTaken = ({ after }: ChangedValue) =>
    counts.get(after) === 1 || !/[\p{L}\p{N}]/u.test(String(after));
  return isUnique && changed.filter(isTaken).length >= changed.length / 2;
}

/** Whether two records have the name of each other now. */
function hasSwapped(changed: readonly ChangedValue[]): boolean {
  const seen = new Set<string>();
  return changed.some(({ before, after }) => {
    seen.add(JSON.stringify([before, after]));
    return seen.has(JSON.stringify([after, before]));
  });
}

/** In a list with fewer different names, several records have the same. */
const UNIQUE_SHARE = 0.95;

/**
 * Whether a name is another one, and not the same with other numbers or capitals: "+7 Armor" became "+6 Armor". In another language than that of the
 * game, "Le pionnier" may become "Pionnier".
 */
function isOther({ key }: Pick<Column, 'key'>, { before, after }: ChangedValue): boolean {
  const [earlier, later] = [plain(before), plain(after)];
  if (earlier === later) return earlier === '';
  const [short = '', long = ''] = [earlier, later].sort((a, b) => a.length - b.length);
  return key === 'name' || short.length < long.length / 2 || !long.endsWith(short);
}

function plain(value: Scalar): string {
  return String(value)
    .toLowerCase()
    .replace(/\{[^}]*\}|[\d\s.,:%+-]+/g, '');
}
