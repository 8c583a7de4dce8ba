import type { Attribute, AttributeValue, Labels, Scalar } from '../../../scripts/format/attributes.ts';
import type { Json, JsonObject } from '../../../scripts/format/json.ts';

/** What stands where there is no value. */
export const NOTHING = '–';

/** How values are written for a reader. */
export interface Reader {
  /** A language tag of the reader's browser, for numbers and dates: `de-CH`. */
  locale: string;
  /** The language of labels, if the dictionary has it: `ja`. */
  lang: string;
  /** The names of records that values refer to, by `nameKey`; ids without one are shown as they are. */
  names?: ReadonlyMap<string, string>;
}

/** What `names` of a reader are kept by. */
export function nameKey(collection: string, id: string): string {
  return `${collection}/${id}`;
}

/** What is known of an attribute; only its key is necessary. */
export type Known = Labels &
  Pick<Attribute, 'key'> &
  Partial<Pick<Attribute, 'description' | 'kind' | 'unit' | 'level' | 'ref' | 'list' | 'values'>>;

/** Returns the name of an attribute: its label, or else the last part of its key in words. */
export function labelOf(attribute: Known, lang = ''): string {
  return inLanguage(attribute, lang) ?? wordsOf(attribute.key);
}

/** Returns the whole name of an attribute inside an object: `Stats · ATK`. */
export function fullLabel(attributes: ReadonlyMap<string, Known>, key: string, lang = ''): string {
  const parts = key.split('.');
  return parts
    .map((_, at) => parts.slice(0, at + 1).join('.'))
    .map((part) => labelOf(attributes.get(part) ?? { key: part }, lang))
    .join(' · ');
}

/** What games write in capitals. */
const SHORT_WORDS = /\b(atk|cd|def|dmg|dps|exp|hp|id|mp|np|npc|qp|sp|spd|ssr|tp)(s?)\b/g;

/** `stats.crit_rate` → `Crit rate`, `base.atk` → `ATK`, `npcs` → `NPCs`. */
export const wordsOf = oncePerKey((key) => {
  const words = key
    .slice(key.lastIndexOf('.') + 1)
    .replaceAll('_', ' ')
    .replace(SHORT_WORDS, (_, word: string, plural: string) => word.toUpperCase() + plural);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
});

/** More keys than the dictionaries of many games have. */
const MAX_KEPT_KEYS = 20_000;

/** Keeps what follows from a key: a page asks for few keys many times. */
function oncePerKey<Value>(make: (key: string) => Value): (key: string) => Value {
  const values = new Map<string, Value>();
  return (key) => {
    const cachedValue = values.get(key);
    if (cachedValue !== undefined) return cachedValue;
    if (values.size >= MAX_KEPT_KEYS) values.clear();
    const value = make(key);
    values.set(key, value);
    return value;
  };
}

function inLanguage(labels: Labels, lang: string): string | undefined {
  if (lang === '') return labels.label;
  return labels[`label_${lang.toLowerCase().replaceAll('-', '_')}`] ?? labels.label;
}

/**
 * Returns the unit to write after a number; undefined if the number says it itself, as percentages and factors do, if it is written as a label, if the
 * attribute's label says it, as `DP cost` does, or if the unit names another attribute, in backticks.
 */
