import { distance } from 'fastest-levenshtein';
import type { ChangedValue, Column, Scalar } from '../columns.ts';
import { isUnresolved } from '../content/text-faults.ts';
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
  description: 'Most records of a list keep their names, and none gets the name or title of another.',
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
        .filter(({ key }) => isNameIn(after, key) || (after.kind === 'list' && isTitle(key)))
        .map((column) => ({ ...column, changed: column.changed.filter((change) => isOther(column, change)) }))
        .filter(({ key, changed, both }) => {
          const counts = countTexts(before, key);
          const isFew = changed.length <= both / 2;
          const isTaken = isFew && (takesNames(before, counts, changed) || takesOther(counts, changed));
          const isMany =
            !isTitle(key) && changed.length >= min_changed_names && changed.length > both * max_changed_share;
          // What the other gates say about the attribute is more exact.
          const isReported = explained.has(key) || changes.some((change) => change.key === key);
          return (isTaken || isMany || hasSwapped(changed)) && !isReported;
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
function takesNames(
  { records }: ListProfile,
  counts: ReadonlyMap<unknown, number>,
  changed: readonly ChangedValue[],
): boolean {
  if (changed.length === 0) return false;
  const isUnique = counts.size >= records.length * UNIQUE_SHARE;
  const isTaken = ({ after }: ChangedValue) =>
    counts.get(after) === 1 || !/[\p{L}\p{N}]/u.test(String(after));
  return isUnique && changed.filter(isTaken).length >= changed.length / 2;
}

/** More names than these that were corrected to those of others are no single fault. */
const MAX_TAKEN = 2;
const UNRELATED_SHARE = 0.6;

/** Whether one or two records have a name that others had, and that has hardly a letter in common with their own: variants of one thing have similar ones. */
function takesOther(counts: ReadonlyMap<unknown, number>, changed: readonly ChangedValue[]): boolean {
  if (changed.length > MAX_TAKEN) return false;
  return changed.some(({ before, after }) => {
    const [earlier, later] = [plain(before), plain(after)];
    const isUnrelated =
      earlier !== '' && distance(earlier, later) >= Math.max(earlier.length, later.length) * UNRELATED_SHARE;
    // A key that got its text may get one that others have.
    return counts.has(after) && isUnrelated && !isUnresolved(String(before));
  });
}

/** How many records have each text of an attribute. */
function countTexts({ records }: ListProfile, key: string): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const { [key]: text } of records) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Whether an attribute tells records apart beside their names, as the title of a card does. */
function isTitle(key: string): boolean {
  return /^title(?:_[^.]+)?$/.test(key);
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
