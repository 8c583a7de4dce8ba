// Shows a record: first what players look for, then everything else by attribute. It has no code per game; the dictionary gives each attribute its
// meaning.
import type { Json, JsonObject } from '../../scripts/format/json.ts';
import { sumCosts } from '../api/costs.ts';
import { sayEffects } from '../api/effect-text.ts';
import { type Content, type Html, html } from '../http/html.ts';
import { valueAt } from '../query/fields.ts';
import { addressOf, type FindEntry } from './data.ts';
import {
  formatCell,
  formatValue,
  fullLabel,
  isCode,
  isInternal,
  isObject,
  type Known,
  labelOf,
  type Reader,
  unitOf,
} from './format.ts';
import { scroll } from './layout.ts';

/** The context in which a record is shown. */
export interface ViewContext {
  game: string;
  known: ReadonlyMap<string, Known>;
  find: FindEntry;
  reader: Reader;
  /** Returns the effect of a record that another refers to, in words. */
  effectOf: (collection: string, id: string) => string | undefined;
}

/** A section of a record's page. */
export interface Section {
  /** The attribute of the section; empty for values directly in the record. */
  key: string;
  title: string;
  /** `cost` for sums of materials, `skill` for abilities; the others are folded. */
  kind: (typeof ORDER)[number];
  body: Html;
}

const ORDER = ['skill', 'cost', 'levels', 'plain', 'internal'] as const;
/** Shown elsewhere: names in the heading of a page, stats above everything. */
const HEADS: ReadonlySet<string> = new Set(['name', 'aliases', 'stats', 'id']);
const SKILLS =
  /skill|talent|noble|abilit|append|passive|constellation|eidolon|burst|trace|mindscape|potential|enhancement|attacks?$/i;
const FURTHER_SKILLS =
  /append|class|defense|passive|constellation|eidolon|trace|mindscape|potential|enhancement/i;
const COSTS = /level|cost|material|ascension|promotion|phase|rank/i;
const IN_LANGUAGE = /(^|\.)name_[a-z_]+$/;
/** The attributes that are shown as the text of a card. */
const TEXTS = ['effect', 'description', 'text', 'summary'];
const STEPS = ['level', 'lv', 'max_level', 'rank', 'phase', 'ascension', 'mastery', 'step'];
const MAX_CARDS = 40;
/** A short list with more columns is shown as one list of facts for each element. */
const MANY_COLUMNS = 6;

/** The stats that players look at first, as labels and texts; without zeros. */
export function stripOf({ stats }: JsonObject, { known, reader }: ViewContext): [string, string][] {
  if (!isObject(stats)) return [];
  return membersInOrder(stats, 'stats.', known)
    .filter(([, value]) => typeof value === 'number' && value !== 0)
    .map(([name, value]) => {
      const attribute = known.get(`stats.${name}`) ?? { key: name };
      return [labelOf(attribute), formatValue(value, attribute, reader)];
    });
}

/** Arranges everything in a record, except its stats and names. */
export function sectionsOf(record: JsonObject, context: ViewContext): Section[] {
  const { known, reader } = context;
  const sections: Section[] = [];
  const [general, internal]: [Row[], Row[]] = [[], []];
  for (const [name, value] of membersInOrder(record, '', known)) {
    const attribute = known.get(name) ?? { key: name };
    if (HEADS.has(name)) continue;
    const title = labelOf(attribute);
    const { ref, values } = attribute;
    const isNamed =
      typeof value === 'string' &&
      known.has(`${name}_name`) &&
      (ref === undefined || reader.nameOf?.(ref, value) === undefined);
    const isForPrograms = ref === undefined && !values && [value].flat().every(isCode);
    if (isInternal(attribute) || isNamed || isForPrograms) internal.push(...rowsOf(name, value, '', context));
    else if (isListOfObjects(value)) sections.push(listSection(attribute, title, value, context));
    else if (isObject(value)) {
      const body = html`${note(attribute)}${rowList(rowsOf(name, value, '', context))}`;
      sections.push({ key: name, title, kind: 'plain', body });
    } else general.push(...rowsOf(name, value, '', context));
  }
  if (general.length > 0) sections.push({ key: '', title: 'Profile', kind: 'plain', body: rowList(general) });
  if (internal.length > 0) sections.push({ key: '', title: '', kind: 'internal', body: rowList(internal) });
  const placeOf = ({ kind, key }: Section) => 2 * ORDER.indexOf(kind) + Number(FURTHER_SKILLS.test(key));
  return sections.sort((a, b) => placeOf(a) - placeOf(b));
}

