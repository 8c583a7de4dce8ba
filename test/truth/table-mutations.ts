import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import { type FileMutation, sample, shuffle, type TableMutation } from './mutation.ts';
import { type RawRow, type RawTable, read, removeRows, replace } from './raw-tables.ts';

type Random = () => number;

const isFolder = ({ definition }: RawTable) => definition.files.includes('*');

/** Removes a share of the rows; rows that are files are not removed here. */
function lose(table: RawTable, share: number, random: Random): boolean {
  if (isFolder(table) || table.rows.length < 10) return false;
  removeRows(sample(table.rows, share, random));
  return true;
}

/** Gives rows the contents of others, under their own keys and ids. */
function exchange(table: RawTable, contents: readonly Json[]): boolean {
  const ids = table.rows.map((row) => identityOf(row));
  for (const [at, row] of table.rows.entries()) {
    const content = contents[at];
    replace(row, isObject(content) ? { ...content, ...ids[at] } : (content as Json));
  }
  return true;
}

/** The attributes that make the key of a row. */
function identityOf(row: RawRow): JsonObject {
  const value = read(row);
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => /^(?:id|.*_id|.*Id|.*ID)$/.test(name)));
}

/** Changes the keys of an object of rows, or the ids of a list of them. */
function renumber(table: RawTable, change: (id: string) => string | number): boolean {
  if (isFolder(table)) return changeIds(table, change);
  const [first] = table.rows;
  if (first === undefined) return false;
  if (Array.isArray(first.holder)) return changeIds(table, change);
  const entries = table.rows.map((row) => [String(change(row.key)), read(row)] as const);
  removeRows(table.rows);
  Object.assign(first.holder, Object.fromEntries(entries));
  return changeIds(table, change) || true;
}

function changeIds(table: RawTable, change: (id: string) => string | number): boolean {
  const keys = table.definition.key ?? ['id'];
  let changed = false;
  for (const row of table.rows) {
    const value = read(row);
    for (const key of keys.slice(0, 1)) {
      if (!isObject(value) || value[key] === undefined) continue;
      const id = value[key];
      const next = change(String(id));
      value[key] = typeof id === 'number' ? Number(next) : String(next);
      changed = true;
    }
  }
  return changed;
}

/** The next number after those of an id: `1001` gives `701001`, `hutao` gives `hutao9`. */
function another(id: string): string {
  return /^\d+$/.test(id) ? `7${id}` : `${id}9`;
}

const all = { records: 8, first: false } as const;

/** Mutations of rows. */
export const TABLE_MUTATIONS: readonly TableMutation[] = [
  {
    name: 'a tenth of the joined rows lost',
    of: 'joined',
    ...all,
    records: 3,
    apply: (table, random) => lose(table, 0.1, random),
  },
  {
    name: 'half of the joined rows lost',
    of: 'joined',
    ...all,
    first: true,
    apply: (table, random) => lose(table, 0.5, random),
  },
  {
    name: 'all joined rows lost',
    of: 'joined',
    ...all,
    first: true,
    apply: (table, random) => lose(table, 1, random),
  },
  {
    name: 'joined rows under wrong keys',
    of: 'joined',
    ...all,
    first: true,
    apply: (table) => renumber(table, another),
  },
  {
    name: 'joined to the next row',
    of: 'joined',
    ...all,
    apply: (table) => exchange(table, rotate(table.rows.map(read))),
  },
  {
    name: 'joined rows shuffled',
    of: 'joined',
    ...all,
    apply: (table, random) => exchange(table, shuffle(table.rows.map(read), random)),
  },
  {
    name: 'a tenth of the roster lost',
    of: 'roster',
    ...all,
    records: 3,
    apply: (table, random) => lose(table, 0.1, random),
  },
  {
    name: 'half of the roster lost',
    of: 'roster',
    ...all,
    apply: (table, random) => lose(table, 0.5, random),
  },
  {
    name: 'all of the roster lost',
    of: 'roster',
    ...all,
    first: true,
    apply: (table, random) => lose(table, 1, random),
  },
  { name: 'other ids', of: 'roster', ...all, apply: (table) => renumber(table, another) },
  {
    name: 'ids of other records',
    of: 'roster',
    ...all,
    apply: (table) => exchange(table, rotate(table.rows.map(read))),
  },
];

function rotate(values: readonly Json[]): Json[] {
  return [...values.slice(1), values[0] as Json];
}

/** Mutations of whole files. */
export const FILE_MUTATIONS: readonly FileMutation[] = [
  { name: 'file cut off', of: 'file', ...all, first: true, edit: (text) => text.slice(0, text.length / 2) },
  { name: 'file empty', of: 'file', ...all, first: true, edit: () => '' },
  { name: 'file missing', of: 'file', ...all, first: true, onlyFirst: true, edit: () => undefined },
];
