import type { Json, JsonObject } from '../../../../scripts/core/format/json.ts';
import { formatCell, formatValue, type Known, labelOf, type Reader, unitOf } from './format-value.ts';
import { type Plot, plotOfLevels, STEPS } from './plot-data.ts';

/** A text, and where it leads. */
export interface Linked {
  text: string;
  /** A path of this site, or an https address; undefined without a link. */
  href: string | undefined;
}

/** A value with its name. */
export interface ViewRow {
  key: string;
  label: string;
  hint: string | undefined;
  values: Linked[];
  /** `#rrggbb`, to show a color. */
  color: string | undefined;
}

/** A list of objects as a table. */
export interface ViewTable {
  title: string;
  hint: string | undefined;
  columns: { label: string; unit: string | undefined; isNumber: boolean }[];
  rows: Linked[][][];
  /** The same as a plot, if it is a list of levels. */
  plot: Plot | undefined;
}

/** A part of a page about a record. */
export interface ViewSection {
  title: string;
  /** The level or condition of its values, or what they mean, in a sentence. */
  note: string | undefined;
  rows: ViewRow[];
  tables: ViewTable[];
  /** Whether it is for programs rather than players. */
  isInternal?: boolean;
}

/** What a view of a record is made with. */
export interface ViewContext {
  game: string;
  attributes: ReadonlyMap<string, Known>;
  reader: Reader;
  /** Returns the name of a record that another refers to. */
  nameOf?: (collection: string, id: string) => string | undefined;
}

/** Names are in the heading of a page. */
const HEADS: ReadonlySet<string> = new Set(['name', 'aliases']);
/** A name in one of the languages that a reader can choose. */
const IN_LANGUAGE = /(^|\.)name_[a-z_]+$/;
const COLOR = /^#[0-9a-f]{6}$/i;

/** Returns whether a value is for programs rather than players: what a game itself refers to things by, and addresses of pictures. */
export function isInternal({ key, kind, ref }: Known): boolean {
  return ref === undefined && (kind === 'image' || key.split('.').some((name) => INTERNAL.test(name)));
}

const INTERNAL = /(^|[._])(id|key|code|codes|curve|hash|version|icon|asset|image|images|color|colors|sort)$/;

/** Arranges everything in a record: skills first, then stats, its levels, what is directly in it, and what is for programs at the end. */
export function viewRecord(record: JsonObject, context: ViewContext): ViewSection[] {
  const { attributes, reader } = context;
  const general: ViewSection = { title: 'Profile', note: undefined, rows: [], tables: [] };
  const internal: ViewSection = {
    title: 'For programs',
    note: undefined,
    rows: [],
    tables: [],
    isInternal: true,
  };
  const sections: ViewSection[] = [general, internal];
  for (const [name, value] of inOrder(record, '', attributes)) {
    const known = attributes.get(name) ?? { key: name };
    if (HEADS.has(name) || IN_LANGUAGE.test(name) || value === null) continue;
    if (isInternal(known)) {
      if (isObject(value)) addMembers(internal, value, name, `${labelOf(known, reader.lang)} · `, context);
      else addMember(internal, name, value, '', context);
    } else if (isObject(value)) {
      const note = known.level === undefined ? undefined : `At ${plain(known.level)}.`;
      const section: ViewSection = { title: labelOf(known, reader.lang), note, rows: [], tables: [] };
      addMembers(section, value, name, '', context);
      sections.push(section);
    } else if (Array.isArray(value) && value.some(isObject)) {
      const table = tableOf(value, name, { title: labelOf(known, reader.lang), hint: undefined }, context);
      sections.push({ title: table.title, note: plain(known.description), rows: [], tables: [table] });
    } else addMember(general, name, value, '', context);
  }
  return sections
    .filter(({ rows, tables }) => rows.length + tables.length > 0)
    .sort((a, b) => rankOf(a, context) - rankOf(b, context));
}

