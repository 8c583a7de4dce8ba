// Shows a record: first what players look for, then everything else by attribute. It has no code per game; the dictionary gives each attribute its
// meaning.
import type { Json, JsonObject } from '../../scripts/format/json.ts';
import { sumCosts } from '../api/costs.ts';
import { sayEffects } from '../api/effect-text.ts';
import { type Content, type Html, html } from '../http/html.ts';
import { addressOf } from './data.ts';
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
import type { Entry } from './tile.ts';

/** The context in which a record is shown. */
export interface ViewContext {
  game: string;
  known: ReadonlyMap<string, Known>;
  /** Returns the data for links to a record. */
  entryOf: (collection: string, id: string) => Entry | undefined;
  /** `nameOf` returns the name of every existing record; its id if it has none. */
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
  kind: 'skill' | 'cost' | 'levels' | 'plain' | 'internal';
  body: Html;
}

/** Shown elsewhere: names in the heading of a page, stats above everything. */
const HEADS: ReadonlySet<string> = new Set(['name', 'aliases', 'stats', 'id']);
const SKILLS =
  /skill|talent|noble|abilit|append|passive|constellation|eidolon|burst|trace|mindscape|potential|enhancement|attacks?$/i;
const COSTS = /level|cost|material|ascension|promotion|phase|rank/i;
const IN_LANGUAGE = /(^|\.)name_[a-z_]+$/;
/** The attributes that are shown as the text of a card. */
const TEXTS = ['effect', 'description', 'text', 'summary'];
const STEPS = ['level', 'lv', 'max_level', 'rank', 'phase', 'ascension', 'mastery', 'step'];
const MAX_CARDS = 40;
const FURTHER_SKILLS =
  /append|class|defense|passive|constellation|eidolon|trace|mindscape|potential|enhancement/i;
const ORDER = ['skill', 'cost', 'levels', 'plain', 'internal'] as const;

/** The stats that players look at first, as labels and texts; without zeros. */
export function stripOf(
  { stats }: JsonObject,
  { known, reader }: ViewContext,
  most: number,
): [string, string][] {
  if (!isObject(stats)) return [];
  return membersInOrder(stats, 'stats.', known)
    .filter(([, value]) => typeof value === 'number' && value !== 0)
    .slice(0, most)
    .map(([name, value]) => {
      const attribute = known.get(`stats.${name}`) ?? { key: name };
      return [labelOf(attribute), formatValue(value, attribute, reader)];
    });
}

/** Arranges everything in a record, except its stats and names. */
export function sectionsOf(record: JsonObject, context: ViewContext): Section[] {
  const { known } = context;
  const sections: Section[] = [];
  const [general, internal]: [Row[], Row[]] = [[], []];
  for (const [name, value] of membersInOrder(record, '', known)) {
    const attribute = known.get(name) ?? { key: name };
    if (HEADS.has(name) || value === null) continue;
    const title = labelOf(attribute);
    if (isInternal(attribute)) internal.push(...rowsOf(name, value, '', context));
    else if (isListOfObjects(value)) sections.push(listSection(name, title, value, context));
    else if (isObject(value)) {
      const body = html`${note(attribute)}${rowList(rowsOf(name, value, '', context))}`;
      sections.push({ key: name, title, kind: 'plain', body });
    } else {
      const rows = rowsOf(name, value, '', context);
      (isCodes(value, attribute) || isNamedBeside(name, value, context) ? internal : general).push(...rows);
    }
  }
  if (general.length > 0) sections.push({ key: '', title: 'Profile', kind: 'plain', body: rowList(general) });
  if (internal.length > 0)
    sections.push({ key: 'internal', title: 'For programs', kind: 'internal', body: rowList(internal) });
  const placeOf = ({ kind, key }: Section) => 2 * ORDER.indexOf(kind) + Number(FURTHER_SKILLS.test(key));
  return sections.sort((a, b) => placeOf(a) - placeOf(b));
}

function note({ description, level }: Known): Html | false {
  const text = description ?? (level === undefined ? undefined : `At ${level}.`);
  return text !== undefined && html`<p class="small muted">${text.replaceAll('`', '')}</p>`;
}

function listSection(key: string, title: string, list: readonly JsonObject[], context: ViewContext): Section {
  const attribute = context.known.get(key) ?? { key };
  const isSkill =
    SKILLS.test(key) && !/(^|_)(levels?|costs?)$/.test(key) && list.some((each) => says(each, key, context));
  const isLevels =
    list.length > 2 && list.every((row) => STEPS.some((step) => typeof row[step] === 'number'));
  const said = key === 'effects' ? sayEffects([...list], context.known.get('effects.duration')?.unit) : '';
  const body =
    isSkill && list.length <= MAX_CARDS
      ? html`<div class="skill-cards">${list.map((each, at) => card(each, at + 1, key, context))}</div>`
      : html`${note(attribute)}${said !== '' && html`<p class="lines">${said}</p>`}${table(list, key, context)}`;
  const kind = isSkill
    ? 'skill'
    : COSTS.test(key) && sumCosts(list).length > 0
      ? 'cost'
      : isLevels
        ? 'levels'
        : 'plain';
  return { key, title, kind, body };
}

