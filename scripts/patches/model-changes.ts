import type { AmendmentChanges, ChangedRecord, DatasetDiff } from '../diff/diff-builds.ts';
import { leastOfModel } from '../diff/find-gained-values.ts';
import { pointerSteps } from '../lib/json-pointer.ts';

/**
 * One thing that an amendment changed in the model of the data, such as what `stats.atk` is: an attribute of many records of a collection, or a
 * dataset as a whole.
 */
export interface ModelChange {
  collection: string;
  /** By its dotted key; absent for a dataset that was added or removed. */
  attribute?: string;
  kind: 'changed' | 'added' | 'removed';
  /** How many records it concerns. */
  records: number;
}

/** What an amendment changed: mistakes that it corrects, and the model, one line for each attribute. */
export interface SplitAmendment {
  corrections: AmendmentChanges;
  model: ModelChange[];
}

/**
 * Tells the corrections of an amendment from its changes of the model. Attributes in one object belong together: if `stats.atk` changes in many
 * records, so does the meaning of `stats.hp`.
 *
 * @param countOf the number of records of a collection
 */
export function splitAmendment(
  { characters, datasets }: AmendmentChanges,
  countOf: (collection: string) => number,
): SplitAmendment {
  const model: ModelChange[] = [];
  const split = <T extends ChangedRecord>(collection: string, changed: readonly T[]): T[] => {
    const { left, lines } = splitRecords(changed, leastOfModel(countOf(collection)));
    model.push(...lines.map((line) => ({ collection, ...line })));
    return left;
  };
  const corrections: AmendmentChanges = {
    characters: { ...characters, changed: split('characters', characters.changed) },
    datasets: {},
  };
  for (const [key, diff] of Object.entries(datasets)) {
    if (diff.kind !== undefined) model.push({ collection: key, kind: diff.kind, records: recordsOf(diff) });
    else if ('changes' in diff) corrections.datasets[key] = diff;
    else {
      const left = { ...diff, changed: split(key, diff.changed) };
      const names = namesIn(left);
      corrections.datasets[key] = { ...withoutNames(left), ...(names && { names }) };
    }
  }
  return { corrections, model };
}

function splitRecords<T extends ChangedRecord>(
  changed: readonly T[],
  least: number,
): { left: T[]; lines: Omit<ModelChange, 'collection'>[] } {
  const counts = new Map<string, number>();
  for (const { fields } of changed)
    for (const field of fields) counts.set(field, (counts.get(field) ?? 0) + 1);
  const ofModel = new Set([...counts].flatMap(([field, count]) => (count >= least ? [groupOf(field)] : [])));
  if (ofModel.size === 0) return { left: [...changed], lines: [] };
  const lines = [...counts]
    .filter(([field]) => ofModel.has(groupOf(field)))
    .map(([attribute, records]) => ({ attribute, kind: 'changed' as const, records }))
    .sort((a, b) => b.records - a.records || (a.attribute < b.attribute ? -1 : 1));
  const left = changed.flatMap((record) => {
    const changes = record.changes.filter(({ path }) => !ofModel.has(pointerSteps(path)[0] ?? ''));
    const fields = record.fields.filter((field) => !ofModel.has(groupOf(field)));
    return changes.length > 0 ? [{ ...record, fields, changes }] : [];
  });
  return { left, lines };
}

function groupOf(field: string): string {
  return field.split('.', 1)[0] ?? '';
}

function recordsOf(diff: DatasetDiff): number {
  return 'changes' in diff ? 1 : diff.added.length + diff.removed.length;
}

type Named = Extract<DatasetDiff, { added: string[] }>;

function withoutNames({ names: _, ...diff }: Named): Named {
  return diff;
}

/** The names of the records that are left. */
function namesIn({ added, removed, changed, names = {} }: Named): Record<string, string> | undefined {
  const ids = new Set([...added, ...removed, ...changed.map(({ id }) => id)]);
  const left = Object.entries(names).filter(([id]) => ids.has(id));
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}

/** The number of records of a collection in a build, from its entry in the manifest. */
export function recordCounts({
  characters,
  datasets,
}: {
  characters: { count: number };
  datasets: readonly { key: string; count: number }[];
}): (collection: string) => number {
  const counts = new Map(datasets.map(({ key, count }) => [key, count]));
  return (collection) => (collection === 'characters' ? characters.count : (counts.get(collection) ?? 0));
}
