import type { BuildContent } from '../format/build-content.ts';
import { type JsonObject, parseRecord } from '../format/dist-format.ts';

/** A collection of a build: `characters`, or a dataset. One that is an object has one record. */
export interface BulkCollection {
  key: string;
  /** The records as JSON texts. */
  texts: readonly string[];
  /** What builds share that have the same collection. */
  source: object;
}

/** Returns the collections of a build: the characters, then the datasets. */
export function collectionsOf({ characters, datasets }: BuildContent): BulkCollection[] {
  const others = [...datasets].map(([key, dataset]) => ({
    key,
    texts: dataset.kind === 'list' ? dataset.records : [dataset.text.trimEnd()],
    source: dataset,
  }));
  return [{ key: 'characters', texts: characters, source: characters }, ...others];
}

const parsed = new WeakMap<object, JsonObject[]>();

/** Returns the records of a collection. They are parsed once for all formats, and for all builds that share them. */
export function recordsOf({ texts, source }: BulkCollection): readonly JsonObject[] {
  const records = parsed.get(source) ?? texts.map(parseRecord);
  parsed.set(source, records);
  return records;
}
