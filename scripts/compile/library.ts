import { decodeHTMLStrict } from 'entities';
import { quoteValue } from '../findings.ts';
import { errorOf } from '../system.ts';
import { findNearest } from '../text.ts';
import { jsonataMillis, type Parsed } from './jsonata.ts';

/** The error about an argument of the wrong type. */
function wrongArgument(name: string, expected: string, found: unknown): Error {
  return new Error(`${name} expects ${expected}, not ${quoteValue(found)}`);
}

/** Dumps use absent and null attributes for the same. */
function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

const DIGITS = /^-?\d+$/;

/** Converts a number, or a text of digits, as in CSV columns and for 64-bit integers. */
function toNumber(value: unknown, name: string, expected: string): number {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw wrongArgument(name, expected, value);
}

/** `$fromZero(count)`: converts a count that starts at zero to one that starts at one. */
function countFromOne(count: unknown): number | undefined {
  return isAbsent(count) ? undefined : toNumber(count, '$fromZero', 'a number') + 1;
}

/** `$isoSeconds(seconds)`: seconds since 1970-01-01T00:00:00Z as `2020-06-28T09:00:00.000Z`, like JSONata's `$fromMillis`. */
function readSeconds(seconds: unknown): string | undefined {
  return isAbsent(seconds) ? undefined : formatEpoch(seconds, 1000, '$isoSeconds', 'seconds since 1970');
}

/** `$isoMillis(millis)`: the same for ms. */
function readMillis(millis: unknown): string | undefined {
  return isAbsent(millis) ? undefined : formatEpoch(millis, 1, '$isoMillis', 'milliseconds since 1970');
}

/** The unit is never guessed: a small number of ms looks like seconds. */
function formatEpoch(value: unknown, scale: number, name: string, expected: string): string {
  const date = new Date(toNumber(value, name, expected) * scale);
  // Milliseconds read as seconds give a year of more than four digits.
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0) {
    throw wrongArgument(name, expected, value);
  }
  return date.toISOString();
}

const LOCAL = /^(\d{4})([/.-])(\d{1,2})\2(\d{1,2})(?:(?:T| +)(\d{1,2}):(\d\d)(?::(\d\d))?)?$/;
const OFFSET = /^(?:Z|([+-])(\d{1,2})(?::?([0-5]\d))?)$/;
const MAX_OFFSET_MINUTES = 14 * 60;

/**
 * `$isoLocal(time, offset)`: a local time `YYYY/MM/DD H:MM:SS` as ISO 8601 in UTC. `-` and `.` are accepted instead of `/`; the seconds, or the whole
 * time of day, may be missing.
 *
 * @param offset of the local time from UTC: `+09:00`, `-5`, `Z`. Required, because dumps do not contain the server's zone.
 */