/** What players look for first, and what belongs to it. */
const SKILLS = /skill|talent|noble|abilit/i;
const FURTHER_SKILLS = /passive|constellation|eidolon|burst|trace|mindscape|potential/i;

function rankOf({ title, tables, isInternal }: ViewSection, context: ViewContext): number {
  if (isInternal) return 6;
  if (title === statsTitle(context)) return 2;
  if (tables.some(({ plot }) => plot)) return 3;
  if (SKILLS.test(title) && tables.length > 0) return 0;
  if (FURTHER_SKILLS.test(title) && tables.length > 0) return 1;
  return title === 'Profile' ? 4 : 5;
}

/** Descriptions quote code in backticks. */
function plain(text: string | undefined): string | undefined {
  return text?.replaceAll('`', '');
}

function statsTitle({ attributes, reader }: ViewContext): string {
  return labelOf(attributes.get('stats') ?? { key: 'stats' }, reader.lang);
}

/** @param prefix the labels of the objects between the section and the members */
function addMembers(
  section: ViewSection,
  object: JsonObject,
  key: string,
  prefix: string,
  context: ViewContext,
): void {
  for (const [name, value] of inOrder(object, `${key}.`, context.attributes)) {
    const inner = `${key}.${name}`;
    if (value === null) continue;
    if (isObject(value)) {
      const label = labelOf(context.attributes.get(inner) ?? { key: inner }, context.reader.lang);
      addMembers(section, value, inner, `${prefix}${label} · `, context);
    } else addMember(section, inner, value, prefix, context);
  }
}

function addMember(
  section: ViewSection,
  key: string,
  value: Json,
  prefix: string,
  context: ViewContext,
): void {
  const { attributes, reader } = context;
  const known = attributes.get(key) ?? { key };
  const label = prefix + labelOf(known, reader.lang);
  if (Array.isArray(value) && value.some(isObject)) {
    section.tables.push(tableOf(value, key, { title: label, hint: plain(known.description) }, context));
    return;
  }
  const values = linksOf(value, known, context);
  if (values.length === 0) return;
  const color = known.kind === 'color' && typeof value === 'string' && COLOR.test(value) ? value : undefined;
  section.rows.push({ key, label, hint: plain(known.description), values, color });
}

function tableOf(
  list: readonly Json[],
  key: string,
  { title, hint }: Pick<ViewTable, 'title' | 'hint'>,
  context: ViewContext,
): ViewTable {
  const { attributes, reader } = context;
  const flat = list.filter(isObject).map((row) => flatten(row, key, attributes));
  const keys = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  const shown = keys.filter((column) => !isIdBesideName(column, keys) && !IN_LANGUAGE.test(column));
  shown.sort((a, b) => columnRank(a, key) - columnRank(b, key));
  const columns = shown.map((column) => {
    const known = attributes.get(column) ?? { key: column };
    const isNumber = flat.every((row) => [undefined, null, 'number'].includes(typeOf(row.get(column))));
    return { label: columnLabel(column, key, attributes, reader.lang), unit: unitOf(known), isNumber };
  });
  const cells = shown.map((column) => cellsOf(column, context));
  const rows = flat.map((row) => cells.map((linksIn) => linksIn(row)));
  return { title, hint, columns, rows, plot: plotOfLevels(list, key, attributes, reader.lang) };
}

/** Returns a function that makes the cell of a row: a name leads to the record whose id stands beside it. */
function cellsOf(column: string, context: ViewContext): (row: ReadonlyMap<string, Json>) => Linked[] {
  const { unit: _, ...known } = context.attributes.get(column) ?? { key: column };
  const idColumn = column.replace(/name$/, 'id');
  const ref = idColumn === column ? undefined : context.attributes.get(idColumn)?.ref;
  return (row) => {
    const value = row.get(column) ?? null;
    const id = ref === undefined ? undefined : row.get(idColumn);
    return ref !== undefined && typeof id === 'string' && typeof value === 'string'
      ? [{ text: value, href: linkTo(context, ref, id).href }]
      : linksOf(value, known, context);
  };
}

