import type { BuildContent } from '../format/build-content.ts';
import type { JsonObject } from '../format/dist-format.ts';

/** A collection of a build: `characters`, or a dataset. One that is an object has one record. */
export interface BulkCollection {
  key: string;
  /** The records as JSON texts. */
  texts: readonly string[];
}

/** Returns the collections of a build: the characters, then the datasets. */
export function collectionsOf({ characters, datasets }: BuildContent): BulkCollection[] {
  const others = [...datasets].map(([key, dataset]) => ({
    key,
    texts: dataset.kind === 'list' ? dataset.records : [dataset.text.trimEnd()],
  }));
  return [{ key: 'characters', texts: characters }, ...others];
}

/** Parses the records of a collection. */
export function recordsOf({ texts }: BulkCollection): JsonObject[] {
  return texts.map((text) => JSON.parse(text) as JsonObject);
}