/** Whether an element says more than a few values: an effect, a reference to a record, or its own lists. */
function says(element: JsonObject, key: string, context: ViewContext): boolean {
  const { id } = element;
  const isRecord =
    typeof id === 'string' && linkTo(targetsOf(`${key}.id`, context.known), id, context).href !== undefined;
  return (
    isRecord ||
    TEXTS.some((each) => typeof element[each] === 'string') ||
    Object.values(element).some(isListOfObjects)
  );
}

/** A skill: its name, or its number in the list; its kind, its effect; the numbers of its levels unfold. */
function card(element: JsonObject, number: number, key: string, context: ViewContext): Html {
  const { known, reader } = context;
  const targets = targetsOf(`${key}.id`, known);
  const id = typeof element.id === 'string' ? element.id : undefined;
  const link = id === undefined ? undefined : linkTo(targets, id, context);
  const members = membersInOrder(element, `${key}.`, known).filter(([, value]) => value !== null);
  const textKey = TEXTS.find((each) => typeof element[each] === 'string');
  const said = sayEffects(element.effects, known.get(`${key}.effects.duration`)?.unit);
  const given =
    textKey === undefined
      ? id === undefined
        ? undefined
        : targets.map((each) => context.effectOf(each, id)).find(Boolean)
      : String(element[textKey]);
  const text = given ?? (said === '' ? undefined : said);
  const noun = labelOf(known.get(key) ?? { key })
    .replace(/ies$/, 'y')
    .replace(/s$/, '');
  const unnamed = text === undefined && id !== undefined ? `${noun} ${number}` : undefined;
  const name = typeof element.name === 'string' ? element.name : (link?.name ?? unnamed);
  const attributeOf = (member: string) => known.get(`${key}.${member}`) ?? { key: `${key}.${member}` };
  const facts = members.filter(([member, value]) => {
    const isShown =
      !isInternal(attributeOf(member)) && member !== 'id' && member !== 'name' && member !== textKey;
    // An internal word such as `combat1` says nothing beside the kind.
    return (
      isShown &&
      !(typeof value === 'string' && (value === name || isCode(value) || /^[a-z]+\d+$/.test(value)))
    );
  });
  const badges = facts.filter(([, value]) => !isObject(value) && !Array.isArray(value));
  const tables = facts.filter(
    ([, value]) => isListOfObjects(value) || isObject(value) || Array.isArray(value),
  );
  const words = badges.map(([member, value]) => {
    const written = formatValue(value, attributeOf(member), reader);
    const isText = typeof value === 'string';
    return html`<span>${isText ? '' : `${labelOf(attributeOf(member))} `}${written}</span>`;
  });
  const isFolded = text !== undefined || tables.length > 0;
  const own = link?.href === undefined ? undefined : html`<a href="${link.href}">${name}</a>`;
  // The summary element is a button, so it cannot contain links.
  const title = html`<b>${isFolded ? name : (own ?? name)}</b>
    ${words.length > 0 && html` <span class="badges small muted">${words}</span>`}`;
  if (!isFolded) return html`<p class="skill">${title}</p>`;
  const [first = '', ...rest] = (text ?? '').split('\n');
  const begin = `${first}${rest.length > 0 ? ` ${rest.join(' ')}` : ''}`;
  const more = tables.map(([member, value]) => {
    const inner = `${key}.${member}`;
    const content = isListOfObjects(value)
      ? table(value, inner, context)
      : rowList(rowsOf(inner, value, '', context));
    const inWords = member === 'effects' && said !== '' && said !== text;
    return html`<h3>${labelOf(attributeOf(member))}</h3>${inWords && html`<p class="lines">${said}</p>`}${content}`;
  });
  return html`<details class="skill"><summary>${title}<span class="begin">${begin}</span></summary>
    ${text !== undefined && html`<p class="lines">${text}</p>`}${own && html`<p>${own}</p>`}${more}</details>`;
}

/** A value with its name. */
interface Row {
  label: string;
  hint: string | undefined;
  value: Content;
}

