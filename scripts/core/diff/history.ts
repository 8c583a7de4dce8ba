import type { AttributeChanges } from './attribute-changes.ts';
import type { BuildDiff, CharacterName, DatasetDiff } from './diff-builds.ts';

/** A summary of a dataset's changes: the ids of its records, or the attributes that differ if it is compared as one value. */
export type DatasetHistory = { kind?: 'added' | 'removed'; attributes?: AttributeChanges } & (
  | {
      added: string[];
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
  };
  /** The datasets that differ, by key. */
  datasets: Record<string, DatasetHistory>;
}

/** Summarises the diff from the build before. */
export function summariseDiff({ from, to, characters, datasets }: BuildDiff): BuildHistory {
  return {
    build: to,
    previous: from,
    characters: {
      added: characters.added,
      removed: characters.removed,
      changed: characters.changed.map(({ id, name, fields }) => ({ id, name, fields })),
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
  const { added, removed, changed, names, renamed } = diff;
  return {
    ...both,
    added,
    removed,
    changed: changed.map(({ id }) => id),
    ...(names && { names }),
    ...(renamed && { renamed }),
  };
}
