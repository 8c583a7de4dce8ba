import { createServer } from 'node:http';
import sirv from 'sirv';
import { announce } from './announce.ts';

// Only sirv, which serves a folder.
const serve = sirv(process.argv[2] as string, { etag: true });
announce(createServer({ keepAliveTimeout: 65_000 }, (request, response) => serve(request, response)));
