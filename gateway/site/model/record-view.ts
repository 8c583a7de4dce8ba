import type { Json, JsonObject } from '../../../scripts/format/json.ts';
import { isCode, isInternal, type Known, labelOf } from './format-value.ts';
import { inOrder, isObject } from './in-order.ts';
import { type Linked, linksOf, linkTo, targetsOf, type ViewContext } from './linked.ts';
import { tableOf, type ViewTable } from './view-table.ts';

/** A value with its name. */
export interface ViewRow {
  key: string;
  label: string;
  hint: string | undefined;
  values: Linked[];
  /** `#rrggbb`, to show a color. */
  color: string | undefined;
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

/** Names are in the heading of a page. */
const HEADS: ReadonlySet<string> = new Set(['name', 'aliases']);
const COLOR = /^#[0-9a-f]{6}$/i;

/** The parts that the values of a record are put into. */
interface Places {
  section: ViewSection;
  /** What is for programs. */
  internal: ViewSection;
}

/** Arranges everything in a record: skills first, then stats, its levels, what is directly in it, and what is for programs at the end. */
export function viewRecord(record: JsonObject, context: ViewContext): ViewSection[] {
  const { attributes, reader } = context;
  const general = sectionOf('Profile', undefined);
  const internal: ViewSection = { ...sectionOf('For programs', undefined), isInternal: true };
  const sections: ViewSection[] = [general, internal];
  for (const [name, value] of inOrder(record, '', attributes)) {
    const attribute = attributes.get(name) ?? { key: name };
    if (HEADS.has(name) || value === null) continue;
    const title = labelOf(attribute, reader.lang);
    if (isObject(value)) {
      const note = levelNote(plain(attribute.level));
      const section = isInternal(attribute) ? internal : sectionOf(title, note);
      addMembers({ section, internal }, value, name, section === internal ? `${title} · ` : '', context);
      if (section !== internal) sections.push(section);
    } else if (Array.isArray(value) && value.some(isObject) && !isInternal(attribute)) {
      const table = tableOf(value, name, { title, hint: undefined }, context);
      sections.push({ ...sectionOf(title, plain(attribute.description)), tables: [table] });
    } else addMember({ section: general, internal }, name, value, '', context);
  }
  return sections
    .map((section) => ({ ...section, rows: withoutRepeats(section.rows) }))
    .filter(({ rows, tables }) => rows.length + tables.length > 0)
    .sort((a, b) => rankOf(a, context) - rankOf(b, context));
}

function sectionOf(title: string, note: string | undefined): ViewSection {
  return { title, note, rows: [], tables: [] };
}

/** What another row says too is left out: the same under the same name, and the name of what it leads to. */
function withoutRepeats(rows: readonly ViewRow[]): ViewRow[] {
  const textOf = ({ values }: ViewRow) => values.map(({ text }) => text).join(', ');
  const isLink = ({ values }: ViewRow) => values.some(({ href }) => href !== undefined);
  const linked = new Set(rows.filter(isLink).map(textOf));
  const seen = new Set<string>();
  return rows.filter((row) => {
    const text = textOf(row);
    const name = `${row.label} ${text}`;
    if (seen.has(name) || (linked.has(text) && !isLink(row))) return false;
    seen.add(name);
    return true;
  });
}

/** What players look for first, what belongs to it, and what it costs. */
const SKILLS = /skill|talent|noble|abilit/i;
const FURTHER_SKILLS =
  /append|class|defense|passive|constellation|eidolon|burst|trace|mindscape|potential|enhancement/i;
const COSTS = /level|cost|material/i;

function rankOf({ title, tables, isInternal }: ViewSection, context: ViewContext): number {
  if (isInternal) return 6;
  if (title === statsTitle(context)) return 2;
  if (tables.some(({ plot }) => plot)) return 3;
  if (tables.length > 0 && !COSTS.test(title)) {
    if (FURTHER_SKILLS.test(title)) return 1;
    if (SKILLS.test(title)) return 0;
  }
  return title === 'Profile' ? 4 : 5;
}

function statsTitle({ attributes, reader }: ViewContext): string {
  return labelOf(attributes.get('stats') ?? { key: 'stats' }, reader.lang);
}

/** `the highest level` → `At the highest level.`; `without refinement` → `Without refinement.` */
function levelNote(level: string | undefined): string | undefined {
  if (level === undefined) return undefined;
  const isPhrase = /^(after|before|with|without)\b/.test(level);
  return isPhrase ? `${level.slice(0, 1).toUpperCase()}${level.slice(1)}.` : `At ${level}.`;
}

/** Descriptions quote code in backticks. */
function plain(text: string | undefined): string | undefined {
  return text?.replaceAll('`', '');
}

/** @param prefix the labels of the objects between the section and the members */
function addMembers(
  places: Places,
  object: JsonObject,
  key: string,
  prefix: string,
  context: ViewContext,
): void {
  const { attributes, reader } = context;
  for (const [name, value] of inOrder(object, `${key}.`, attributes)) {
    const inner = `${key}.${name}`;
    if (value === null || (name === 'id' && typeof object.name === 'string')) continue;
    if (isObject(value)) {
      const label = labelOf(attributes.get(inner) ?? { key: inner }, reader.lang);
      addMembers(places, value, inner, `${prefix}${label} · `, context);
    } else if (name === 'name' && typeof value === 'string' && typeof object.id === 'string') {
      const { href } = linkTo(context, targetsOf(`${key}.id`, attributes), object.id);
      const label = prefix + labelOf(attributes.get(inner) ?? { key: inner }, reader.lang);
      places.section.rows.push({
        ...{ key: inner, label, hint: undefined, color: undefined },
        values: [{ text: value, href }],
      });
    } else addMember(places, inner, value, prefix, context);
  }
}

function addMember(
  { section, internal }: Places,
  key: string,
  value: Json,
  prefix: string,
  context: ViewContext,
): void {
  const { attributes, reader } = context;
  const attribute = attributes.get(key) ?? { key };
  const isTable = Array.isArray(value) && value.some(isObject);
  const values = isTable ? [] : linksOf(value, attribute, context);
  if (!isTable && values.length === 0) return;
  const isHidden =
    isInternal(attribute) || isCoded(value, attribute) || isNamed(values, value, key, attributes);
  const place = isHidden ? internal : section;
  const outer = place === section || section.title === 'Profile' ? '' : `${section.title} · `;
  const label = outer + prefix + labelOf(attribute, reader.lang);
  const hint = plain(attribute.description);
  if (isTable) {
    place.tables.push(tableOf(value, key, { title: label, hint }, context));
    return;
  }
  const color =
    attribute.kind === 'color' && typeof value === 'string' && COLOR.test(value) ? value : undefined;
  place.rows.push({ key, label, hint, values, color });
}

function isCoded(value: Json, { ref, values }: Known): boolean {
  if (ref !== undefined || values) return false;
  return Array.isArray(value) ? value.every(isCode) : isCode(value);
}

/** Whether a value is an id that leads nowhere, and the dictionary has a name beside it. */
function isNamed(
  [link]: readonly Linked[],
  value: Json,
  key: string,
  attributes: ReadonlyMap<string, Known>,
): boolean {
  if (link?.href !== undefined || link?.text !== String(value)) return false;
  const named = namedByDictionary.get(attributes) ?? findNamed(attributes);
  namedByDictionary.set(attributes, named);
  return named.has(key);
}

const namedByDictionary = new WeakMap<ReadonlyMap<string, Known>, ReadonlySet<string>>();

function findNamed(attributes: ReadonlyMap<string, Known>): ReadonlySet<string> {
  const names = [...attributes.keys()].filter((key) => key.endsWith('_name'));
  return new Set(names.map((key) => key.slice(0, -'_name'.length)));
}
