import type { BuildContent } from '../../core/format/build-content.ts';
import type { JsonObject } from '../../core/format/dist-format.ts';

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

const parsed = new WeakMap<readonly string[], JsonObject[]>();

/** Returns the records of a collection. They are parsed once for all formats, and for all builds that share them. */
export function recordsOf({ texts }: BulkCollection): readonly JsonObject[] {
  const records = parsed.get(texts) ?? texts.map((text) => JSON.parse(text) as JsonObject);
  parsed.set(texts, records);
  return records;
}