function note({ description, level }: Known): Html | false {
  const text = description ?? (level === undefined ? undefined : `At ${level}.`);
  return text !== undefined && html`<p class="small muted">${text.replaceAll('`', '')}</p>`;
}

function listSection(
  attribute: Known,
  title: string,
  list: readonly JsonObject[],
  context: ViewContext,
): Section {
  const { key } = attribute;
  const isSkill =
    SKILLS.test(key) && !/(^|_)(levels?|costs?)$/.test(key) && list.some((each) => says(each, key, context));
  const isLevels =
    list.length > 2 && list.every((row) => STEPS.some((step) => typeof row[step] === 'number'));
  if (isSkill) {
    const cards = list.slice(0, MAX_CARDS).map((each, at) => card(each, at + 1, key, context));
    return { key, title, kind: 'skill', body: html`<div class="skill-cards">${cards}</div>` };
  }
  const said = key === 'effects' ? sayEffects([...list], context.known.get('effects.duration')?.unit) : '';
  const isCost = COSTS.test(key) && sumCosts(list).length > 0;
  const body = html`${note(attribute)}${lines(said)}${table(list, key, context)}`;
  return { key, title, kind: isCost ? 'cost' : isLevels ? 'levels' : 'plain', body };
}

function lines(text: string): Html | false {
  return text !== '' && html`<p class="lines small">${text}</p>`;
}

/** Whether an element says more than a few values: an effect, a reference to a record, or its own lists. */
function says(element: JsonObject, key: string, context: ViewContext): boolean {
  return (
    linkTo(targetsOf(`${key}.id`, context.known), element.id, context) !== undefined ||
    TEXTS.some((each) => typeof element[each] === 'string') ||
    Object.values(element).some(isListOfObjects)
  );
}

/** A skill: its name, or its number in the list; its kind, its effect; the numbers of its levels unfold. */
function card(element: JsonObject, number: number, key: string, context: ViewContext): Html {
  const { known, reader } = context;
  const targets = targetsOf(`${key}.id`, known);
  const link = linkTo(targets, element.id, context);
  const textKey = TEXTS.find((each) => typeof element[each] === 'string') ?? '';
  const said = sayEffects(element.effects, known.get(`${key}.effects.duration`)?.unit);
  const referred = targets.map((each) => context.effectOf(each, String(element.id))).find(Boolean);
  const text = String(element[textKey] ?? referred ?? said);
  const label = labelOf(known.get(key) ?? { key });
  const noun = label.replace(/ies$/, 'y').replace(/s$/, '');
  const name = String(
    element.name ?? link?.name ?? (text === '' ? `${noun} ${Number(element.level ?? number)}` : ''),
  );
  const facts = membersInOrder(element, `${key}.`, known)
    .map(([member, value]) => {
      const full = `${key}.${member}`;
      return { member, value, attribute: known.get(full) ?? { key: full } };
    })
    .filter(({ member, value, attribute }) => {
      // An internal word such as `combat1` says nothing beside the kind.
      const isWord =
        typeof value === 'string' && (name.includes(value) || isCode(value) || /^[a-z]+\d+$/.test(value));
      return !isWord && !isInternal(attribute) && !['id', 'name', textKey].includes(member);
    });
  const words = facts
    .filter(({ value }) => typeof value !== 'object')
    .map(({ value, attribute }) => {
      const shown = formatValue(value, attribute, reader);
      return typeof value === 'string' ? shown : `${labelOf(attribute)} ${shown}`;
    })
    .filter((each) => each !== name)
    .map((each) => html`<span>${each}</span>`);
  const more = facts
    .filter(({ value }) => typeof value === 'object')
    .map(({ member, value, attribute }) => {
      const inWords = member === 'effects' && said !== text && lines(said);
      const content = isListOfObjects(value)
        ? table(value, attribute.key, context)
        : rowList(rowsOf(attribute.key, value, '', context));
      return html`<h3>${labelOf(attribute)}</h3>${inWords}${content}`;
    });
  const badges = words.length > 0 && html` <span class="badges small muted">${words}</span>`;
  const own = anchor(name, link?.href);
  if (text === '' && more.length === 0) return html`<p class="skill"><b>${own}</b>${badges}</p>`;
  // The summary element is a button, so it cannot contain links.
  return html`<details class="skill"><summary><b>${name}</b>${badges}<span class="begin small muted">${text}</span></summary>
    ${lines(text)}${link && html`<p>${own}</p>`}${more}</details>`;
}

