import { pointerSteps } from '../lib/json-pointer.ts';
import type { AttributeChanges } from './attribute-changes.ts';
import type { BuildDiff, ChangedRecord, CharacterName, DatasetDiff } from './diff-builds.ts';
import { isGained } from './gained-elements.ts';
import type { Counts } from './history-pages.ts';

/** A summary of a dataset's changes: the ids of its records, or the attributes that differ if it is compared as one value. */
export type DatasetHistory = {
  kind?: 'added' | 'removed';
  attributes?: AttributeChanges;
  counts?: Counts;
} & (
  | {
      added: string[];
      /** As in `RecordsDiff`. */
      gained?: string[];
      removed: string[];
      changed: string[];
      names?: Record<string, string>;
      renamed?: Record<string, string>;
    }
  | { fields: string[] }
);

/** A summary of a build's changes. */
export interface BuildHistory {
  build: string;
  /** The build before; null for the first build, in which everything is added. */
  previous: string | null;
  characters: {
    added: CharacterName[];
    removed: CharacterName[];
    /** `fields` as in `Comparison`. */
    changed: (CharacterName & { fields: string[] })[];
    /** New ids by old ones. */
    renamed?: Record<string, string>;
    attributes?: AttributeChanges;
    counts?: Counts;
  };
  /** The datasets that differ, by key. */
  datasets: Record<string, DatasetHistory>;
}

/** The records that the game changed: without changes that are elements which all records gained. */
export function ofTheGame<T extends ChangedRecord>({
  changed,
  attributes,
}: {
  changed: readonly T[];
  attributes?: AttributeChanges;
}): readonly T[] {
  const elements = attributes?.elements;
  if (elements === undefined) return changed;
  return changed.flatMap((record) => {
    const changes = record.changes.filter((change) => !isGained(change, elements));
    if (changes.length === record.changes.length) return [record];
    const isLeft = (field: string) => changes.some(({ path }) => isWithin(path, field));
    return changes.length > 0 ? [{ ...record, fields: record.fields.filter(isLeft), changes }] : [];
  });
}

/** Whether the place of a change is in an attribute. */
function isWithin(path: string, field: string): boolean {
  return `${pointerSteps(path).join('.')}.`.startsWith(`${field}.`);
}

/** Summarises the diff from the build before. */
export function summariseDiff({ from, to, characters, datasets }: BuildDiff): BuildHistory {
  return {
    build: to,
    previous: from,
    characters: {
      added: characters.added,
      removed: characters.removed,
      changed: ofTheGame(characters).map(({ id, name, fields }) => ({ id, name, fields })),
      ...(characters.renamed && { renamed: characters.renamed }),
      ...(characters.attributes && { attributes: characters.attributes }),
    },
    datasets: Object.fromEntries(
      Object.entries(datasets).map(([key, diff]) => [key, summariseDataset(diff)]),
    ),
  };
}

function summariseDataset(diff: DatasetDiff): DatasetHistory {
  const { kind, attributes } = diff;
  const both = { ...(kind && { kind }), ...(attributes && { attributes }) };
  if ('changes' in diff) return { ...both, fields: diff.fields };
  const { added, gained, removed, names, renamed } = diff;
  return {
    ...both,
    added,
    ...(gained && { gained }),
    removed,
    changed: ofTheGame(diff).map(({ id }) => id),
    ...(names && { names }),
    ...(renamed && { renamed }),
  };
}
