import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { announce } from './announce.ts';

/** What a bare server answers to everything; the body in base 64. */
export interface FixedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

// A bare node:http server: the same head and body to everybody, without a look at what is asked for.
const { status, headers, body } = JSON.parse(
  await readFile(process.argv[2] as string, 'utf8'),
) as FixedAnswer;
const bytes = Buffer.from(body, 'base64');
const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  response.writeHead(status, headers).end(bytes);
});
announce(server);
