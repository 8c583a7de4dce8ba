import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import polka from 'polka';
import type { JsonObject } from '../../../../scripts/format/dist-format.ts';
import { announce } from './announce.ts';

// The usual way to write a roster: polka, with entries as objects that are filtered, sorted and serialised for each request.
const records = JSON.parse(await readFile(process.argv[2] as string, 'utf8')) as JsonObject[];
const app = polka();
app.get('/api/:game/characters', (request, response) => {
  const query = request.query as Record<string, string>;
  const body = JSON.stringify(selectRecords(records, request.params.game as string, query));
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
});
announce(createServer({ keepAliveTimeout: 65_000 }, app.handler as unknown as RequestListener));

/** Selects entries in the usual way: objects that are filtered and sorted for each request. */
function selectRecords(records: readonly JsonObject[], game: string, query: Record<string, string>) {
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
  const { offset = '0' } = query;
  const page = {
    total: found.length,
    count: characters.length,
    limit: Number(limit),
    offset: Number(offset),
    sort,
  };
  return { game, build: '1', ...page, characters };
}

function read(record: JsonObject, key: string): unknown {
  return key.startsWith('stats.') ? (record.stats as JsonObject)[key.slice(6)] : record[key];
}
