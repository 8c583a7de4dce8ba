import type { Json, JsonObject } from '../../../scripts/format/json.ts';
import { allowedPicture } from './picture.ts';
import type { TileData, TileKeys } from './tile.ts';
import { tileOf } from './tile.ts';
import { formatCell, type Known, labelOf, type Reader, unitOf } from './format-value.ts';

/** The maximum number of characters that can be compared. */
export const MAX_COMPARED = 6;

/** A row of `fields` of `/api/{game}/compare`. */
export interface ComparedField {
  key: string;
  /** One per unit; null where it has none. */
  values: Json[];
  differs: boolean;
  /** The positions with the largest value. */
  best: number[];
}

/** A value of a unit in a row. */
export interface ComparedCell {
  text: string;
  /** The address of a picture, in the place of its text. */
  picture: string | undefined;
  isBest: boolean;
  /** The length of its bar, from 0 to 1; undefined without one. */
  share: number | undefined;
}

/** A row of the table. */
export interface ComparedRow {
  key: string;
  label: string;
  hint: string | undefined;
  unit: string | undefined;
  differs: boolean;
  /** Whether a player compares it at first. */
  isMain: boolean;
  cells: ComparedCell[];
}

/** Rows below one heading. */
export interface ComparedSection {
  title: string;
  rows: ComparedRow[];
}

/** What a comparison is arranged with. */
export interface CompareContext {
  attributes: ReadonlyMap<string, Known>;
  reader: Reader;
  /** The keys that a player compares at first, besides stats. */
  main: readonly string[];
  /** The hosts that pictures may come from. */
  hosts: readonly string[];
}

/** Returns what the picture of a compared unit is drawn from. @param at its position */
export function tileOfCompared(
  fields: readonly ComparedField[],
  at: number,
  name: string,
  tile: TileKeys,
): TileData {
  const find = (key: string | undefined) => fields.find((field) => field.key === key)?.values[at] ?? null;
  const { group = '', rarity = '', picture } = tile;
  return tileOf(
    { name, group: find(group), rarity: find(rarity), picture: find(picture?.key) },
    { group: 'group', rarity: 'rarity', picture: picture && { ...picture, key: 'picture' } },
  );
}

/** Names and ids are in the heads of columns. */
const HEADS = /^(id|name|name_.*|aliases)$/;

/** Arranges the rows of a comparison: general attributes first, then each object; in the order of the dictionary. */
export function arrangeComparison(
  fields: readonly ComparedField[],
  { attributes, reader, main, hosts }: CompareContext,
): ComparedSection[] {
  const places = new Map([...attributes.keys()].map((key, at) => [key, at]));
  const placeOf = ({ key }: ComparedField) => places.get(key) ?? places.size;
  const sections = new Map<string, ComparedSection>();
  const shown = fields.filter(
    ({ key, values }) => !HEADS.test(key) && values.some((value) => value !== null),
  );
  for (const field of shown.sort((a, b) => placeOf(a) - placeOf(b))) {
    const outer = field.key.includes('.') ? field.key.slice(0, field.key.indexOf('.')) : '';
    const title = outer === '' ? 'General' : labelOf(attributes.get(outer) ?? { key: outer }, reader.lang);
    const section = sections.get(outer) ?? { title, rows: [] };
    const row = toRow(field, { attributes, reader, main, hosts });
    if (row) section.rows.push(row);
    sections.set(outer, section);
  }
  const rank = (outer: string) => (outer === 'stats' ? 0 : outer === '' ? 1 : 2);
  return [...sections].sort((a, b) => rank(a[0]) - rank(b[0])).map(([, section]) => section);
}

function toRow(
  { key, values, differs, best }: ComparedField,
  { attributes, reader, main, hosts }: CompareContext,
): ComparedRow | undefined {
  const attribute = attributes.get(key) ?? { key };
  const isPicture = attribute.kind === 'image';
  const pictures = values.map((value) => (isPicture ? allowedPicture(value, hosts) : undefined));
  // An address says nothing to a player.
  if (isPicture && pictures.every((picture) => picture === undefined)) return undefined;
  const most = barScale(key, values);
  return {
    key,
    label: labelInside(key, attributes, reader.lang),
    hint: attribute.description,
    unit: unitOf(attribute),
    differs,
    isMain: key.startsWith('stats.') || main.includes(key),
    cells: values.map((value, at) => ({
      text: isPicture ? '' : formatCell(value, attribute, reader),
      picture: pictures[at],
      isBest: best.includes(at),
      share: most !== undefined && typeof value === 'number' ? value / most : undefined,
    })),
  };
}

/** Bars compare stats, from 0 to the largest; undefined where a bar would mislead. */
function barScale(key: string, values: readonly Json[]): number | undefined {
  const numbers = values.filter((value) => typeof value === 'number');
  if (!key.startsWith('stats.') || numbers.length < 2) return undefined;
  const most = Math.max(...numbers);
  return Math.min(...numbers) >= 0 && most > 0 ? most : undefined;
}

/** The label of a row below the heading of its outermost object. */
function labelInside(key: string, attributes: ReadonlyMap<string, Known>, lang: string): string {
  const parts = key.split('.');
  const from = parts.length > 1 ? 1 : 0;
  return parts
    .slice(from)
    .map((_, at) => parts.slice(0, from + at + 1).join('.'))
    .map((part) => labelOf(attributes.get(part) ?? { key: part }, lang))
    .join(' · ');
}

/** Compares records as `/api/{game}/compare` does: a row for each scalar that is reached through objects. */
export function compareRecords(records: readonly JsonObject[]): ComparedField[] {
  const flat = records.map((record) => new Map(scalarsOf(record, '')));
  const keys = new Set(flat.flatMap((members) => [...members.keys()]));
  return [...keys].map((key) =>
    compareValues(
      key,
      flat.map((members) => members.get(key) ?? null),
    ),
  );
}

/** Returns a comparison of only some of the compared units. @param positions of the units, in their new order */
export function pickCompared(
  fields: readonly ComparedField[],
  positions: readonly number[],
): ComparedField[] {
  return fields.map(({ key, values }) =>
    compareValues(
      key,
      positions.map((at) => values[at] ?? null),
    ),
  );
}

function compareValues(key: string, values: Json[]): ComparedField {
  const differs = new Set(values.map((value) => JSON.stringify(value))).size > 1;
  return { key, values, differs, best: differs && key.startsWith('stats.') ? largest(values) : [] };
}

function scalarsOf(object: JsonObject, prefix: string): [key: string, value: Json][] {
  return Object.entries(object).flatMap(([name, value]): [string, Json][] => {
    if (Array.isArray(value))
      return value.length > 0 && value.every(isScalar) ? [[prefix + name, value]] : [];
    if (typeof value === 'object' && value !== null) return scalarsOf(value, `${prefix}${name}.`);
    return [[prefix + name, value]];
  });
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null;
}

function largest(values: readonly Json[]): number[] {
  const numbers = values.filter((value) => typeof value === 'number');
  const most = Math.max(...numbers);
  return [...values.keys()].filter((at) => values[at] === most);
}
