import { pointerTo } from '../lib/json-pointer.ts';
import type { CheckName } from './check-names.ts';
import type { ReadOptions } from './read-options.ts';

/** A problem in the data: what was found, where, and what was expected. */
export interface Finding {
  /** The stable name of the check that found it. */
  check: CheckName;
  severity: 'error' | 'warning';
  place: Place;
  found: string;
  expected: string;
  /** What to do, when `expected` does not make it obvious. */
  fix?: string;
  /** The records that have other ids, by list: the old id and the new one, as "renamed" in the build.json of `build`. */
  renamed?: Record<string, Record<string, string>>;
  /** The build that it is about, if a gate or a check of content found it. */
  build?: string;
  /** The list or the attribute in it that it is about, as an override names it: `characters.stats.atk`. */
  of?: string;
  /** In how much of a list something changed, of a finding about that. */
  changed?: ChangedShare;
  /** The dataset that it is about, if the build can do with that of the build before (`carried`). */
  dataset?: string;
  /** How many findings of the same check and file, or of the same cause, are not listed; they count too. */
  more?: number;
  /** The tables that the expression reads which failed: a fault of theirs may be the reason. */
  tables?: readonly string[];
  /** Names what is wrong, if that causes a finding in each of many rows: only the first of them is listed. */
  cause?: string;
}

/** In how many records or values of a list something changed: `count` of `all`, those of the first of the attributes. */
export interface ChangedShare {
  /** The dotted keys of the attributes. */
  attributes: readonly string[];
  count: number;
  all: number;
  /** The factor by which numbers are multiplied. */
  factor?: number;
  /** The one value that all of these have now. */
  value?: string | number | boolean;
}

/**
 * A place in a file. `pointer` is a JSON Pointer (RFC 6901); in CSV and JSON Lines files it is `/<row from 0>/<column>`. `line` is 1-based,
 * and absent until `locateFindings` sets it. For that, `reading` has the options of the file's table.
 */
export interface Place {
  file: string;
  pointer: string;
  line?: number;
  reading?: ReadOptions;
}

/** The outcome of a stage: its result, as complete as possible, and its findings. */
export interface Outcome<T> {
  value: T;
  findings: Finding[];
}

/** Adds findings to a list. A table can have more findings than `push` accepts as arguments. */
export function addFindings(findings: Finding[], ...more: Finding[][]): void {
  for (const list of more) for (const finding of list) findings.push(finding);
}

/** Returns whether one of the findings is an error. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** Returns the place one or more steps below another. */
export function placeBelow(place: Place, ...steps: (string | number)[]): Place {
  return { ...place, pointer: pointerTo(place.pointer, ...steps) };
}

/** Makes the name of a cause from a message: without what differs from row to row. */
export function causeOf(...messages: string[]): string {
  return messages.join(' ').replace(/"[^"]*"|\d+/g, '…');
}

const MAX_QUOTED_CHARACTERS = 60;

/** Renders a value for a finding: shortened JSON, with its type when the JSON alone could mislead. */
export function quoteValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  const short = text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text;
  return typeof value === 'string'
    ? `the text ${short}`
    : `${value === null ? '' : `the ${typeof value} `}${short}`;
}
