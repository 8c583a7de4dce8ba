import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import type { FoundTable } from '../dump/find-tables.ts';
import type { Rows } from '../dump/table-shape.ts';
import { isStatName } from './choose-columns.ts';
import { quoteName, snakeCase, wordsOf } from './column.ts';

/** A stat, and the JSONata expression of its value in a row. */
export interface Stat {
  name: string;
  expression: string;
}

const MAX_STATS = 12;
/** The depth to which a row is searched. */
const MAX_DEPTH = 5;
/** Rows are searched up to this number: they have the same form. */
const SAMPLE = 40;
/** The share of the rows that must have a stat. */
const MIN_SHARE = 0.6;

/**
 * Finds the stats inside the rows of a table, at the highest level that they have: in the last element of a list, in the last part of an
 * object that is keyed by numbers, or by the codes of another table.
 *
 * @param at the expression of a row; `''` for the row that an expression is evaluated on
 */
export function findStatsInside(rows: Rows, tables: readonly FoundTable[], at = ''): Stat[] {
  const sample = [...rows.values()].slice(0, SAMPLE);
  const counts = new Map<string, { stat: Stat; rows: number }>();
  for (const row of sample) {
    for (const stat of new Map(
      statsInObject(row, at, 0, tables).map((stat) => [stat.expression, stat]),
    ).values()) {
      const entry = counts.get(stat.expression) ?? { stat, rows: 0 };
      entry.rows++;
      counts.set(stat.expression, entry);
    }
  }
  const statsOfMost = [...counts.values()].filter((count) => count.rows >= sample.length * MIN_SHARE);
  const unique = new Map<string, Stat>();
  for (const { stat } of statsOfMost) if (!unique.has(stat.name)) unique.set(stat.name, stat);
  return [...unique.values()].slice(0, MAX_STATS);
}

function statsIn(row: JsonObject, at: string, depth: number, tables: readonly FoundTable[]): Stat[] {
  if (depth > MAX_DEPTH) return [];
  return Object.entries(row).flatMap(([name, value]): Stat[] => {
    if (name === '' || /[`\\\p{Cc}]/u.test(name)) return [];
    const below = stepTo(at, name);
    if (typeof value === 'number')
      return isStatName([name]) ? [{ name: snakeCase(name), expression: below }] : [];
    if (Array.isArray(value)) return statsInList(value, below, depth, tables);
    return isObject(value) ? statsInObject(value, below, depth, tables) : [];
  });
}

function statsInList(list: Json[], at: string, depth: number, tables: readonly FoundTable[]): Stat[] {
  const rows = list.filter(isObject);
  const last = rows.at(-1);
  if (last === undefined || rows.length < list.length) return [];
  const typed = statsByType(rows, at);
  return typed.length > 0 ? typed : statsIn(last, `${at}[-1]`, depth + 1, tables);
}

/** The stats of a list whose rows say by a text which stat they are of, such as `{"type": "param1", "level": 2, "power": 9}`. */
function statsByType(rows: readonly JsonObject[], at: string): Stat[] {
  const [first = {}] = rows;
  for (const [type, value] of Object.entries(first)) {
    const types = [...new Set(rows.map((row) => row[type]))];
    if (typeof value !== 'string' || types.length < 2 || types.length > 8 || types.length === rows.length)
      continue;
    const stat = Object.entries(first).find(
      ([name, of]) => typeof of === 'number' && isStatName([name]),
    )?.[0];
    if (stat === undefined) continue;
    return types.map((of) => ({
      name: snakeCase(String(of)),
      expression: `$max(${at}[${quoteName(type)} = ${JSON.stringify(of).replaceAll('"', "'")}].${quoteName(stat)})`,
    }));
  }
  return [];
}

function statsInObject(value: JsonObject, at: string, depth: number, tables: readonly FoundTable[]): Stat[] {
  const keys = Object.keys(value);
  if (keys.length === 0 || !keys.every((key) => /^\d+$/.test(key)))
    return statsIn(value, at, depth + 1, tables);
  const last = keys.sort((a, b) => Number(a) - Number(b)).at(-1) ?? '';
  const inside = value[last];
  if (isObject(inside)) return statsIn(inside, stepTo(at, last), depth + 1, tables);
  return statsByCode(value, at, tables);
}

function stepTo(at: string, name: string): string {
  return at === '' ? quoteName(name) : `${at}.${quoteName(name)}`;
}

/** The stats of an object of numbers by code, whose names are in another table. */
function statsByCode(value: JsonObject, at: string, tables: readonly FoundTable[]): Stat[] {
  const codes = Object.keys(value).filter((code) => typeof value[code] === 'number');
  for (const { shape } of tables) {
    if (shape.kind !== 'keyed' || !codes.every((code) => shape.rows.has(code))) continue;
    const stats = codes.flatMap((code): Stat[] => {
      const row = shape.rows.get(code) ?? {};
      const name = Object.entries(row).find(
        ([field, text]) => wordsOf(field).at(-1) === 'name' && typeof text === 'string',
      )?.[1];
      if (typeof name !== 'string' || !isStatName([name])) return [];
      return [{ name: snakeCase(name), expression: stepTo(at, code) }];
    });
    if (stats.length > 0) return stats;
  }
  return [];
}
