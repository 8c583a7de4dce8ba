import { type Finding, type Place, placeBelow, quoteValue } from '../findings/findings.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import { pointerSteps } from '../lib/json-pointer.ts';
import { suggestFix } from '../lib/nearest.ts';
import type { TableDefinition } from './game/table-definition.ts';
import type { Table } from './table.ts';

/** Joins the parts of a key of several fields: `100101:5`. */
const KEY_SEPARATOR = ':';

/**
 * Keys a table: returns an object with its rows by the values of one or more fields, so that a join is a look-up. A row without the key is
 * left out with a finding, or without one if `skipKeyless` is set. So is a second row with the same key, unless `many` is set: then each key has a list of rows. Of a row that is a
 * list, as a file with a list is, the elements are the rows.
 *
 * @param fields names of fields, or JSON Pointers into a row if they begin with `/`
 */
export function keyTable(
  table: Table,
  fields: string[],
  { many, skipKeyless }: Pick<TableDefinition, 'many' | 'skipKeyless'>,
  findings: Finding[],
): Table {
  const rows = new Map<string, { values: Json[]; place: () => Place }>();
  const add = (place: Place, found: string, expected: string) =>
    findings.push({ check: 'table-key', severity: 'error', place, found, expected });
  if (!isObject(table.value) && !Array.isArray(table.value)) {
    add(table.place, quoteValue(table.value), 'a list or an object of rows');
    return table;
  }
  const addRow = (value: Json, place: () => Place) => {
    const parts = fields.map((field) => fieldOf(value, field));
    const bad = parts.findIndex((part) => !isKeyPart(part, fields.length > 1));
    const key = parts.join(KEY_SEPARATOR);
    const twin = rows.get(key);
    if (skipKeyless && parts.some((part) => part === undefined || part === null || part === '')) return;
    if (bad !== -1) {
      const expected = `a number or a text${fields.length > 1 ? ` without "${KEY_SEPARATOR}"` : ''}, because it is part of the key of table "${table.name}"`;
      const { fix } = suggestFix(fields[bad] ?? '', isObject(value) ? Object.keys(value) : []);
      const hint = parts[bad] === undefined && fix ? `; ${fix}` : '';
      add(place(), `${quoteValue(parts[bad])} as "${fields[bad]}"${hint}`, expected);
    } else if (twin && many) twin.values.push(value);
    else if (twin) {
      const { file, pointer } = twin.place();
      const found = `a second row with the key "${key}"; the first is ${file} ${pointer}`;
      add(place(), found, `distinct ${fields.join(', ')}`);
    } else rows.set(key, { values: [value], place });
  };
  for (const [from, value] of Object.entries(table.value)) {
    const place = () => table.placeOfRow(from);
    if (!Array.isArray(value)) addRow(value, place);
    else for (const [index, row] of value.entries()) addRow(row, () => placeBelow(place(), index));
  }
  return {
    ...table,
    value: Object.fromEntries(
      [...rows].map(([key, { values }]) => [key, many ? values : (values[0] ?? null)]),
    ),
    placeOfRow: (key) => rows.get(String(key))?.place() ?? table.placeOfRow(key),
  };
}

function fieldOf(row: Json, field: string): Json | undefined {
  let at: Json | undefined = row;
  for (const step of field.startsWith('/') ? pointerSteps(field) : [field]) {
    at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

/** In a key of several fields, a part must not contain the separator: two different keys could become equal. */
function isKeyPart(part: Json | undefined, several: boolean): boolean {
  if (typeof part === 'number') return Number.isFinite(part);
  return typeof part === 'string' && part !== '' && !(several && part.includes(KEY_SEPARATOR));
}
