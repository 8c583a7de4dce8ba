import compress from '@fastify/compress';
import fastify from 'fastify';
import { announce } from './announce.ts';
import { readRecords, selectRecords } from './records.ts';

// A roster with fastify and its own compression: records as objects that are filtered, sorted and serialised for each request.
const records = await readRecords();
const app = fastify({ keepAliveTimeout: 65_000 });
await app.register(compress);
app.get<{ Params: { game: string }; Querystring: Record<string, string> }>(
  '/api/:game/characters',
  (request, reply) => reply.send({ game: request.params.game, ...selectRecords(records, request.query) }),
);
await app.ready();
announce(app.server);
