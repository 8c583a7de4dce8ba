import type { Json, JsonObject } from '../../../scripts/format/json.ts';
import { formatCell, formatValue, type Known, type Reader } from './format-value.ts';
import { isObject } from './in-order.ts';

/** A text, and where it leads. */
export interface Linked {
  text: string;
  /** A path of this site, or an https address; undefined without a link. */
  href: string | undefined;
}

/** What a view of a record is made with. */
export interface ViewContext {
  game: string;
  attributes: ReadonlyMap<string, Known>;
  reader: Reader;
  /** Returns the name of a record that another refers to, or its id if it has no name. */
  nameOf?: (collection: string, id: string) => string | undefined;
  /** Returns what a record that another refers to does, in words. */
  effectOf?: (collection: string, id: string) => string | undefined;
}

/** The texts of a value or of the elements of a list, with links to what they refer to. */
export function linksOf(value: Json, attribute: Known, context: ViewContext): Linked[] {
  // Most values are single ones, and a page has a thousand: a list of one costs more than the rest.
  if (!Array.isArray(value)) return value === null ? [] : [linkOf(value, attribute, context)];
  return value.filter((part) => part !== null).map((part) => linkOf(part, attribute, context));
}

function linkOf(part: Json, attribute: Known, context: ViewContext): Linked {
  if (isObject(part)) return objectLink(part, attribute, context);
  const text = formatValue(part, attribute, context.reader);
  if (attribute.kind === 'image')
    return { text: 'Picture', href: isAddress(part) ? String(part) : undefined };
  if (attribute.ref === undefined) return { text, href: undefined };
  const { name = text, href } = linkTo(context, [attribute.ref], String(part));
  return { text: name, href };
}

function objectLink(part: JsonObject, attribute: Known, context: ViewContext): Linked {
  const ref = context.attributes.get(`${attribute.key}.id`)?.ref;
  if (ref === undefined || typeof part.id !== 'string')
    return { text: formatCell(part, attribute, context.reader), href: undefined };
  const { id, ...rest } = part;
  const { name, href } = linkTo(context, [ref], String(id));
  const named = name === undefined || 'name' in part ? part : { name, ...rest };
  return { text: formatCell(named, attribute, context.reader), href };
}

/** A link to a record of one of some collections; without an address, if it is known that there is no such record. */
export function linkTo(
  { game, nameOf }: ViewContext,
  collections: readonly string[],
  id: string,
): { name?: string | undefined; href: string | undefined } {
  const [only = ''] = collections;
  if (nameOf === undefined) return { href: collections.length === 1 ? addressOf(game, only, id) : undefined };
  for (const collection of collections) {
    const name = nameOf(collection, id);
    if (name !== undefined) return { name, href: addressOf(game, collection, id) };
  }
  return { href: undefined };
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

/** How many records of a collection are looked up at most: their ids are in an address. */
const MAX_IDS = 200;

/** The ids in a record that refer to others, by the collection that they are in. */
export function referencesOf(
  value: Json,
  attributes: ReadonlyMap<string, Known>,
  key = '',
  found = new Map<string, string[]>(),
): Map<string, string[]> {
  if (Array.isArray(value)) for (const part of value) referencesOf(part, attributes, key, found);
  else if (isObject(value))
    for (const [name, part] of Object.entries(value))
      referencesOf(part, attributes, key === '' ? name : `${key}.${name}`, found);
  else {
    const ref = attributes.get(key)?.ref;
    const ids = ref === undefined ? [] : (found.get(ref) ?? []);
    const id = String(value);
    if (ref !== undefined && value !== null && ids.length < MAX_IDS && !ids.includes(id))
      found.set(ref, [...ids, id]);
  }
  return found;
}

/** The collections whose records an id may name: the one that the dictionary says, or else one that is called like the table: `skills` for `passive_skills.id`. */
export function targetsOf(idKey: string, attributes: ReadonlyMap<string, Known>): string[] {
  const ref = attributes.get(idKey)?.ref;
  if (ref !== undefined) return [ref];
  const table = /^([^.]+)\.id$/.exec(idKey)?.[1];
  return table === undefined ? [] : [table, table.slice(table.lastIndexOf('_') + 1)];
}
