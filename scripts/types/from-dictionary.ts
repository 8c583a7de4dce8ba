import type { AttributeDictionary, CollectionAttributes } from '../format/attributes.ts';
import { type BuildEntry, type JsonObject, type Manifest, ownValue } from '../format/dist-format.ts';
import { facetsOf, labelledFacetsOf } from '../records/filters.ts';
import type { GameTypes, ListTypes } from '../records/game-types.ts';
import {
  attributesOfEntries,
  countAttributes,
  schemaOfRecord,
  schemaOfValue,
} from '../records/record-schema.ts';
import { inAnyLanguage } from '../records/translated-attributes.ts';

/** A build with what its types are made from. */
export interface DescribedBuild {
  manifest: Manifest;
  entry: BuildEntry;
  dictionary: AttributeDictionary;
  /** The roster entries. */
  roster: readonly JsonObject[];
}

const NOTHING: CollectionAttributes = { records: 0, attributes: [] };

/** Reads the types of a game from the attribute dictionary of a build. */
export function typesFromDictionary({ manifest, entry, dictionary, roster }: DescribedBuild): GameTypes {
  const { slug, title, language } = manifest;
  const of = (collection: string) => ownValue(dictionary, collection) ?? NOTHING;
  const schemaOf = (attributes: CollectionAttributes) => schemaOfRecord(inAnyLanguage(attributes, language));
  const listOf = (attributes: CollectionAttributes): ListTypes => ({
    record: schemaOf(attributes),
    facets: new Map(
      [...facetsOf(attributes), ...labelledFacetsOf(attributes)].map((facet) => [
        facet.key,
        schemaOfValue(facet),
      ]),
    ),
  });
  const ofKind = (wanted: 'list' | 'object') => entry.datasets.filter(({ kind }) => kind === wanted);
  const characters = of('characters');
  return {
    ...{ slug, title, build: entry.build },
    characters: {
      ...listOf(characters),
      entry: schemaOf(attributesOfEntries(characters, countAttributes(roster))),
    },
    lists: new Map(ofKind('list').map(({ key }) => [key, listOf(of(key))])),
    objects: new Map(ofKind('object').map(({ key }) => [key, schemaOf(of(key))])),
  };
}
