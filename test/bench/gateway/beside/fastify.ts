import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import fastify from 'fastify';
import { announce } from './announce.ts';
import { readRecords, selectRecords } from './records.ts';

/** The levels at which the gateway compresses a page. */
const LEVELS = {
  zlibOptions: { level: 3 },
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
};

// A roster with fastify: entries as objects that are filtered, sorted and serialised for each request. With "compress" as its second
// argument, it compresses by its own plugin.
const records = await readRecords();
const app = fastify({ keepAliveTimeout: 65_000 });
if (process.argv[3] === 'compress') await app.register(compress, LEVELS);
app.get<{ Params: { game: string }; Querystring: Record<string, string> }>(
  '/api/:game/characters',
  (request, reply) => reply.send(selectRecords(records, request.params.game, request.query)),
);
await app.ready();
announce(app.server);