/** Names come first, then levels, then the rest. */
function columnRank(column: string, key: string): number {
  const name = column.slice(key.length + 1);
  if (name === 'name') return 0;
  return STEPS.includes(name) ? 1 : 2;
}

/** An id says nothing to a reader where a name stands beside it. */
function isIdBesideName(column: string, columns: readonly string[]): boolean {
  return /(^|\.)id$/.test(column) && columns.includes(column.replace(/id$/, 'name'));
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

/** The texts of a value or of the elements of a list, with links to what they refer to. */
function linksOf(value: Json, attribute: Known, context: ViewContext): Linked[] {
  const { reader } = context;
  const parts = Array.isArray(value) ? value : [value];
  return parts
    .filter((part) => part !== null)
    .map((part) => {
      if (isObject(part)) return objectLink(part, attribute, context);
      const text = formatValue(part, attribute, reader);
      if (attribute.kind === 'image')
        return { text: 'Picture', href: isAddress(part) ? String(part) : undefined };
      if (attribute.ref === undefined) return { text, href: undefined };
      const { name = text, href } = linkTo(context, attribute.ref, String(part));
      return { text: name, href };
    });
}

function objectLink(part: JsonObject, attribute: Known, context: ViewContext): Linked {
  const ref = context.attributes.get(`${attribute.key}.id`)?.ref;
  const href = ref && typeof part.id === 'string' ? linkTo(context, ref, part.id).href : undefined;
  return { text: formatCell(part, attribute, context.reader), href };
}

/** A link to a record; without one, if it is known that there is no such record. */
function linkTo(
  { game, nameOf }: ViewContext,
  collection: string,
  id: string,
): { name?: string | undefined; href: string | undefined } {
  const name = nameOf?.(collection, id);
  const isMissing = nameOf !== undefined && name === undefined;
  return { name, href: isMissing ? undefined : addressOf(game, collection, id) };
}

/** Where a record of a collection is shown. */
export function addressOf(game: string, collection: string, id: string): string {
  return `/games/${encodeURIComponent(game)}/${encodeURIComponent(collection)}/${encodeURIComponent(id)}`;
}

/** Where a collection is shown. */
export function listAddressOf(game: string, collection: string): string {
  const name = collection === 'characters' ? 'explore' : encodeURIComponent(collection);
  return `/games/${encodeURIComponent(game)}/${name}`;
}

function isAddress(value: Json): boolean {
  return typeof value === 'string' && /^https:\/\/[^\s"'<>]+$/.test(value);
}

/** The members of an object in the order of the dictionary, then the others. */
function inOrder(
  object: JsonObject,
  prefix: string,
  attributes: ReadonlyMap<string, Known>,
): [name: string, value: Json][] {
  const places = placesOf(attributes).get(prefix);
  const placeOf = (name: string) => places?.get(name) ?? attributes.size;
  return Object.entries(object).sort(([a], [b]) => placeOf(a) - placeOf(b));
}

/** The places of attributes in the dictionary, by the start of their key and its last name. */
type Places = ReadonlyMap<string, ReadonlyMap<string, number>>;

const placesByDictionary = new WeakMap<ReadonlyMap<string, Known>, Places>();

function placesOf(attributes: ReadonlyMap<string, Known>): Places {
  const kept = placesByDictionary.get(attributes);
  if (kept !== undefined) return kept;
  const places = new Map<string, Map<string, number>>();
  for (const key of attributes.keys()) {
    const start = key.slice(0, key.lastIndexOf('.') + 1);
    const names = places.get(start) ?? new Map<string, number>();
    places.set(start, names.set(key.slice(start.length), names.size));
  }
  placesByDictionary.set(attributes, places);
  return places;
}

function typeOf(value: Json | undefined): string | null | undefined {
  return value === undefined || value === null ? value : typeof value;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