/** The rows of a value; of an object, those of its members. @param prefix the labels of the objects around it */
function rowsOf(key: string, value: Json, prefix: string, context: ViewContext): Row[] {
  const { known } = context;
  const attribute = known.get(key) ?? { key };
  if (isObject(value))
    return membersInOrder(value, `${key}.`, known).flatMap(([name, member]) => {
      if (member === null || (name === 'id' && typeof value.name === 'string')) return [];
      const inner = `${key}.${name}`;
      const label = labelOf(known.get(inner) ?? { key: inner });
      if (name === 'name' && typeof value.id === 'string') {
        const { href } = linkTo(targetsOf(`${key}.id`, known), value.id, context);
        return [{ label: prefix + label, hint: undefined, value: anchor(String(member), href) }];
      }
      return rowsOf(inner, member, isObject(member) ? `${prefix}${label} · ` : prefix, context);
    });
  const label = prefix + labelOf(attribute);
  const hint = attribute.description?.replaceAll('`', '');
  if (isListOfObjects(value)) return [{ label, hint, value: table(value, key, context) }];
  const shown = show(value, attribute, context);
  return shown === '' ? [] : [{ label, hint, value: shown }];
}

function rowList(rows: readonly Row[]): Html {
  const texts = new Set<string>();
  // Equal values with the same label are shown once.
  const shown = rows.filter(({ label, value }) => {
    const text = `${label} ${html`${value}`}`;
    return !texts.has(text) && texts.add(text);
  });
  return html`<dl class="rows">${shown.map(
    ({ label, hint, value }) =>
      html`<div><dt${hint !== undefined && html` title="${hint}"`}>${label}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** A list of objects as a table: names first, then levels, then the rest; without columns that are empty or for programs. */
function table(list: readonly JsonObject[], key: string, context: ViewContext): Html {
  const { known } = context;
  const all = columnsIn(list, key, known);
  const forPeople = all.filter(({ path, attribute, full }) => {
    const isId = path.at(-1) === 'id' || (attribute.kind === 'id' && attribute.ref === undefined);
    const hasName = all.some((other) => other.full === full.replace(/[^.]+$/, 'name'));
    return path.length === 1 && path[0] === 'id'
      ? list.length > 1 && !hasName
      : !(isId && hasName) && !isInternal(attribute);
  });
  const columns = (forPeople.length > 0 ? forPeople : all).toSorted(
    (a, b) => rankOf(a.path) - rankOf(b.path),
  );
  const label = fullLabel(known, key);
  const isNumber = columns.map(({ path }) => list.every((row) => typeof (at(row, path) ?? 0) === 'number'));
  const numbers = (index: number) => isNumber[index] && html` class="number"`;
  return scroll(
    label,
    html`<table><thead><tr>${columns.map(({ title, attribute }, index) => {
      const unit = unitOf(attribute);
      return html`<th scope="col"${numbers(index)}>${title}${unit !== undefined && html` <small>${unit}</small>`}</th>`;
    })}</tr></thead><tbody>${list.map(
      (row) =>
        html`<tr>${columns.map((column, index) => html`<td${numbers(index)}>${cell(row, column, context)}</td>`)}</tr>`,
    )}</tbody></table>`,
  );
}

/** A column of a table of objects. */
interface Column {
  path: readonly string[];
  full: string;
  title: string;
  attribute: Known;
  /** The attribute without its unit, which is in the heading. */
  unitless: Known;
  /** Of a name or an id: the path of the id, and the collections that it may be of. */
  idPath: readonly string[];
  targets: readonly string[];
}

const columnsByDictionary = new WeakMap<ReadonlyMap<string, Known>, Map<string, Column>>();

/** The members of any row, including those inside objects, in the order of the dictionary. */
function columnsIn(list: readonly JsonObject[], key: string, known: ReadonlyMap<string, Known>): Column[] {
  const made = columnsByDictionary.get(known) ?? new Map<string, Column>();
  columnsByDictionary.set(known, made);
  const found = new Map<string, Column>();
  const visit = (object: JsonObject, path: readonly string[]) => {
    for (const [name, value] of Object.entries(object)) {
      const inner = [...path, name];
      const full = `${key}.${inner.join('.')}`;
      const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
      if (isEmpty || found.has(full) || IN_LANGUAGE.test(full)) continue;
      if (isObject(value)) visit(value, inner);
      else {
        const attribute = known.get(full) ?? { key: full };
        const title = inner
          .map((_, index) => `${key}.${inner.slice(0, index + 1).join('.')}`)
          .map((part) => labelOf(known.get(part) ?? { key: part }))
          .join(' · ');
        const { unit: _, ...rest } = attribute;
        const unitless = unitOf(attribute) === undefined ? attribute : rest;
        const isName = name === 'name' || name === 'id';
        const targets = isName ? targetsOf(full.replace(/name$/, 'id'), known) : [];
        const idPath = name === 'id' ? inner : [...path, 'id'];
        const column = made.get(full) ?? { path: inner, full, title, attribute, unitless, idPath, targets };
        made.set(full, column);
        found.set(full, column);
      }
    }
  };
  for (const row of list) visit(row, []);
  const places = placesOf(known);
  const placeOf = ({ full }: Column) => places.get(full) ?? places.size;
  return [...found.values()].sort((a, b) => placeOf(a) - placeOf(b));
}

function rankOf([name = '', ...inner]: readonly string[]): number {
  if (inner.length > 0) return 2;
  return name === 'name' || name === 'id'
    ? 0
    : STEPS.includes(name) || name === 'rarity' || name === 'slot'
      ? 1
      : 2;
}

function at(row: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    row,
  );
}

