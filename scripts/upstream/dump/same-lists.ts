import path from 'node:path';
import { isObject, type Json } from '../../format/dist-format.ts';
import { stemOf } from '../../read/formats/formats.ts';
import { shapeOf } from './table-shape.ts';

/** Files of one folder whose lists have rows of the same shape. */
export interface SameLists {
  pattern: string;
  files: string[];
  /** The field that is different in all rows. */
  key: string;
}

const MIN_FILES = 2;
const MAX_ROWS_SEEN = 20;
/** The share of all fields that every file must have. */
const MIN_SHARE = 0.5;

/**
 * Finds the files of a folder that are parts of one table: lists whose rows have the same fields. Either all files are, or those whose names
 * differ in numbers.
 *
 * @param pattern matches all of the files
 * @param isApart whether a stem has a meaning, such as a language
 */
export function findSameLists(
  pattern: string,
  files: readonly string[],
  values: ReadonlyMap<string, Json>,
  isApart: (stem: string) => boolean,
): SameLists[] {
  if (files.length < MIN_FILES) return [];
  const lists = files.filter((file) => isListOfRows(values.get(file)));
  if (lists.length === files.length && files.length > MIN_FILES && areSame(lists, values))
    return lists.some((file) => isApart(stemOf(file))) ? [] : withKey(pattern, lists, values);
  const groups = new Map<string, string[]>();
  for (const file of lists) {
    const numbered = numberless(file);
    if (numbered !== undefined) groups.set(numbered, [...(groups.get(numbered) ?? []), file]);
  }
  return [...groups].flatMap(([each, of]) => {
    const others = files.filter((file) => !of.includes(file) && matchesStem(each, file));
    return of.length >= MIN_FILES && others.length === 0 && areSame(of, values)
      ? withKey(each, of, values)
      : [];
  });
}

/** Only with a key are the rows of several files one table. */
function withKey(pattern: string, files: string[], values: ReadonlyMap<string, Json>): SameLists[] {
  const rows = files.flatMap((file) => values.get(file) as Json[]).filter(isObject);
  const [first = {}] = rows;
  const isKey = (field: string) => {
    const seen = rows.map((row) => row[field]);
    const able = seen.every(
      (value) => (typeof value === 'string' && value !== '') || Number.isInteger(value),
    );
    return able && new Set(seen.map(String)).size === rows.length;
  };
  const fields = Object.keys(first).filter(
    (field) => /(^|[^a-z])(id|key|tag|code|name|uid)$/i.test(field) || /[a-z](Id|ID|Key)$/.test(field),
  );
  const key = fields.find(isKey);
  return key === undefined ? [] : [{ pattern, files, key }];
}

/** Whether files are of one kind, so that many of them are no tables of their own: objects with the same fields. */
export function areAlike(files: readonly string[], values: ReadonlyMap<string, Json>): boolean {
  const sample = files.slice(0, MAX_ROWS_SEEN).map((file) => values.get(file));
  const sets = sample.map((value) => new Set(fieldsIn(value)));
  const all = new Set(sets.flatMap((set) => [...set]));
  const shared = [...all].filter((field) => sets.filter((set) => set.has(field)).length >= sets.length * 0.8);
  return shared.length > 0 && shared.length >= all.size * MIN_SHARE;
}

function fieldsIn(value: Json | undefined): string[] {
  const [only, ...others] = value !== undefined && isObject(value) ? Object.values(value) : [];
  const inside = others.length === 0 && Array.isArray(only) ? only : value;
  const row = Array.isArray(inside) ? inside.find(isObject) : inside;
  return row !== undefined && isObject(row) ? Object.keys(row) : [];
}

/** The pattern for a file whose stem ends in a number, such as `servants.*.json`; undefined for others. */
function numberless(file: string): string | undefined {
  const stem = stemOf(file);
  const extension = path.posix.basename(file).slice(stem.length);
  const start = /^(.*\D[._-]|.*[._-])\d+$/.exec(stem)?.[1];
  if (start === undefined || /[*?[\](){}!+@]/.test(start)) return undefined;
  return path.posix.join(path.posix.dirname(file), `${start}*${extension}`);
}

function matchesStem(pattern: string, file: string): boolean {
  const [start = '', end = ''] = pattern.split('*');
  return file.startsWith(start) && file.endsWith(end);
}

function isListOfRows(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && (value.length === 0 || shapeOf(value).kind === 'list');
}

function areSame(files: readonly string[], values: ReadonlyMap<string, Json>): boolean {
  const sets = files.flatMap((file) => {
    const rows = (values.get(file) as Json[]).slice(0, MAX_ROWS_SEEN).filter(isObject);
    return rows.length === 0 ? [] : [new Set(rows.flatMap((row) => Object.keys(row)))];
  });
  if (sets.length < MIN_FILES) return false;
  const all = new Set(sets.flatMap((set) => [...set]));
  const shared = [...all].filter((field) => sets.every((set) => set.has(field)));
  return shared.length > 1 && shared.length >= all.size * MIN_SHARE;
}
