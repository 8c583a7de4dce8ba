import type { Json, JsonObject } from '../../../../scripts/core/format/json.ts';
import { isInternal, type Known, labelOf, unitOf } from './format-value.ts';
import { inOrder, isObject } from './in-order.ts';
import { type Linked, linksOf, linkTo, targetsOf, type ViewContext } from './linked.ts';
import { type Plot, plotOfLevels, STEPS } from './plot-data.ts';

/** A list of objects as a table. */
export interface ViewTable {
  title: string;
  hint: string | undefined;
  columns: { label: string; unit: string | undefined; isNumber: boolean }[];
  rows: Linked[][][];
  /** The same as a plot, if it is a list of levels. */
  plot: Plot | undefined;
}

/** Makes a table of a list of objects: names first, then steps, then the rest, and what the records do that it refers to. */
export function tableOf(
  list: readonly Json[],
  key: string,
  { title, hint }: Pick<ViewTable, 'title' | 'hint'>,
  context: ViewContext,
): ViewTable {
  const { attributes, reader } = context;
  const flat = list.filter(isObject).map((row) => flatten(row, key, attributes));
  const keys = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  const named = keys.filter((column) => !isIdBesideName(column, keys, attributes.get(column)));
  const forPeople = named.filter(
    (column) => column === `${key}.id` || !isInternal(attributes.get(column) ?? { key: column }),
  );
  const shown = forPeople.length > 0 ? forPeople : named;
  shown.sort((a, b) => columnRank(a, key) - columnRank(b, key));
  const columns = shown.map((column) => {
    const attribute = attributes.get(column) ?? { key: column };
    const isNumber = flat.every((row) => [undefined, null, 'number'].includes(typeOf(row.get(column))));
    const label =
      column === `${key}.id` && attribute.ref ? 'Name' : columnLabel(column, key, attributes, reader.lang);
    return { label, unit: unitOf(attribute), isNumber };
  });
  const cells = shown.map((column) => cellsOf(column, context));
  const rows = flat.map((row) => cells.map((linksIn) => linksIn(row)));
  const effects = effectsOf(flat, key, context);
  if (effects.some(Boolean) && !keys.includes(`${key}.effect`)) {
    columns.push({ label: 'Effect', unit: undefined, isNumber: false });
    for (const [at, text = ''] of effects.entries()) rows[at]?.push([{ text, href: undefined }]);
  }
  return { title, hint, columns, rows, plot: plotOfLevels(list, key, attributes, reader.lang) };
}

/** What the records do that the rows of a table refer to by their id. */
function effectsOf(
  rows: readonly ReadonlyMap<string, Json>[],
  key: string,
  { attributes, effectOf }: ViewContext,
): (string | undefined)[] {
  const collections = targetsOf(`${key}.id`, attributes);
  return rows.map((row) => {
    const id = row.get(`${key}.id`);
    return typeof id === 'string' ? collections.map((each) => effectOf?.(each, id)).find(Boolean) : undefined;
  });
}

/** Returns a function that makes the cell of a row: a name leads to the record whose id stands beside it. */
function cellsOf(column: string, context: ViewContext): (row: ReadonlyMap<string, Json>) => Linked[] {
  const { unit: _, ...known } = context.attributes.get(column) ?? { key: column };
  const idColumn = column.replace(/name$/, 'id');
  const collections = idColumn === column ? [] : targetsOf(idColumn, context.attributes);
  return (row) => {
    const value = row.get(column) ?? null;
    const id = row.get(idColumn);
    if (collections.length === 0 || typeof id !== 'string') return linksOf(value, known, context);
    const { name = id, href } = linkTo(context, collections, id);
    return [{ text: typeof value === 'string' ? value : name, href }];
  };
}

/** What tells rows apart, besides levels. */
const PLACES = ['step', 'rarity', 'slot', 'order'];

/** Names come first, then levels, then the rest. */
function columnRank(column: string, key: string): number {
  const name = column.slice(key.length + 1);
  if (name === 'name' || name === 'id') return 0;
  return STEPS.includes(name) || PLACES.includes(name) ? 1 : 2;
}

/** An id says nothing to a reader where a name stands beside it. */
function isIdBesideName(column: string, columns: readonly string[], known: Known | undefined): boolean {
  const isId = /(^|\.)id$/.test(column) || (known?.kind === 'id' && known.ref === undefined);
  return isId && columns.includes(column.replace(/[^.]+$/, 'name'));
}

/** The scalars and lists of a row by their dotted keys. */
function flatten(object: JsonObject, key: string, attributes: ReadonlyMap<string, Known>): Map<string, Json> {
  const members = new Map<string, Json>();
  for (const [name, value] of inOrder(object, `${key}.`, attributes)) {
    if (isObject(value))
      for (const entry of flatten(value, `${key}.${name}`, attributes)) members.set(...entry);
    else members.set(`${key}.${name}`, value);
  }
  return members;
}

function columnLabel(
  column: string,
  key: string,
  attributes: ReadonlyMap<string, Known>,
  lang: string,
): string {
  const parts = column.slice(key.length + 1).split('.');
  return parts
    .map((_, at) => `${key}.${parts.slice(0, at + 1).join('.')}`)
    .map((part) => labelOf(attributes.get(part) ?? { key: part }, lang))
    .join(' · ');
}

function typeOf(value: Json | undefined): string | null | undefined {
  return value === undefined || value === null ? value : typeof value;
}