/** A value with its name. */
interface Row {
  label: string;
  value: Content;
}

/** The rows of a value; of an object, those of its members. @param prefix the labels of the objects around it */
function rowsOf(key: string, value: Json, prefix: string, context: ViewContext): Row[] {
  const { known } = context;
  const attribute = known.get(key) ?? { key };
  if (isObject(value))
    return membersInOrder(value, `${key}.`, known).flatMap(([name, member]) => {
      if (name === 'id' && typeof value.name === 'string') return [];
      const inner = `${key}.${name}`;
      const label = labelOf(known.get(inner) ?? { key: inner });
      if (name !== 'name')
        return rowsOf(inner, member, isObject(member) ? `${prefix}${label} · ` : prefix, context);
      const link = linkTo(targetsOf(`${key}.id`, known), value.id, context);
      return [{ label: prefix + label, value: anchor(String(member), link?.href) }];
    });
  const shown = isListOfObjects(value) ? table(value, key, context) : show(value, attribute, context);
  return shown === '' ? [] : [{ label: prefix + labelOf(attribute), value: shown }];
}

function rowList(rows: readonly Row[]): Html {
  // Equal values with the same label are shown once.
  const shown = new Map(
    rows.map(({ label, value }) => {
      const row = html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
      return [row.text, row];
    }),
  );
  return html`<dl class="rows small">${[...shown.values()]}</dl>`;
}

/** A column of a table of objects. */
interface Column {
  path: string;
  attribute: Known;
}

/** A list of objects as a table: names first, then levels, then the rest; without columns that are empty or for programs. */
function table(list: readonly JsonObject[], key: string, context: ViewContext): Html {
  const { known } = context;
  const all = columnsIn(list, key, known);
  const forPeople = all.filter(({ path, attribute }) => {
    const isId = /(^|\.)id$/.test(path) || (attribute.kind === 'id' && attribute.ref === undefined);
    const hasName = all.some((other) => other.path === path.replace(/[^.]+$/, 'name'));
    return path === 'id' ? list.length > 1 && !hasName : !(isId && hasName) && !isInternal(attribute);
  });
  const columns = forPeople.length > 0 ? forPeople : all;
  if (columns.length > MANY_COLUMNS && list.length < columns.length / 2)
    return html`${list.map((row) => html`<div class="fold">${rowList(rowsOf(key, row, '', context))}</div>`)}`;
  const shown = columns.map(({ path, attribute }) => {
    const isNumber = list.every((row) => typeof (valueAt(row, path) ?? 0) === 'number');
    const unit = unitOf(attribute);
    const title = fullLabel(known, attribute.key, '', key.split('.').length);
    const mark = isNumber && html` class="number"`;
    const head = html`<th scope="col"${mark}>${title}${unit !== undefined && html` <small>${unit}</small>`}</th>`;
    // A name links to the record whose id is beside it.
    const idPath = /(^|\.)(id|name)$/.test(path) ? path.replace(/name$/, 'id') : undefined;
    const targets = idPath === undefined ? [] : targetsOf(attribute.key.replace(/name$/, 'id'), known);
    const cellOf = (row: JsonObject) => {
      const value = valueAt(row, path) ?? null;
      if (value === null) return html`<td></td>`;
      const link = idPath === undefined ? undefined : linkTo(targets, valueAt(row, idPath), context);
      const format = unit === undefined ? formatValue : formatCell;
      const content = link
        ? anchor(path === idPath ? link.name : String(value), link.href)
        : show(value, attribute, context, format);
      return html`<td${mark}>${content}</td>`;
    };
    return { head, cellOf };
  });
  const rows = list.map((row) => html`<tr>${shown.map(({ cellOf }) => cellOf(row))}</tr>`);
  return scroll(
    fullLabel(known, key),
    html`<table><thead><tr>${shown.map(({ head }) => head)}</tr></thead><tbody>${rows}</tbody></table>`,
  );
}

