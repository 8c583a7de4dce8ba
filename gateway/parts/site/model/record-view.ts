import type { Json, JsonObject } from '../../../../scripts/core/format/json.ts';
import { isInternal, labelOf } from './format-value.ts';
import { inOrder, isObject } from './in-order.ts';
import { type Linked, linksOf, type ViewContext } from './linked.ts';
import { IN_LANGUAGE, tableOf, type ViewTable } from './view-table.ts';

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

/** Descriptions quote code in backticks. */
function plain(text: string | undefined): string | undefined {
  return text?.replaceAll('`', '');
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