function readLocalTime(time: unknown, offset: unknown): string | undefined {
  if (isAbsent(time)) return undefined;
  const minutes = readOffset(offset);
  const parts = typeof time === 'string' ? LOCAL.exec(time) : null;
  if (!parts) throw notLocal(time);
  const [year = 0, , month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  // Date would accept a 31st of April and a 61st minute.
  const isDay = local.getUTCMonth() + 1 === month && local.getUTCDate() === day;
  if (!isDay || hour > 23 || minute > 59 || second > 59) throw notLocal(time);
  const millis = local.setUTCHours(hour, minute - minutes, second);
  return formatEpoch(millis, 1, '$isoLocal', 'a time in the years 0 to 9999 of UTC');
}

function readOffset(offset: unknown): number {
  const parts = typeof offset === 'string' ? OFFSET.exec(offset) : null;
  const minutes = Number(parts?.[2] ?? 0) * 60 + Number(parts?.[3] ?? 0);
  if (!parts || minutes > MAX_OFFSET_MINUTES) {
    throw wrongArgument('$isoLocal', 'an offset from UTC, for example "+09:00"', offset);
  }
  return parts[1] === '-' ? -minutes : minutes;
}

function notLocal(time: unknown): Error {
  return wrongArgument('$isoLocal', 'a time, for example "2024/02/29 5:00:00"', time);
}

/**
 * A tag in a game text: `<color=#fff>` and `<#ff00ff>` (Unity), `<@ba.kw>…</>` (styles), `<Rich id="x">…</>` (Unreal), `<c4>…</c>`
 * (Supercell). Texts also write titles in angle brackets (`<Scrap>`): a word alone is a tag only if it is a known one, or has its end tag.
 */
const TAG = /<(\/?)([@$][^<> =/]*|#[\w.]+|[A-Za-z\d_][\w.:-]*|)((?:[ =/][^<>]*)?)>/g;
const KNOWN_TAG = /^(?:[@$#]|(?:b|i|u|s|em|strong|sub|sup|nobr)$)/;
const LINE_BREAK = /<br ?\/?>/g;

/** One of several wordings, such as for the sex of the player's character: `{F#she}{M#he}`. */
const WORDING = /\{([A-Za-z]+)#([^{}]*)\}/g;

/**
 * `$strip(text, wording)`: a text without its markup. `<br>` becomes a line break. Of several wordings (`{F#she}{M#he}`), the one named `wording`
 * stays; without that argument all stay, because only the mapping can choose. Other braces are placeholders for values (`{atk:0%}`) and stay.
 */
export function stripMarkup(text: unknown, wording?: unknown): string | undefined {
  if (isAbsent(text)) return undefined;
  if (typeof text !== 'string') throw wrongArgument('$strip', 'a text', text);
  if (!isAbsent(wording) && typeof wording !== 'string')
    throw wrongArgument('$strip', 'the name of a wording, for example "F"', wording);
  return removeTags(chooseWording(text, wording).replace(LINE_BREAK, '\n'));
}

interface Tag {
  isTag: boolean;
  isClosed: boolean;
}

function removeTags(text: string): string {
  if (!text.includes('<')) return text;
  const tags = new Map<number, Tag>();
  // The open tags by name, and those that `</>` closes: rather a style than a title inside it.
  const open = new Map<string, Tag[]>();
  const close = (name: string): Tag | undefined => {
    const named = open.get(name) ?? [];
    for (let tag = named.pop(); tag; tag = named.pop()) if (!tag.isClosed) return tag;
    return undefined;
  };
  for (const { index, 0: whole, 1: end, 2: name = '', 3: more = '' } of text.matchAll(TAG)) {
    if (end) {
      const tag = name === '' ? (close('</>') ?? close('<>')) : close(name);
      tags.set(index, { isTag: true, isClosed: true });
      if (tag) Object.assign(tag, { isTag: true, isClosed: true });
    } else if (name !== '') {
      const isKnown = KNOWN_TAG.test(name) && !(more && name.startsWith('#'));
      const isTag = isKnown || more.includes('=') || whole.endsWith('/>');
      const tag = { isTag, isClosed: false };
      tags.set(index, tag);
      for (const by of [/^c[\da-f]+$/i.test(name) ? 'c' : name, isTag ? '</>' : '<>'])
        if (!open.get(by)?.push(tag)) open.set(by, [tag]);
    }
  }
  return text.replace(TAG, (...match) => (tags.get(match[4])?.isTag ? '' : match[0]));
}

function chooseWording(text: string, wording: unknown): string {
  if (isAbsent(wording)) return text;
  return text.replace(WORDING, (_, name: string, words: string) => (name === wording ? words : ''));
}

/**
 * `$unescape(text)`: a text with its HTML character references decoded: `&amp;`, `&eacute;`, `&#39;`, `&#x1F600;`. Anything else that begins with `&`
 * stays.
 */
function unescapeHtml(text: unknown): string | undefined {
  if (isAbsent(text)) return undefined;
  if (typeof text !== 'string') throw wrongArgument('$unescape', 'a text', text);
  return decodeHTMLStrict(text);
}

/**
 * The functions that every expression may call besides JSONata's own, by name without `$`. Each is pure. An absent argument and null have
 * the same result, because dumps use both: undefined, or the fallback of `text`. An argument of the wrong type throws an Error.
 */
export const LIBRARY: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  first: firstOf,
  last: lastOf,
  get: (table, key) => lookUpOwn(table, key, '$get'),
  text: lookUpText,
  fromZero: countFromOne,
  isoSeconds: readSeconds,
  isoMillis: readMillis,
  isoLocal: readLocalTime,
  strip: stripMarkup,
  unescape: unescapeHtml,
};

/** `$first(list)`: the first element of a list. Any other value counts as a list of one element, as in all of JSONata. */
function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : (list ?? undefined);
}

/** `$last(list)`: the last element of a list. */
function lastOf(list: unknown): unknown {
  return Array.isArray(list) ? list.at(-1) : (list ?? undefined);
}

/** `$text(texts, key, fallback)`: the text with a key in a table of texts; the fallback if the text is absent or empty, or the key is absent. */
function lookUpText(texts: unknown, key: unknown, fallback: unknown): unknown {
  const text = lookUpOwn(texts, key, '$text');
  if (isAbsent(text) || text === '') return fallback ?? undefined;
  if (typeof text !== 'string') throw wrongArgument('$text', 'a table of texts', text);
  return text;
}

/**
 * `$get(table, key)`: the attribute of an object, or the element of a list, with this key, which may be a number. Only own properties are found, also
 * for keys such as `constructor`, `__proto__` and `length`.
 *
 * @param name of the function, for errors
 */
function lookUpOwn(table: unknown, key: unknown, name: string): unknown {
  if (isAbsent(table) || isAbsent(key)) return undefined;
  if (typeof table !== 'object') throw wrongArgument(name, 'an object or a list', table);
  if (typeof key !== 'string' && typeof key !== 'number') {
    throw wrongArgument(name, 'a text or a number as the key', key);
  }
  if (Array.isArray(table) && !Number.isInteger(Number(key))) return undefined;
  return Object.hasOwn(table, key) ? Reflect.get(table, key) : undefined;
}

/** The functions of JSONata that return another result every time. */
export const CHANGING: readonly string[] = ['now', 'millis', 'random', 'shuffle'];

/** Replaces JSONata's function of the same name, which depends on the time or the machine if the text or the picture is not whole. */
function toMillis(time: string | undefined, picture: string | undefined): unknown {
  requireWholeTime(time, picture);
  try {
    return jsonataMillis(time, picture);
  } catch (error) {
    // Without its position, which is one in the engine's own expression.
    throw new Error(errorOf(error).message);
  }
}

/** @throws if the time depends on today's date or the machine's time zone */
function requireWholeTime(time: string | undefined, picture: string | undefined): void {
  if (picture !== undefined && !namesYear(picture))
    refuse('$toMillis', `uses today's date for the year or day that "${picture}" does not contain`);
  if (time !== undefined && picture === undefined && WITHOUT_ZONE.test(time))
    refuse('$toMillis', `reads "${time}", which has no time zone, as a time in the zone of the machine`);
}

/** ECMA-262, Date.parse: "when the UTC offset representation is absent, […] date-time forms are interpreted as a local time". */
const WITHOUT_ZONE = /T[\d:.]+$/;

/** Whether a picture contains the year: then JSONata sets missing parts to zero. `[[` is an escaped bracket (XPath, 9.8.4.1). */
function namesYear(picture: string): boolean {
  const markers = picture.matchAll(/\[\[|\[([^\]]*)\]/g);
  return [...markers].some(([, marker]) => marker?.trimStart().startsWith('Y'));
}

function refuse(name: string, why: string): never {
  throw new Error(`${name} ${why}, but a build must be the same at any time and on any machine`);
}

/** Adds the library to a parsed expression, and replaces the functions that depend on the time. */
export function addFunctions(parsed: Parsed): Parsed {
  for (const [name, implementation] of Object.entries(LIBRARY)) parsed.registerFunction(name, implementation);
  for (const name of CHANGING)
    parsed.registerFunction(name, () => refuse(`$${name}`, 'returns another result every time'));
  parsed.registerFunction('toMillis', toMillis, '<s-s?:n>');
  return parsed;
}

/** JSONata's own functions. The package has no list of them. */
const JSONATA = `
  abs append assert average base64decode base64encode boolean ceil contains count decodeUrl
  decodeUrlComponent distinct each encodeUrl encodeUrlComponent error eval exists filter floor formatBase
  formatInteger formatNumber fromMillis join keys length lookup lowercase map match max merge min not
  number pad parseInteger power reduce replace reverse round sift single sort split spread sqrt string
  substring substringAfter substringBefore sum toMillis trim type uppercase zip`
  .trim()
  .split(/\s+/);

/** The functions that an expression may call, without `$`. */
export const FUNCTIONS: readonly string[] = [...Object.keys(LIBRARY), ...JSONATA];

/**
 * The message for a call of a name that is not a function, with the function that was probably meant.
 *
 * @param helpers the functions that the game defines
 */
export function suggestFunction(name: string, helpers: Iterable<string> = []): string {
  const nearest = findNearest(name, [...helpers, ...FUNCTIONS]);
  const isOther = nearest !== undefined && nearest !== name;
  return `$${name} is not a function${isOther ? `; did you mean $${nearest}?` : ''}`;
}
