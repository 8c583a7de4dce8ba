import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Store } from '../../../gateway/store/sql.ts';
import { ROOT } from '../../support/paths.ts';

const SCHEMA = readFileSync(path.join(ROOT, 'gateway/store/schema.sql'), 'utf8');
const TABLES = [...SCHEMA.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)]
  .map(([, name = '']) => name)
  .sort();

/** All that a store holds, as JSON: what must not be in it is no part of this text. */
export async function contentOf(store: Store): Promise<string> {
  const content: Record<string, unknown> = {};
  for (const table of TABLES) content[table] = await store.all<object>(`SELECT * FROM ${table}`);
  return JSON.stringify(content);
}
