import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../../../scripts/format/dist-format.ts';

/** Reads the entries that a program serves: its first argument is their file. */
export async function readRecords(): Promise<JsonObject[]> {
  return JSON.parse(await readFile(process.argv[2] as string, 'utf8')) as JsonObject[];
}

/** The members before the entries, as the gateway sends them. */
export function describePage(
  game: string,
  query: Record<string, unknown>,
  found: { total: number; count: number },
) {
  const { total, count } = found;
  const { sort = 'id', limit = '100', offset = '0' } = query;
  return { game, build: '1', total, count, limit: Number(limit), offset: Number(offset), sort };
}

/** Selects entries in the usual way: objects that are filtered and sorted for each request. */
export function selectRecords(records: readonly JsonObject[], game: string, query: Record<string, string>) {
  const { sort = 'id', limit = '100', ...filters } = query;
  const tests = Object.entries(filters).map(([name, value]) =>
    name.endsWith('[gte]')
      ? (record: JsonObject) => Number(read(record, name.slice(0, -5))) >= Number(value)
      : (record: JsonObject) => String(read(record, name)) === value,
  );
  const key = sort.replace(/^-/, '');
  const sign = sort.startsWith('-') ? -1 : 1;
  const found = records.filter((record) => tests.every((test) => test(record)));
  found.sort((a, b) => sign * (Number(read(a, key)) - Number(read(b, key))));
  const characters = found.slice(0, Number(limit));
  return { ...describePage(game, query, { total: found.length, count: characters.length }), characters };
}

function read(record: JsonObject, key: string): unknown {
  return key.startsWith('stats.') ? (record.stats as JsonObject)[key.slice(6)] : record[key];
}
