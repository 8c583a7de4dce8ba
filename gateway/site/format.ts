// Formats values for people: labels, numbers with their units, percentages, dates. It also runs in browsers.
import {
  type Attribute,
  type AttributeValue,
  type Labels,
  type Scalar,
  wordsOf,
} from '../../scripts/format/attributes.ts';
import type { Json, JsonObject } from '../../scripts/format/json.ts';

/** Shown if there is no value. */
export const NOTHING = '–';

/** The language of labels (`ja`; empty for the default), and the names of records that values refer to. */
export interface Reader {
  lang: string;
  nameOf?: ((collection: string, id: string) => string | undefined) | undefined;
}

/** The known properties of an attribute; only its key is required. */
export type Known = Labels &
  Pick<Attribute, 'key'> &
  Partial<Omit<Attribute, 'key'>> & { inside?: (member: string) => Known };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Makes a function that remembers what it returned for each object: a page asks about the same attributes again and again. */
export function once<Asked extends object, T>(make: (asked: Asked) => T): (asked: Asked) => T {
  const made = new WeakMap<Asked, { result: T }>();
  return (asked) => {
    const known = made.get(asked);
    if (known) return known.result;
    const result = make(asked);
    made.set(asked, { result });
    return result;
  };
}

const wordsOfKey = once(({ key }: Known) => wordsOf(key));

/** Returns the label of an attribute, or the last part of its key in words. */
export function labelOf(attribute: Known, lang = ''): string {
  return labelIn(attribute, lang) ?? wordsOfKey(attribute);
}

/** Returns the label of an attribute with those of the objects around it: `Parameters · Luck`; a stat is named alone. */
export function fullLabel(attributes: ReadonlyMap<string, Known>, key: string, lang = ''): string {
  return key
    .split('.')
    .map((_, at, parts) => parts.slice(0, at + 1).join('.'))
    .slice(key.startsWith('stats.') ? 1 : 0)
    .map((part) => labelOf(attributes.get(part) ?? { key: part }, lang))
    .join(' · ');
}

function labelIn(labels: Labels, lang: string): string | undefined {
  if (lang === '') return labels.label;
  return labels[`label_${lang.toLowerCase().replaceAll('-', '_')}`] ?? labels.label;
}

/**
 * Returns the unit after a number; undefined if the number includes it, as percentages and factors do, if a label is shown instead, if the
 * attribute's label includes it, as `DP cost` does, or if the unit names another attribute, in backticks.
 */