/** The members of any row, including those inside objects: names, then steps, then the others in the order of the dictionary. */
function columnsIn(list: readonly JsonObject[], key: string, known: ReadonlyMap<string, Known>): Column[] {
  const found = new Map<string, Column>();
  const visit = (object: JsonObject, prefix: string) => {
    for (const [name, value] of Object.entries(object)) {
      const path = prefix + name;
      const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
      if (isEmpty || found.has(path) || IN_LANGUAGE.test(path)) continue;
      const full = `${key}.${path}`;
      if (isObject(value)) visit(value, `${path}.`);
      else found.set(path, { path, attribute: known.get(full) ?? { key: full } });
    }
  };
  for (const row of list) visit(row, '');
  const places = placesOf(known);
  const rankOf = ({ path }: Column) =>
    /^(name|id)$/.test(path) ? 0 : [...STEPS, 'rarity', 'slot'].includes(path) ? 1 : 2;
  const placeOf = ({ attribute }: Column) => places.get(attribute.key) ?? places.size;
  return [...found.values()].sort((a, b) => rankOf(a) - rankOf(b) || placeOf(a) - placeOf(b));
}

/** A value, or the elements of a list, with links to the records they refer to; empty for no value. */
function show(value: Json, attribute: Known, context: ViewContext, format = formatValue): Content {
  if (!Array.isArray(value)) return value === null ? '' : showOne(value, attribute, context, format);
  const parts = value
    .filter((part) => part !== null)
    .map((part) => showOne(part, attribute, context, format));
  return parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]));
}

function showOne(part: Json, attribute: Known, context: ViewContext, format: typeof formatValue): Content {
  const { known, reader } = context;
  if (isObject(part)) {
    const link = linkTo([known.get(`${attribute.key}.id`)?.ref ?? ''], part.id, context);
    const { id: _, ...rest } = part;
    return link
      ? anchor(formatCell({ name: link.name, ...rest }, attribute, reader), link.href)
      : formatCell(part, attribute, reader);
  }
  if (attribute.ref === undefined && attribute.kind !== 'image') return format(part, attribute, reader);
  const isAddress = typeof part === 'string' && /^https:\/\/[^\s"'<>]+$/.test(part);
  if (attribute.kind === 'image' && isAddress) return anchor('Picture', part);
  return anchor(format(part, attribute, reader), linkTo([attribute.ref ?? ''], part, context)?.href);
}

function anchor(text: string, href: string | undefined): Content {
  return href === undefined ? text : html`<a href="${href}">${text}</a>`;
}

/** A link to a record in one of some collections; undefined if there is no such record. */
function linkTo(
  collections: readonly string[],
  id: Json | undefined,
  { game, find }: ViewContext,
): { name: string; href: string } | undefined {
  for (const collection of collections) {
    const entry = find(collection, String(id));
    if (entry) return { name: entry.name, href: addressOf(game, collection, entry.id) };
  }
  return undefined;
}

/** The collections whose records an id may name: the one in the dictionary, or the one named like the table: `skills` for `passive_skills.id`. */
export function targetsOf(idKey: string, known: ReadonlyMap<string, Known>): string[] {
  const ref = known.get(idKey)?.ref;
  if (ref !== undefined) return [ref];
  const table = /^([^.]+)\.id$/.exec(idKey)?.[1];
  return table === undefined ? [] : [table, table.slice(table.lastIndexOf('_') + 1)];
}

function isListOfObjects(value: Json): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

/** The members of an object that have values, in the order of the dictionary, without its names in other languages. */
function membersInOrder(
  object: JsonObject,
  prefix: string,
  known: ReadonlyMap<string, Known>,
): [string, Json][] {
  const places = placesOf(known);
  const placeOf = ([name]: [string, Json]) => places.get(prefix + name) ?? places.size;
  return Object.entries(object)
    .filter(([name, value]) => value !== null && !IN_LANGUAGE.test(name))
    .sort((a, b) => placeOf(a) - placeOf(b));
}

const placesByDictionary = new WeakMap<ReadonlyMap<string, Known>, ReadonlyMap<string, number>>();

function placesOf(known: ReadonlyMap<string, Known>): ReadonlyMap<string, number> {
  const places =
    placesByDictionary.get(known) ?? new Map([...known.keys()].map((key, index) => [key, index]));
  placesByDictionary.set(known, places);
  return places;
}
