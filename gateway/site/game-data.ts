import type { Attribute, AttributeValue } from '../../scripts/format/attributes.ts';
import { type JsonObject, parseRecord } from '../../scripts/format/dist-format.ts';
import type { Dictionary } from '../data/dictionary.ts';
import { CHARACTERS, type Dataset, type GameBuild, type ListDataset } from '../data/game-build.ts';
import type { Collection } from '../query/collection.ts';
import { describeAttributes } from '../attributes/attributes-of.ts';
import { usualColumns } from './model/columns.ts';
import { nameOfRecord, wordsOf } from './model/format-value.ts';
import { inReadingOrder } from './model/in-order.ts';
import { type FacetRecord, groupsRecords, type SideFacet, sideFacets } from './model/facets.ts';
import type { CollectionLink, GameData } from './model/page-data.ts';
import { type TileKeys, tileKeysOf } from './model/tile.ts';
import { type Audience, findPictures } from './pictures.ts';
import { SAMPLE_SIZE } from './sample.ts';

/** What pages know of a list of a game: it is worked out once. */
export interface ListModel {
  key: string;
  label: string;
  list: Collection;
  attributes: Attribute[];
  known: ReadonlyMap<string, Attribute>;
  facets: FacetRecord[];
  /** The filters at its side. */
  side: SideFacet[];
  /** The columns of its table before a reader chooses others. */
  columns: string[];
  /** What its records are pictured by. */
  tile: TileKeys;
}

const models = new WeakMap<Dictionary, WeakMap<Collection, Map<string, ListModel>>>();

/** Returns what pages know of a list. */
export function listModelOf(game: GameBuild, key: string, list: Collection, audience: Audience): ListModel {
  const ofDictionary = models.get(game.dictionary) ?? new WeakMap<Collection, Map<string, ListModel>>();
  models.set(game.dictionary, ofDictionary);
  const ofList = ofDictionary.get(list) ?? new Map<string, ListModel>();
  ofDictionary.set(list, ofList);
  const name = `${key} ${audience.isSample}`;
  const model = ofList.get(name) ?? makeModel(game, key, list, audience);
  ofList.set(name, model);
  return model;
}

function makeModel(game: GameBuild, key: string, list: Collection, audience: Audience): ListModel {
  const hidden = audience.isSample ? namesThatNeedKey(game) : undefined;
  const described = inReadingOrder(describeAttributes(game, key, () => list).attributes);
  const byKey = new Map(described.map((attribute) => [attribute.key, attribute]));
  const facets = facetsOf(game, key, list, byKey, hidden);
  const attributes = described.map(({ examples: _, values, ...attribute }): Attribute => {
    const { key: id, list: isList, count, distinct = 0, closed } = attribute;
    const facet = { id, type: formOf(attribute), list: isList, count, distinct };
    const isShown = closed || groupsRecords(facet, attribute, list.count);
    return values && isShown && !names(values, hidden) ? { ...attribute, values } : attribute;
  });
  const side = sideFacets(facets, attributes, list.count);
  const attributeByKey = new Map(attributes.map((attribute) => [attribute.key, attribute]));
  return {
    ...{ key, label: wordsOf(key), list, attributes, facets, side, known: attributeByKey },
    columns: usualColumns(side, facets, firstRecords(list.records, SAMPLE_SIZE), attributeByKey),
    tile: { ...tileKeysOf(side, facets), picture: findPictures(game, list, described, audience) },
  };
}

/** Returns what an interactive page knows of a game and one of its lists. */
export function gameDataOf(
  { slug, title, build, languages }: GameBuild,
  { attributes }: ListModel,
): GameData {
  return {
    ...{ slug, title, build, attributes },
    languages: languages.codes.filter((code) => code !== languages.own),
  };
}

function formOf({ type }: Attribute): FacetRecord['type'] {
  if (type === 'boolean') return type;
  return type === 'integer' || type === 'number' ? 'number' : 'string';
}

/** The facets of a list as `/api/{game}/facets` has them; without values that name each record, or that are hidden. */
function facetsOf(
  game: GameBuild,
  key: string,
  list: Collection,
  known: ReadonlyMap<string, Attribute>,
  hidden: ReadonlySet<string> | undefined,
): FacetRecord[] {
  return game.dictionary.facetsOf(key, list).records.map((record) => {
    const { values, rest, ...facet }: FacetRecord = JSON.parse(record.toString());
    const isShown = groupsRecords(facet, known.get(facet.id), list.count);
    if (!values || !isShown || names(values, hidden)) return facet;
    return {
      ...facet,
      values: hidden ? values : withNames(game, values, known.get(facet.id)),
      ...(rest && { rest }),
    };
  });
}

/** Values that are ids of records are shown by the names of these. */
function withNames(
  game: GameBuild,
  values: readonly AttributeValue[],
  attribute: Attribute | undefined,
): AttributeValue[] {
  const ref = attribute?.ref;
  if (ref === undefined) return [...values];
  return values.map((each) => {
    const label = each.label ?? textIn(game, ref, String(each.value), 'name');
    return label === undefined ? each : { ...each, label };
  });
}

/** Returns the ids and names, in all languages, of the characters that are not in the sample. */
function namesThatNeedKey({ roster }: GameBuild): ReadonlySet<string> {
  const texts = new Set<string>();
  for (const record of roster.records.slice(SAMPLE_SIZE)) {
    for (const [key, value] of Object.entries(JSON.parse(record.toString())))
      if (typeof value === 'string' && /^(id|name|name_.*)$/.test(key)) texts.add(value);
  }
  return texts;
}

function names(values: readonly AttributeValue[], texts: ReadonlySet<string> | undefined): boolean {
  return values.some(({ value }) => typeof value === 'string' && texts?.has(value));
}

/** Returns the lists of a game, characters first. */
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
  return records.slice(0, count).map(parseRecord);
}

/** Returns a text of a row; undefined if it has none. */
export function textAt({ columns }: Collection, row: number, key: string): string | undefined {
  const column = columns.get(key);
  if (column === undefined || column.list) return undefined;
  const value = column.values[column.codes[row] ?? -1];
  return value === undefined ? undefined : String(value);
}

/** Returns the name of a row, as `nameOfRecord` finds it. */
export function nameAt(list: Collection, row: number): string {
  const name = textAt(list, row, 'name');
  if (name !== undefined) return name;
  const named = [...list.columns.keys()].filter((key) => /^[^.]+_name$/.test(key));
  return nameOfRecord(
    Object.fromEntries(['id', ...named].map((key) => [key, textAt(list, row, key) ?? null])),
  );
}

/** Returns a text of a record, its name for example; undefined if there is no such record or text. */
export function textIn(game: GameBuild, collection: string, id: string, key: string): string | undefined {
  const list = listOf(game, collection);
  const row = list?.rowOfId?.get(id);
  return list === undefined || row === undefined ? undefined : textAt(list, row, key);
}
