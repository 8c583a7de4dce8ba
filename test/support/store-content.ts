import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listPage } from '../../gateway/store/records.ts';
import type { Store } from '../../gateway/store/sql.ts';
import { ROOT } from './paths.ts';

const TABLES = [
  ...readFileSync(path.join(ROOT, 'gateway/store/schema.sql'), 'utf8').matchAll(
    /CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g,
  ),
]
  .map(([, name = '']) => name)
  .sort();

/** All that a store holds, as JSON: what must not be in it is no part of this text. */
export async function contentOf(store: Store): Promise<string> {
  const content: Record<string, unknown> = {};
  for (const table of TABLES)
    content[table] = (await store.all<object>(`SELECT * FROM ${table}`)).map((row) =>
      'name' in row && table === 'records'
        ? { ...row, name: Buffer.from(String(row.name), 'hex').toString() }
        : row,
    );
  return JSON.stringify(content);
}

/** Lists the records whose names begin with a prefix, with their values as JSON. */
export async function recordsIn(store: Store, prefix: string): Promise<[name: string, text: string][]> {
  const records = await listPage(store, { prefix }, { after: '', limit: 10_000 });
  return records.map(([id, value]) => [prefix + id, JSON.stringify(value)]);
}
