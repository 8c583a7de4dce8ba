import type { Finding } from '../findings/findings.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import type { BuildTables } from '../read/read-tables.ts';
import type { Table } from '../read/table.ts';

/** The tables whose rows a mapping uses, the one that counts first first. */
export interface TableNames {
  from: string;
  others: readonly string[];
}

/**
 * The rows that a mapping uses: those of one table, or of several by key. Of rows with the same key, that of the first table counts.
 *
 * @returns undefined if the build has none of the tables
 */
export function tableOfRows(
  { from, others }: TableNames,
  { tables }: Pick<BuildTables, 'tables'>,
): Table | undefined {
  if (others.length === 0) return tables.get(from);
  const present = [from, ...others].flatMap((name) => tables.get(name) ?? []);
  const [first, ...more] = present;
  if (first === undefined || more.length === 0) return first;
  const union = unions.get(first)?.find(({ of }) => areSame(of, present));
  if (union) return union.table;
  const table = unite([first, ...more]);
  unions.set(first, [...(unions.get(first) ?? []), { of: present, table }]);
  return table;
}

/** The findings about tables that cannot be united: the positions of the rows of a list are no keys. */
export function findUnkeyed(
  { from, others }: TableNames,
  { tables }: Pick<BuildTables, 'tables'>,
): Finding[] {
  if (others.length === 0) return [];
  return [from, ...others].flatMap((name): Finding[] => {
    const table = tables.get(name);
    if (table === undefined || isObject(table.value)) return [];
    return [
      {
        check: 'shape',
        severity: 'error',
        place: table.place,
        found: `a list, as the table "${name}", whose rows are united with those of others`,
        expected: 'an object of rows',
        fix: `declare the field that names a row in all regions: "${name}": {"files": …, "key": "id"}`,
      },
    ];
  });
}

/** The tables as a text of messages: `"jp_cards", "kr_cards"`. */
export function nameTables({ from, others }: TableNames): string {
  return [from, ...others].map((name) => `"${name}"`).join(', ');
}

/** United tables by their first one: several checks ask for the same. */
const unions = new WeakMap<Table, { of: readonly Table[]; table: Table }[]>();

function areSame(tables: readonly Table[], others: readonly Table[]): boolean {
  return tables.length === others.length && tables.every((table, index) => table === others[index]);
}

function unite(tables: readonly [Table, ...Table[]]): Table {
  const [first] = tables;
  const rows = new Map<string, { value: Json; table: Table }>();
  for (const table of tables) {
    if (!isObject(table.value)) continue;
    for (const [key, value] of Object.entries(table.value))
      if (!rows.has(key)) rows.set(key, { value, table });
  }
  return {
    name: tables.map(({ name }) => name).join(', '),
    value: Object.fromEntries([...rows].map(([key, { value }]) => [key, value])),
    place: first.place,
    placeOfRow: (key) => (rows.get(String(key))?.table ?? first).placeOfRow(key),
  };
}
