import type { Json, JsonObject } from '../../scripts/format/json.ts';
import { findNearest } from '../../scripts/lib/nearest.ts';
import type { GameBuild } from '../data/game-build.ts';
import { ParameterError, type RawQuery } from '../http/raw-query.ts';
import type { Collection } from '../query/collection.ts';
import type { Column } from '../query/column.ts';
import { findNested } from '../nested-filters/nested-filters.ts';
import type { Facet } from '../query/filters.ts';
import { parseListQuery } from '../query/list-query.ts';
import { type Selection, selectRows } from '../query/select-rows.ts';
import { collectionsOf, type ListModel, listModelOf, listOf, nameAt, textAt, textIn } from './game-data.ts';
import { formatCell, fullLabel, type Known } from './model/format-value.ts';
import { START, writeListState } from './model/list-state.ts';
import { addressOf, listAddressOf } from './model/linked.ts';
import { addPicture, type Audience } from './pictures.ts';
import { READER } from './record-facts.ts';
import { type TileData, tileOf } from './model/tile.ts';

/** A record, as pages link to it. */
export interface RecordLink {
  href: string;
  name: string;
  /** What groups it, in words: `Saber`; empty for none. */
  note: string;
  tile: TileData;
}

/** The records of a list that refer to one by an attribute. */
export interface Relation {
  /** `Characters · Ascension · Materials`. */
  title: string;
  total: number;
  links: RecordLink[];
  /** The list of all. */
  href: string;
}

const MAX_LINKS = 18;
const MAX_NEAR = 6;

/** Returns a link to a row of a list. */
export function linkOf(game: GameBuild, { key, list, known, tile }: ListModel, row: number): RecordLink {
  const id = textAt(list, row, 'id') ?? '';
  const name = nameAt(list, row);
  const record: JsonObject = { id, name };
  for (const attribute of [tile.group, tile.rarity]) {
    const value = attribute === undefined ? undefined : textAt(list, row, attribute);
    if (attribute !== undefined && value !== undefined)
      record[attribute] = attribute === tile.rarity ? Number(value) : value;
  }
  if (tile.picture) addPicture(record, list, tile.picture);
  const group = tile.group === undefined ? undefined : record[tile.group];
  const note =
    tile.group === undefined || group === undefined
      ? ''
      : noteOf(game, known.get(tile.group) ?? { key: tile.group }, group);
  return { href: addressOf(game.slug, key, id), name, note, tile: tileOf(record, tile) };
}

/** A group in words; if it is a record, its name. */
function noteOf(game: GameBuild, attribute: Known, group: Json): string {
  const { ref } = attribute;
  const name = ref === undefined ? undefined : textIn(game, ref, String(group), 'name');
  return name ?? formatCell(group, attribute, READER);
}

/** The rows of a list that refer to each record of another, by an attribute. */
interface Reference {
  /** The collection that the values are ids of. */
  to: string;
  /** The list that has the attribute. */
  collection: string;
  attribute: string;
  column: Column;
  codes: ReadonlyMap<string, number>;
  /** The row of each element, if the attribute is inside a list of objects. */
  rowOf: Int32Array | undefined;
}

const referencesByGame = new WeakMap<GameBuild, Map<string, Reference[]>>();

/** Finds the attributes of a game that refer to records of a collection: once for all pages. */
function referencesOf(game: GameBuild, audience: Audience, collection: string): readonly Reference[] {
  const known = referencesByGame.get(game);
  if (known) return known.get(collection) ?? [];
  const found = findReferences(game, audience);
  const references = new Map<string, Reference[]>();
  for (const each of found) references.set(each.to, [...(references.get(each.to) ?? []), each]);
  referencesByGame.set(game, references);
  return references.get(collection) ?? [];
}

function findReferences(game: GameBuild, audience: Audience): Reference[] {
  return collectionsOf(game).flatMap(({ key: collection }) => {
    const list = listOf(game, collection);
    if (list?.rowOfId === undefined) return [];
    const { known: attributes } = listModelOf(game, collection, list, audience);
    return [...attributes.values()].flatMap(({ key: attribute, ref: to }): Reference[] => {
      const { column, rowOf } = to === undefined ? {} : columnOf(list, attribute);
      if (to === undefined || column === undefined) return [];
      const codes = new Map([...column.values].map((value, code) => [String(value), code]));
      return [{ to, collection, attribute, column, codes, rowOf }];
    });
  });
}

/** Returns the values of an attribute, which may be inside a list of objects. */
function columnOf(list: Collection, attribute: string): Partial<Facet> {
  const column = list.columns.get(attribute);
  if (column || list.objectLists.size === 0) return column ? { column } : {};
  return findNested(attribute, list) ?? {};
}

/** Finds the records of a game that refer to one. */
export function findRelations(
  game: GameBuild,
  audience: Audience,
  collection: string,
  id: string,
): Relation[] {
  const references = referencesOf(game, audience, collection);
  return references.flatMap(({ collection: key, attribute, column, codes, rowOf }) => {
    const code = codes.get(id);
    const list = listOf(game, key);
    if (code === undefined || list === undefined) return [];
    const places = column.rows.subarray(column.offsets[code], column.offsets[code + 1]);
    const rows = [...new Set(rowOf ? places.map((at) => rowOf[at] ?? 0) : places)];
    const model = listModelOf(game, key, list, audience);
    const filters = [{ key: attribute, operator: 'is' as const, value: id }];
    return [
      {
        title: `${model.label} · ${fullLabel(model.known, attribute.replace(/\.id$/, ''))}`,
        total: rows.length,
        links: rows.slice(0, MAX_LINKS).map((row) => linkOf(game, model, row)),
        href: `${listAddressOf(game.slug, key)}?${writeListState({ ...START, filters })}`,
      },
    ];
  });
}

/** Finds the records whose id or name is near to one that does not exist. */
export function findNear(game: GameBuild, model: ListModel, id: string): RecordLink[] {
  const { list } = model;
  const near = findNearest(id, list.rowOfId?.keys() ?? []);
  const row = near === undefined ? undefined : list.rowOfId?.get(near);
  const matches = selectFrom(list, [['q', id.replace(/[-_]+/g, ' ')]])?.rows ?? [];
  const rows = new Set([...(row === undefined ? [] : [row]), ...matches.slice(0, MAX_NEAR)]);
  return [...rows].map((each) => linkOf(game, model, each));
}

/** Selects rows as a request of the API does; undefined if the list has nothing to select them by. */
export function selectFrom(list: Collection, query: RawQuery): Selection | undefined {
  try {
    return selectRows(list, parseListQuery(query, list, undefined));
  } catch (error) {
    if (error instanceof ParameterError) return undefined;
    throw error;
  }
}
