import { createServer, type RequestListener } from 'node:http';
import polka from 'polka';
import { announce } from './announce.ts';
import { readRecords, selectRecords } from './records.ts';

// The usual way to write a roster: polka, with entries as objects that are filtered, sorted and serialised for each request.
const records = await readRecords();
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