/** A cell. A name links to the record whose id is beside it. */
function cell(row: JsonObject, { path, idPath, targets, unitless }: Column, context: ViewContext): Content {
  const value = at(row, path) ?? null;
  const id = targets.length > 0 && value !== null ? at(row, idPath) : undefined;
  if (typeof id !== 'string') return show(value, unitless, context);
  const link = linkTo(targets, id, context);
  return anchor(path === idPath ? (link.name ?? id) : String(value), link.href);
}

/** A value, or the elements of a list, with links to the records they refer to; empty for no value. */
function show(value: Json, attribute: Known, context: ViewContext): Content {
  if (!Array.isArray(value)) return value === null ? '' : showOne(value, attribute, context);
  const parts = value.filter((part) => part !== null).map((part) => showOne(part, attribute, context));
  return parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]));
}

const COLOR = /^#[0-9a-f]{6}$/i;

function showOne(part: Json, attribute: Known, context: ViewContext): Content {
  const { known, reader } = context;
  if (isObject(part)) {
    const ref = known.get(`${attribute.key}.id`)?.ref;
    if (ref === undefined || typeof part.id !== 'string') return formatCell(part, attribute, reader);
    const { name, href } = linkTo([ref], part.id, context);
    const { id: _, ...rest } = part;
    return anchor(
      formatCell('name' in part || name === undefined ? rest : { name, ...rest }, attribute, reader),
      href,
    );
  }
  const text = formatValue(part, attribute, reader);
  if (attribute.kind === 'image') {
    const isAddress = typeof part === 'string' && /^https:\/\/[^\s"'<>]+$/.test(part);
    return isAddress ? anchor('Picture', part) : text;
  }
  if (attribute.kind === 'color' && typeof part === 'string' && COLOR.test(part))
    return html`<svg class="swatch" width="16" height="16" aria-hidden="true"><rect width="16" height="16" fill="${part}"/></svg> ${text}`;
  return attribute.ref === undefined
    ? text
    : anchor(text, linkTo([attribute.ref], String(part), context).href);
}

function anchor(text: string, href: string | undefined): Content {
  return href === undefined ? text : html`<a href="${href}">${text}</a>`;
}

/** A link to a record in one of some collections; text if there is no such record. */
function linkTo(
  collections: readonly string[],
  id: string,
  { game, reader }: ViewContext,
): { name?: string; href: string | undefined } {
  for (const collection of collections) {
    const name = reader.nameOf?.(collection, id);
    if (name !== undefined) return { name, href: addressOf(game, collection, id) };
  }
  return { href: undefined };
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

/** The members of an object in the order of the dictionary, without its names in other languages. */
function membersInOrder(
  object: JsonObject,
  prefix: string,
  known: ReadonlyMap<string, Known>,
): [string, Json][] {
  const places = placesOf(known);
  const placeOf = ([name]: [string, Json]) => places.get(prefix + name) ?? places.size;
  return Object.entries(object)
    .filter(([name]) => !IN_LANGUAGE.test(name))
    .sort((a, b) => placeOf(a) - placeOf(b));
}

const placesByDictionary = new WeakMap<ReadonlyMap<string, Known>, ReadonlyMap<string, number>>();

function placesOf(known: ReadonlyMap<string, Known>): ReadonlyMap<string, number> {
  const places =
    placesByDictionary.get(known) ?? new Map([...known.keys()].map((key, index) => [key, index]));
  placesByDictionary.set(known, places);
  return places;
}

function isCodes(value: Json, { ref, values }: Known): boolean {
  if (ref !== undefined || values) return false;
  return Array.isArray(value) ? value.length > 0 && value.every(isCode) : isCode(value);
}

/** Whether a value is an id without a target, next to a name. */
function isNamedBeside(name: string, value: Json, { known, reader }: ViewContext): boolean {
  const { ref } = known.get(name) ?? {};
  if (!known.has(`${name}_name`) || typeof value !== 'string') return false;
  return ref === undefined || reader.nameOf?.(ref, value) === undefined;
}