export function unitOf(attribute: Known): string | undefined {
  const { unit, kind, values } = attribute;
  if (unit === undefined || kind === 'percentage' || /^fraction|^factor$|`/.test(unit)) return undefined;
  if (values && labelsOf(values).size > 0) return undefined;
  return labelOf(attribute).toLowerCase().split(' ').includes(unit.toLowerCase()) ? undefined : unit;
}

/** Returns whether a value is for programs rather than players: what a game itself refers to things by, addresses of pictures, and the bare numbers of texts. */
export function isInternal({ key, kind, ref }: Known): boolean {
  if (ref !== undefined) return false;
  return kind === 'image' || hasInternalName(key);
}

const INTERNAL = /(^|[._])(id|key|code|codes|curve|hash|format|icon|asset|image|images|color|colors|sort)$/;
/** The numbers that the text beside them has, or names by their places. */
const PARAMETERS = /\.param(eter)?s(\.|$)/;
const hasInternalName = oncePerKey(
  (key) => PARAMETERS.test(key) || key.split('.').some((name) => INTERNAL.test(name)),
);

/** Returns whether a text is what a game itself calls something by, such as `p_card-02-ido-1_059`. */
export function isCode(text: Json): boolean {
  return typeof text === 'string' && CODE.test(text) && /-|\d{3}/.test(text);
}

const CODE = /^[a-z0-9-]+(_[a-z0-9-]+)+$/;

/**
 * Writes a value as text: labels for coded values, numbers, dates and percentages as the reader's locale has them, and units.
 *
 * @param value of the attribute; of a list, its elements
 */
export function formatValue(value: Json | undefined, attribute: Known, reader: Reader): string {
  const text = formatCell(value, attribute, reader);
  if (typeof value !== 'number' || valueLabel(value, attribute, reader.lang) !== undefined) return text;
  if (attribute.unit === 'factor') return `×${text}`;
  const unit = unitOf(attribute);
  if (unit === undefined) return text;
  return `${text} ${value === 1 ? unit.replace(PLURAL, '') : unit}`;
}

/** The ending of a unit that is one word. */
const PLURAL = /(?<=^[a-z]{3,})s$/;

/** Writes a value as `formatValue` does, without its unit, which the heading of a column has. */
export function formatCell(value: Json | undefined, attribute: Known, reader: Reader): string {
  if (value === undefined || value === null) return NOTHING;
  if (Array.isArray(value))
    return value.length === 0 ? NOTHING : value.map((part) => formatCell(part, attribute, reader)).join(', ');
  if (typeof value === 'object') return formatObject(value, attribute, reader);
  return valueLabel(value, attribute, reader.lang) ?? formatScalar(value, attribute, reader);
}

/** An object inside a cell: its name and how many or how much, or else its members for people, after its label. */
function formatObject(value: { [key: string]: Json }, { key }: Known, reader: Reader): string {
  const { name, count, value: amount } = value;
  if (typeof name === 'string') {
    if (typeof count === 'number') return `${name} × ${numberFormat(reader.locale).format(count)}`;
    return typeof amount === 'number'
      ? `${name} ${numberFormat(reader.locale, NUMBER).format(amount)}`
      : name;
  }
  const label = typeof value.label === 'string' ? value.label : undefined;
  const members = Object.entries(value)
    .filter(([member, part]) => part !== label && !isInternal({ key: `${key}.${member}` }))
    .map(([member, part]) => `${wordsOf(member)} ${formatCell(part, { key: `${key}.${member}` }, reader)}`);
  if (members.length === 0) return label ?? NOTHING;
  return (label === undefined ? '' : `${label}: `) + members.join(', ');
}

/** Returns the label of a coded value; undefined if it has none. */
export function valueLabel(value: Scalar, { values }: Known, lang = ''): string | undefined {
  const labels = values && labelsOf(values).get(String(value));
  return labels && inLanguage(labels, lang);
}

const labelsByValues = new WeakMap<readonly AttributeValue[], Map<string, Labels>>();

/** The values that have labels, found once for all cells. */
function labelsOf(values: readonly AttributeValue[]): ReadonlyMap<string, Labels> {
  let labels = labelsByValues.get(values);
  if (labels) return labels;
  labels = new Map();
  for (const each of values)
    if (Object.keys(each).some((name) => name.startsWith('label')) && !labels.has(String(each.value)))
      labels.set(String(each.value), each);
  labelsByValues.set(values, labels);
  return labels;
}

function formatScalar(
  value: Scalar,
  { key, kind, unit, ref, values }: Known,
  { locale, names }: Reader,
): string {
  const name = ref === undefined ? undefined : names?.get(nameKey(ref, String(value)));
  if (name !== undefined) return name;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return formatNumber(value, kind, unit, locale);
  if (kind === 'date') return formatDate(value, locale);
  return ref === undefined && !/(^|\.)id$/.test(key) ? wordsOfValue(value, values) : value;
}

/**
 * Writes `main_skill_1` as `Main skill 1`; other texts stay, also those that only programs read.
 *
 * @param values those of the attribute: `normal` is written as `Normal` if all of them are such words, which names are not
 */
export function wordsOfValue(text: string, values?: readonly AttributeValue[]): string {
  const isWord = (values && areWords(values)) || (text.includes('_') && CODE.test(text));
  return isWord && !isCode(text) ? wordsOf(text.toLowerCase()) : text;
}

/** Returns the name of a record; of one without a name, that of the only thing that it names, such as whose outfit it is, or else its id in words. */
export function nameOfRecord(record: JsonObject): string {
  if (typeof record.name === 'string') return record.name;
  const named = Object.entries(record).filter(
    ([key, value]) => key.endsWith('_name') && typeof value === 'string',
  );
  return named.length === 1 ? String(named[0]?.[1]) : wordsOfValue(String(record.id ?? ''));
}

const WORDS = /^[a-z]+([ _][a-z0-9]+)*$/;
const CONSTANTS = /^[A-Z]+(_[A-Z0-9]+)*$/;
const wordsByValues = new WeakMap<readonly AttributeValue[], boolean>();

/** Whether values are words in small letters, or constants: capitals with `_` between words. */
function areWords(values: readonly AttributeValue[]): boolean {
  const known = wordsByValues.get(values);
  if (known !== undefined) return known;
  const all = (form: RegExp) => values.every(({ value }) => typeof value === 'string' && form.test(value));
  const areAll = all(WORDS) || (all(CONSTANTS) && values.some(({ value }) => String(value).includes('_')));
  wordsByValues.set(values, areAll);
  return areAll;
}

const PLAIN: Intl.NumberFormatOptions = {};
const NUMBER: Intl.NumberFormatOptions = { maximumFractionDigits: 4, useGrouping: 'min2' };
const SHARE: Intl.NumberFormatOptions = { style: 'percent', maximumFractionDigits: 2 };

/** Less than points that a game gives, and more than it adds to a stat. */
const MAX_SHARE = 5;

/** Formats by their options and locale: making one takes longer than the rest of a page. */
const formats = new WeakMap<Intl.NumberFormatOptions, Map<string, Intl.NumberFormat>>();

/** Returns a format for numbers. @param options a constant, by which formats are kept */
export function numberFormat(locale: string, options = PLAIN): Intl.NumberFormat {
  const ofOptions = formats.get(options) ?? new Map<string, Intl.NumberFormat>();
  formats.set(options, ofOptions);
  const format = ofOptions.get(locale) ?? new Intl.NumberFormat(locale, options);
  ofOptions.set(locale, format);
  return format;
}

/** Whether a number is a share. A unit such as `fraction, or points for Elemental Mastery` says it of the small ones. */
function isShare(value: number, kind: Attribute['kind'], unit: string): boolean {
  return kind === 'percentage' || (/^fraction.*, or points/.test(unit) && Math.abs(value) < MAX_SHARE);
}

function formatNumber(
  value: number,
  kind: Attribute['kind'],
  unit: string | undefined,
  locale: string,
): string {
  if (unit === undefined || !isShare(value, kind, unit)) {
    // What most numbers of a page are; a format takes some microseconds for each.
    const isShort = Number.isInteger(value) && value >= 0 && value < 10_000;
    return isShort && locale.startsWith('en') ? String(value) : numberFormat(locale, NUMBER).format(value);
  }
  // Without a unit nothing is known of a percentage, so the number is shown as it is.
  const share = unit.startsWith('fraction') ? value : value / 100;
  return numberFormat(locale, SHARE).format(share);
}

/** Writes a date of ISO 8601, with its time if it has one; a text that is no date stays as it is. */
export function formatDate(text: string, locale: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return text;
  const hasTime = text.includes('T') && !/T00:00(:00(\.0+)?)?Z?$/.test(text);
  return (hasTime ? momentFormat : dayFormat)(locale).format(time);
}

const dayFormat = oncePerLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }),
);
const momentFormat = oncePerLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
);

/** Keeps a format of each locale: making one takes longer than the rest of a page. */
function oncePerLocale<Format>(make: (locale: string) => Format): (locale: string) => Format {
  const formats = new Map<string, Format>();
  return (locale) => {
    const format = formats.get(locale) ?? make(locale);
    formats.set(locale, format);
    return format;
  };
}

/**
 * Writes how a number changed: `−8 %`; undefined if a percentage says nothing, as from 0.
 *
 * @param locale a language tag
 */
export function formatChange(
  from: Json | undefined,
  to: Json | undefined,
  locale: string,
): string | undefined {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0 || from === to) return undefined;
  const share = (to - from) / Math.abs(from);
  const digits = Math.abs(share) < 0.1 ? 1 : 0;
  return new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: digits,
    signDisplay: 'always',
  }).format(share);
}
