import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import jsonServer from 'json-server';
import { announce } from './announce.ts';

// json-server 0.17 with the same records, set up as by its command, but without its request log.
const characters: unknown = JSON.parse(await readFile(process.argv[2] as string, 'utf8'));
const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use(jsonServer.router({ characters }));
announce(createServer({ keepAliveTimeout: 65_000 }, app));
