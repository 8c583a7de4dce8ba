import { pointerTo } from '../lib/json-pointer.ts';
import type { CheckName } from './check-names.ts';
import type { ReadOptions } from './read-options.ts';

/** Something a data maintainer should know about the data: what was found, where, and what was expected instead. */
export interface Finding {
  /** The stable name of the check that found it. */
  check: CheckName;
  severity: 'error' | 'warning';
  place: Place;
  found: string;
  expected: string;
  /** What to do, where that is not plain from `expected`. */
  fix?: string;
  /** How many more the check found in the file than are told; they count too. */
  more?: number;
}

/**
 * A place in a maintainer's file. `pointer` is a JSON Pointer (RFC 6901) into it, in CSV files and JSON Lines `/<row from 0>/<column>`.
 * `line` is 1-based; absent until `locateFindings` fills it in, for which `reading` has the options that the file's table declares.
 */
export interface Place {
  file: string;
  pointer: string;
  line?: number;
  reading?: ReadOptions;
}

/** A stage's outcome: what it made, as far as it could, and everything it found on the way. */
export interface Outcome<T> {
  value: T;
  findings: Finding[];
}

/** Adds findings to others. A table can give more of them than a call of `push` takes arguments. */
export function addFindings(findings: Finding[], ...more: Finding[][]): void {
  for (const list of more) for (const finding of list) findings.push(finding);
}

/** Whether one of them is an error. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** The place one or more steps below another. */
export function placeBelow(place: Place, ...steps: (string | number)[]): Place {
  return { ...place, pointer: pointerTo(place.pointer, ...steps) };
}

const LONGEST_QUOTE = 60;

/** A value as a finding quotes it: JSON, cut short, with its type where the JSON alone could mislead. */
export function quoteValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  const short = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  return typeof value === 'string'
    ? `the text ${short}`
    : `${value === null ? '' : `the ${typeof value} `}${short}`;
}
