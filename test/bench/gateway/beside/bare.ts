import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { announce } from './announce.ts';

/** The only response of a bare server; its body in base 64. */
export interface FixedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

// A bare node:http server: it sends the same head and body to every request, without reading its address.
const { status, headers, body } = JSON.parse(
  await readFile(process.argv[2] as string, 'utf8'),
) as FixedResponse;
const bytes = Buffer.from(body, 'base64');
const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  response.writeHead(status, headers).end(bytes);
});
announce(server);
