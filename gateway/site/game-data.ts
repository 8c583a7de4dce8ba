import type { Attribute } from '../../scripts/format/attributes.ts';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import type { Dataset, GameBuild, ListDataset } from '../catalog/game-build.ts';
import type { Collection } from '../query/collection.ts';
import { type FacetRecord, groupsRecords } from './model/facets.ts';
import type { CollectionLink, GameData } from './model/page-data.ts';

/** The collection of characters, beside the datasets. */
const CHARACTERS = 'characters';

/** Returns what an interactive page knows of a game and one of its collections. */
export function gameDataOf(
  { slug, title, build, languages, dictionary }: GameBuild,
  key: string,
  list: Collection,
): GameData {
  const { attributes } = dictionary.describe(key, () => list);
  return {
    ...{ slug, title, build },
    languages: languages.codes.filter((code) => code !== languages.own),
    attributes: attributes.map((attribute) => withoutRecords(attribute, list.count)),
  };
}

/** Leaves out values that would name records which need a key: all that do not group records. */
function withoutRecords({ examples: _, values, ...attribute }: Attribute, records: number): Attribute {
  const { key, type, list, count, distinct = 0, closed } = attribute;
  const form = type === 'integer' ? 'number' : type;
  const isFacet = form === 'string' || form === 'number' || form === 'boolean';
  const facet = { id: key, type: isFacet ? form : 'string', list, count, distinct } as const;
  const isShown = values !== undefined && isFacet && (closed || groupsRecords(facet, attribute, records));
  return isShown ? { ...attribute, values } : attribute;
}

/** Returns the facets of a collection as `/api/{game}/facets` has them, except those whose values would name records. */
export function facetsOf({ dictionary }: GameBuild, key: string, list: Collection): FacetRecord[] {
  const { attributes } = dictionary.describe(key, () => list);
  const known = new Map(attributes.map((attribute) => [attribute.key, attribute]));
  return dictionary.facetsOf(key, list).records.map((record) => {
    const { values, rest, ...facet } = JSON.parse(record.toString()) as FacetRecord;
    if (!groupsRecords(facet, known.get(facet.id), list.count)) return facet;
    return { ...facet, ...(values && { values }), ...(rest && { rest }) };
  });
}

/** Returns the lists of a game that can be explored, characters first. */
export function collectionsOf({ roster, datasets }: GameBuild): CollectionLink[] {
  const lists = [...datasets.values()].filter(isList).filter(({ list }) => list.count > 0);
  return [
    { key: CHARACTERS, label: 'Characters', count: roster.count },
    ...lists.map(({ key, list }) => ({ key, label: wordsOf(key), count: list.count })),
  ];
}

/** Returns the list of a collection; undefined if the game has no such list. */
export function listOf({ roster, datasets }: GameBuild, key: string): Collection | undefined {
  if (key === CHARACTERS) return roster;
  const dataset = datasets.get(key);
  return dataset && isList(dataset) ? dataset.list : undefined;
}

function isList(dataset: Dataset): dataset is ListDataset {
  return dataset.kind === 'list';
}

/** Returns the first records of a list. */
export function firstRecords(records: readonly Buffer[], count: number): JsonObject[] {
  return records.slice(0, count).map((record) => JSON.parse(record.toString()) as JsonObject);
}

/** `level_curves` → `Level curves`. */
function wordsOf(key: string): string {
  const words = key.replaceAll('_', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
