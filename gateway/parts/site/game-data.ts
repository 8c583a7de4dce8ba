import type { Attribute, AttributeValue } from '../../../scripts/core/format/attributes.ts';
import type { JsonObject } from '../../../scripts/core/format/dist-format.ts';
import type { Dataset, GameBuild, ListDataset } from '../../core/catalog/game-build.ts';
import type { Collection } from '../../core/query/collection.ts';
import { type FacetRecord, groupsRecords } from './model/facets.ts';
import type { CollectionLink, GameData } from './model/page-data.ts';
import { SAMPLE_SIZE } from './sample.ts';

/** The collection of characters, beside the datasets. */
const CHARACTERS = 'characters';

/** Returns what an interactive page knows of a game and one of its collections. */
export function gameDataOf(game: GameBuild, key: string, list: Collection): GameData {
  const { slug, title, build, languages, dictionary } = game;
  const { attributes } = dictionary.describe(key, () => list);
  const needKey = namesThatNeedKey(game);
  return {
    ...{ slug, title, build },
    languages: languages.codes.filter((code) => code !== languages.own),
    attributes: attributes.map(({ examples: _, values, ...attribute }) => {
      const { key: id, list: isList, count, distinct = 0, closed } = attribute;
      const facet = { id, type: formOf(attribute), list: isList, count, distinct };
      const isShown = closed || groupsRecords(facet, attribute, list.count);
      return values && isShown && !names(values, needKey) ? { ...attribute, values } : attribute;
    }),
  };
}

function formOf({ type }: Attribute): FacetRecord['type'] {
  if (type === 'boolean') return type;
  return type === 'integer' || type === 'number' ? 'number' : 'string';
}

/** Returns the facets of a collection as `/api/{game}/facets` has them, except values that would name records which need a key. */
export function facetsOf(game: GameBuild, key: string, list: Collection): FacetRecord[] {
  const { dictionary } = game;
  const { attributes } = dictionary.describe(key, () => list);
  const known = new Map(attributes.map((attribute) => [attribute.key, attribute]));
  const needKey = namesThatNeedKey(game);
  return dictionary.facetsOf(key, list).records.map((record) => {
    const { values, rest, ...facet } = JSON.parse(record.toString()) as FacetRecord;
    const isShown = groupsRecords(facet, known.get(facet.id), list.count);
    if (!values || !isShown || names(values, needKey)) return facet;
    return { ...facet, values, ...(rest && { rest }) };
  });
}

/** The result of `namesThatNeedKey` for each roster. */
const keptNames = new WeakMap<Collection, ReadonlySet<string>>();

/** Returns the ids and names, in all languages, of the characters that need a key. Reading a long roster for each page takes too long. */
function namesThatNeedKey({ roster }: GameBuild): ReadonlySet<string> {
  const kept = keptNames.get(roster) ?? readNamesThatNeedKey(roster);
  keptNames.set(roster, kept);
  return kept;
}

function readNamesThatNeedKey(roster: Collection): ReadonlySet<string> {
  const texts = new Set<string>();
  for (const record of roster.records.slice(SAMPLE_SIZE)) {
    for (const [key, value] of Object.entries(JSON.parse(record.toString()) as JsonObject))
      if (typeof value === 'string' && /^(id|name|name_.*)$/.test(key)) texts.add(value);
  }
  return texts;
}

function names(values: readonly AttributeValue[], texts: ReadonlySet<string>): boolean {
  return values.some(({ value }) => typeof value === 'string' && texts.has(value));
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
