import type { Json, JsonObject } from '../../../scripts/format/json.ts';
import { isInternal, type Known, labelOf, unitOf } from './format-value.ts';
import { isObject, namesInOrder } from './in-order.ts';
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
  const objects = list.filter(isObject);
  const members = membersOf(objects, key, context);
  const keys = new Set(members.map((member) => member.key));
  const named = members.filter(({ id, nameBeside }) => !(id && keys.has(nameBeside)));
  // Ids tell rows apart, where they are all that does.
  const forPeople = named.filter(
    (member) => !member.isInternal || (member.key === `${key}.id` && objects.length > 1),
  );
  const shown = forPeople.length > 0 ? forPeople : named;
  shown.sort((a, b) => a.rank - b.rank);
  const columns = shown.map(({ label, unit, path }) => {
    const isNumber = objects.every((row) => isNumberOrNothing(valueIn(row, path)));
    return { label, unit, isNumber };
  });
  const cells = shown.map((member) => cellsOf(member, context));
  const rows = objects.map((row) => cells.map((linksIn) => linksIn(row)));
  const effects = keys.has(`${key}.effect`) ? [] : effectsOf(objects, key, context);
  if (effects.some(Boolean)) {
    columns.push({ label: 'Effect', unit: undefined, isNumber: false });
    for (const [at, text = ''] of effects.entries()) rows[at]?.push([{ text, href: undefined }]);
  }
  return { title, hint, columns, rows, plot: plotOfLevels(list, key, attributes, reader.lang) };
}

/** What the records do that the rows of a table refer to by their id. */
function effectsOf(
  rows: readonly JsonObject[],
  key: string,
  { attributes, effectOf }: ViewContext,
): (string | undefined)[] {
  if (effectOf === undefined) return [];
  const collections = targetsOf(`${key}.id`, attributes);
  return rows.map(({ id }) =>
    typeof id === 'string' ? collections.map((each) => effectOf(each, id)).find(Boolean) : undefined,
  );
}

/** Returns a function that makes the cell of a row: a name leads to the record whose id stands beside it. */
function cellsOf(
  { path, known, idPath, targets }: Member,
  context: ViewContext,
): (row: JsonObject) => Linked[] {
  return (row) => {
    const value = valueIn(row, path) ?? null;
    const id = targets.length === 0 ? undefined : valueIn(row, idPath);
    if (typeof id !== 'string') return linksOf(value, known, context);
    const { name = id, href } = linkTo(context, targets, id);
    return [{ text: typeof value === 'string' ? value : name, href }];
  };
}

/** What tells rows apart, besides levels. */
const PLACES = ['step', 'rarity', 'slot', 'order'];

/** Names come first, then levels, then the rest. */
function rankOf(name: string): number {
  if (name === 'name' || name === 'id') return 0;
  return STEPS.includes(name) || PLACES.includes(name) ? 1 : 2;
}

/** What is known of a member of the rows of a table, whatever its values are. */
interface Member {
  /** The key of the attribute. */
  key: string;
  /** Where it is in a row. */
  path: readonly string[];
  label: string;
  unit: string | undefined;
  /** The attribute, without the unit that the heading of its column has. */
  known: Known;
  rank: number;
  isInternal: boolean;
  /** Whether it is an id, which says nothing to a reader where a name stands beside it. */
  id: boolean;
  nameBeside: string;
  /** Of a name, where the id is beside it, and the collections that it may be an id of. */
  idPath: readonly string[];
  targets: readonly string[];
}

/** The scalars and lists in rows, in the order of the dictionary. */
function membersOf(rows: readonly JsonObject[], key: string, context: ViewContext): Member[] {
  const root: Branch = { members: new Map(), isValue: false };
  for (const row of rows) grow(root, row);
  const found: Member[] = [];
  collect(root, [], key, context, found);
  return found;
}

/** The names that rows have, inside each other. */
interface Branch {
  members: Map<string, Branch>;
  isValue: boolean;
}

function grow(branch: Branch, object: JsonObject): void {
  for (const name of Object.keys(object)) {
    let member = branch.members.get(name);
    if (member === undefined) {
      member = { members: new Map(), isValue: false };
      branch.members.set(name, member);
    }
    const value = object[name];
    if (isObject(value)) grow(member, value);
    else member.isValue = true;
  }
}

function collect(
  { members }: Branch,
  path: readonly string[],
  key: string,
  context: ViewContext,
  found: Member[],
): void {
  const prefix = [key, ...path, ''].join('.');
  for (const name of namesInOrder([...members.keys()], prefix, context.attributes)) {
    const member = members.get(name);
    if (member?.isValue) found.push(memberOf([...path, name], key, context));
    if (member && member.members.size > 0) collect(member, [...path, name], key, context, found);
  }
}

const membersByDictionary = new WeakMap<ReadonlyMap<string, Known>, Map<string, Member>>();

/** Returns what is known of a member: worked out once for all records. */
function memberOf(
  path: readonly string[],
  table: string,
  { attributes, reader: { lang } }: ViewContext,
): Member {
  const made = membersByDictionary.get(attributes) ?? new Map<string, Member>();
  membersByDictionary.set(attributes, made);
  const key = `${table}.${path.join('.')}`;
  const name = `${lang} ${key}`;
  const member = made.get(name) ?? makeMember(path, key, table, attributes, lang);
  made.set(name, member);
  return member;
}

function makeMember(
  path: readonly string[],
  key: string,
  table: string,
  attributes: ReadonlyMap<string, Known>,
  lang: string,
): Member {
  const attribute = attributes.get(key) ?? { key };
  const { unit: _, ...known } = attribute;
  const [last = ''] = path.slice(-1);
  const idKey = key.replace(/name$/, 'id');
  return {
    ...{ key, path, known, unit: unitOf(attribute), isInternal: isInternal(attribute) },
    label: key === `${table}.id` && attribute.ref ? 'Name' : columnLabel(path, table, attributes, lang),
    rank: path.length === 1 ? rankOf(last) : 2,
    id: last === 'id' || (attribute.kind === 'id' && attribute.ref === undefined),
    nameBeside: key.replace(/[^.]+$/, 'name'),
    idPath: [...path.slice(0, -1), last.replace(/name$/, 'id')],
    targets: idKey === key ? [] : targetsOf(idKey, attributes),
  };
}

function valueIn(row: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = row;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function columnLabel(
  path: readonly string[],
  table: string,
  attributes: ReadonlyMap<string, Known>,
  lang: string,
): string {
  return path
    .map((_, at) => `${table}.${path.slice(0, at + 1).join('.')}`)
    .map((part) => labelOf(attributes.get(part) ?? { key: part }, lang))
    .join(' · ');
}

function isNumberOrNothing(value: Json | undefined): boolean {
  return typeof value === 'number' || value === undefined || value === null;
}
