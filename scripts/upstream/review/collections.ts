import type { BuildContent } from '../../format/build-content.ts';
import { type JsonObject, parseRecord } from '../../format/dist-format.ts';

/** The records of a list, or an object as a list of one record. */
export interface Collection {
  /** `characters` or the key of the dataset. */
  list: string;
  kind: 'list' | 'object';
  records: readonly JsonObject[];
}

/** The collections of a build, by name. */
export interface BuildCollections {
  build: string;
  lists: ReadonlyMap<string, Collection>;
}

/** Parses the records of a build. */
export function parseCollections({ build, characters, datasets }: BuildContent): BuildCollections {
  const parse = (list: string, kind: Collection['kind'], texts: readonly string[]): Collection => ({
    ...{ list, kind },
    records: texts.map(parseRecord),
  });
  const all = [
    parse('characters', 'list', characters),
    ...[...datasets].map(([key, dataset]) =>
      parse(key, dataset.kind, dataset.kind === 'list' ? dataset.records : [dataset.text]),
    ),
  ];
  return { build, lists: new Map(all.map((collection) => [collection.list, collection])) };
}