export const unitOf = once((attribute: Known): string | undefined => {
  const { unit, kind, values } = attribute;
  if (unit === undefined || kind === 'percentage' || /^fraction|^factor$|`/.test(unit)) return undefined;
  if (values?.some((each) => labelIn(each, '') !== undefined)) return undefined;
  return labelOf(attribute).toLowerCase().split(' ').includes(unit.toLowerCase()) ? undefined : unit;
});

const INTERNAL = /(^|[._])(id|key|code|codes|curve|hash|format|icon|asset|image|images|color|colors|sort)$/;
/** Numbers that the text beside them contains, or refers to by position. */
const PARAMETERS = /\.param(eter)?s(\.|$)/;

/** Returns whether a value is for programs: internal references, addresses of pictures, the bare numbers of texts. */
export const isInternal = once(({ key, kind, ref }: Known) => {
  if (ref !== undefined) return false;
  return kind === 'image' || PARAMETERS.test(key) || key.split('.').some((name) => INTERNAL.test(name));
});

const CODE = /^[a-z0-9-]+(_[a-z0-9-]+)+$/;

/** Returns whether a text is an internal name of the game, such as `p_card-02-ido-1_059`. */
export function isCode(text: Json): boolean {
  return typeof text === 'string' && CODE.test(text) && /-|\d{3}/.test(text);
}

/** Whether each value is a number. */
export const isNumeric = ({ type = 'any', list }: Known): boolean =>
  /number|integer/.test(type) && list !== true;

/** The ending of a unit that is one word. */
const PLURAL = /(?<=^[a-z]{3,})s$/;

/** Formats a value with its unit. @param value of the attribute, or of an element if it is a list */
export function formatValue(value: Json | undefined, attribute: Known, reader: Reader): string {
  const text = formatCell(value, attribute, reader);
  if (typeof value !== 'number' || valueLabel(value, attribute, reader.lang) !== undefined) return text;
  if (attribute.unit === 'factor') return `×${text}`;
  const unit = unitOf(attribute);
  if (unit === '%') return `${text}%`;
  return unit === undefined ? text : `${text} ${value === 1 ? unit.replace(PLURAL, '') : unit}`;
}

/** Formats a value without its unit, which is in the column's heading. */
export function formatCell(value: Json | undefined, attribute: Known, reader: Reader): string {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value === 'number' && (attribute.unit ?? attribute.values ?? attribute.ref) === undefined)
    return formatNumber(value);
  if (Array.isArray(value))
    return value.length === 0 ? NOTHING : value.map((part) => formatCell(part, attribute, reader)).join(', ');
  if (isObject(value)) return formatObject(value, attribute, reader);
  return valueLabel(value, attribute, reader.lang) ?? formatScalar(value, attribute, reader);
}

/** Formats an object inside a cell: its name and amount, otherwise its members for people with its label. */
function formatObject(value: JsonObject, attribute: Known, reader: Reader): string {
  const { name, count, value: amount } = value;
  if (typeof name === 'string') {
    if (typeof count === 'number') return `${name} × ${formatNumber(count)}`;
    const said = typeof value.text === 'string' ? value.text : amount;
    const inner = attribute.inside?.('value') ?? { key: 'value' };
    return said === undefined ? name : `${name} ${formatValue(said, inner, reader)}`;
  }
  const label = typeof value.label === 'string' ? value.label : undefined;
  const members = Object.entries(value).flatMap(([member, part]) => {
    const inner = attribute.inside?.(member) ?? { key: `${attribute.key}.${member}` };
    return part === label || isInternal(inner) ? [] : `${labelOf(inner)} ${formatValue(part, inner, reader)}`;
  });
  if (members.length === 0) return label ?? NOTHING;
  return (label === undefined ? '' : `${label}: `) + members.join(', ');
}

/** Returns the label of a coded value; undefined if it has none. */
function valueLabel(value: Scalar, { values }: Known, lang = ''): string | undefined {
  const found = values && valuesIn(values).get(value);
  return found && labelIn(found, lang);
}

const valuesIn = once(
  (values: readonly AttributeValue[]) => new Map(values.map((each) => [each.value, each])),
);

function formatScalar(value: Scalar, { key, kind, unit, ref, values }: Known, { nameOf }: Reader): string {
  const name = ref === undefined ? undefined : nameOf?.(ref, String(value));
  if (name !== undefined) return name;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number')
    return isShare(value, kind, unit)
      ? formatShare(unit.startsWith('fraction') ? value : value / 100)
      : formatNumber(value);
  if (kind === 'date') return formatDate(value);
  return ref === undefined && !/(^|\.)id$/.test(key) ? wordsOfValue(value, values) : value;
}

/** Below the points that games give, above what they add to a stat as a share. */
const MAX_SHARE = 2;

/**
 * Whether a number is a share of one. Without a unit, the meaning of a percentage is unknown. A unit such as `fraction, or points where …`
 * makes only small numbers shares.
 */
function isShare(value: number, kind: Attribute['kind'], unit: string | undefined): unit is string {
  if (unit === undefined) return false;
  return kind === 'percentage' || (/^fraction.*, or points/.test(unit) && Math.abs(value) < MAX_SHARE);
}

/** Formats a number as games do: `1,038` for 1038.0798, `104.3` for 104.32, `2.5` for 2.5. @param digits at most, after the point of a number below 100 */
export function formatNumber(value: number, digits = 3): string {
  const size = Math.abs(value);
  return size >= 999.95
    ? wholeOf(value)
    : rounded(value, size >= 100 ? 1 : size >= 10 ? Math.min(digits, 2) : digits);
}

/** Rounds a large number, also several times as fast. */
function wholeOf(value: number): string {
  const size = String(Math.round(Math.abs(value)));
  const text =
    size.length < 7 ? `${size.slice(0, -3)},${size.slice(-3)}` : size.replace(/\B(?=(\d{3})+$)/g, ',');
  return value < 0 ? `-${text}` : text;
}

/** Rounds a number below 1,000 several times as fast as Intl does. */
function rounded(value: number, digits: number): string {
  if (Number.isInteger(value)) return String(value);
  const scale = 10 ** digits;
  // 590.15 is a little less as a double, and still becomes 590.2.
  const whole = Math.round(value * (1 + 2 * Number.EPSILON) * scale);
  // Integers become texts several times as fast as fractions.
  const isFast = digits === 1 && whole > 0 && whole % 10 > 0;
  return isFast ? `${Math.floor(whole / 10)}.${whole % 10}` : String(whole / scale);
}

/** Formats a fraction as a percentage: `9.6%` for 0.096. */
export function formatShare(fraction: number): string {
  const percent = fraction * 100;
  // 0.005% is not 0.01%, and 99.995% is not 100%.
  const isNearEnd = Math.abs(percent) < 0.1 || Math.abs(percent - 100) < 0.1;
  return `${Math.abs(percent) < 999.95 ? rounded(percent, isNearEnd ? 4 : 2) : wholeOf(percent)}%`;
}

/** Formats the change of a number: `−8%`; undefined if a percentage makes no sense, as from 0. */
export function formatChange(from: Json | undefined, to: Json | undefined): string | undefined {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0 || from === to) return undefined;
  return `${to > from ? '+' : ''}${formatNumber(((to - from) / Math.abs(from)) * 100, 1)}%`;
}

/** Formats a number with its noun: `1 build`, `2 builds`. */
export function countOf(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec'.split(' ');
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Formats the UTC day of a time: `4 May 2026`. A text that is not a time is returned unchanged. */
export function formatDay(time: string | number): string {
  // Intl takes many times as long.
  const date = new Date(time);
  const month = MONTHS[date.getUTCMonth()];
  return month === undefined ? String(time) : `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`;
}

/** The day of a build; empty if it is the build's name. */
export function dayBeside(build: string, released_at: string): string {
  return released_at.slice(0, 10) === build ? '' : formatDay(released_at);
}

/** Formats an ISO 8601 date, with its time if it has one. */
function formatDate(text: string): string {
  const hasTime = text.includes('T') && !/T00:00(:00(\.0+)?)?Z?$/.test(text);
  return hasTime && !Number.isNaN(Date.parse(text)) ? TIME.format(Date.parse(text)) : formatDay(text);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Formats a duration in at most its two largest units: `3 days`, `1 day 4 h`, `5 h`. */
export function formatSpan(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  if (days >= 2) return countOf(days, 'day');
  if (days === 1) return hours > 0 ? `1 day ${hours} h` : '1 day';
  return hours > 0 ? `${hours} h` : 'less than 1 h';
}

/**
 * Writes `main_skill_1` as `Main skill 1`; other texts stay. @param values `normal` becomes `Normal` only if all values are such words, which names
 * are not
 */
export function wordsOfValue(text: string, values?: readonly AttributeValue[]): string {
  const code = CAMEL.test(text) ? text.replace(/[A-Z]/g, '_$&').toLowerCase() : text;
  const isWord = (values && areWords(values)) || (code.includes('_') && CODE.test(code));
  return isWord && !isCode(code) ? wordsOf(code.toLowerCase()) : text;
}

/** An internal name of the game, such as `friendPoint`. */
const CAMEL = /^[a-z]{2,}([A-Z][a-z]+)+$/;
const WORDS = /^[a-z]+([ _][a-z0-9]+)*$/;
const CONSTANTS = /^[A-Z]+(_[A-Z0-9]+)*$/;

/** Whether values are words in lower case, or constants: capitals with `_` between words. */
const areWords = once((values: readonly AttributeValue[]) => {
  const all = (form: RegExp) => values.every(({ value }) => typeof value === 'string' && form.test(value));
  return all(WORDS) || (all(CONSTANTS) && values.some(({ value }) => String(value).includes('_')));
});

/** Returns the name of a record. Without one, the name of the only thing it refers to, such as whose outfit it is, otherwise its id in words. */
export function nameOfRecord(record: JsonObject): string {
  if (typeof record.name === 'string') return record.name;
  const named = Object.entries(record).filter(
    ([key, value]) => key.endsWith('_name') && typeof value === 'string',
  );
  if (named.length === 1) return String(named[0]?.[1]);
  const words = String(record.id ?? '').split(':');
  // The last word may be a rarity: `R`, `SR`.
  return words.map((each) => wordsOfValue(each).replace(/ s?r$/, (end) => end.toUpperCase())).join(' · ');
}

export { wordsOf };
