import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiIncoming } from '../api/api-access.ts';
import type { Endpoint } from '../http/incoming.ts';
import { HttpProblem } from '../http/problem.ts';
import { once } from '../http/work.ts';
import { counterNameOfKey } from '../access/account.ts';
import { sendWhole } from '../http/identified-response.ts';
import { readBody } from '../pages/read-body.ts';
import type { McpResponse } from './handler.ts';
import type { SessionServices } from './session.ts';
import { UnchargedMessages } from './uncharged.ts';

/** Options of the endpoint. */
export interface McpOptions extends Omit<SessionServices, 'uncharged' | 'tools'> {
  /** The public URL of the gateway, without a path. */
  publicUrl: () => string;
}

/** A message of a client is short: its arguments become an address. */
const MAX_BODY_BYTES = 64 * 1024;
/** The maximum number of messages in one request: clients before protocol version 2025-06-18 may send several. */
const MAX_MESSAGES = 10;
const BEARER = /^Bearer +(\S+) *$/i;

/** The endpoint of the Model Context Protocol (Streamable HTTP). Its code is loaded for the first request. */
export function mcpEndpoint({ publicUrl, api, log }: McpOptions): Endpoint {
  const uncharged = new UnchargedMessages();
  const services = { api, log, uncharged };
  const load = once(async () => {
    const { McpHandler } = await import('./handler.ts');
    return new McpHandler(services);
  });
  return {
    path: '/mcp',
    async post(message: IncomingMessage, response: ServerResponse) {
      const request = message as ApiIncoming;
      checkOrigin(request, publicUrl());
      readKey(request);
      const { key } = await api.identify(request);
      const name = counterNameOfKey(key);
      uncharged.check(name);
      // What is charged is taken back when it is.
      uncharged.add(name, 1);
      const body = parseBody(await readBody(request, MAX_BODY_BYTES));
      if (Array.isArray(body)) uncharged.add(name, Math.max(0, body.length - 1));
      const handler = await load();
      await send(response, await handler.respond(request, body), request);
    },
  };
}

/**
 * Refuses a request from the page of another site: a name that such a page was loaded from could resolve to the gateway (DNS rebinding).
 *
 * @throws HttpProblem `cross-site`
 */
function checkOrigin({ headers: { origin } }: ApiIncoming, publicUrl: string): void {
  if (origin === undefined || origin === new URL(publicUrl).origin) return;
  throw new HttpProblem(
    'cross-site',
    'the request came from a page of another site, expected a program, or a page of this gateway',
  );
}

/** Reads the key of `Authorization: Bearer` as that of X-API-Key, if there is no X-API-Key. */
function readKey({ headers }: ApiIncoming): void {
  if (headers['x-api-key'] !== undefined || headers.authorization === undefined) return;
  headers['x-api-key'] = BEARER.exec(headers.authorization)?.[1] ?? headers.authorization;
}

/** @throws HttpProblem `invalid-parameter` */
function parseBody(body: Buffer): unknown {
  const wrong = (found: string) =>
    new HttpProblem('invalid-parameter', `the body ${found}, expected a JSON-RPC message of MCP`, {
      parameter: 'body',
    });
  let message: unknown;
  try {
    message = JSON.parse(body.toString());
  } catch {
    throw wrong('is no JSON');
  }
  if (Array.isArray(message) && message.length > MAX_MESSAGES)
    throw wrong(`has ${message.length} messages, and at most ${MAX_MESSAGES} are allowed`);
  return message;
}

async function send(response: ServerResponse, made: McpResponse, { charge }: ApiIncoming): Promise<void> {
  const further = { ...charge?.headers, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  if (Buffer.isBuffer(made)) {
    const headers = { 'Content-Type': 'application/json', ...further, 'Content-Length': made.length };
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    sendWhole(response, 200, fields.join(''), made);
    return;
  }
  const bytes = Buffer.from(await made.arrayBuffer());
  const headers = { ...Object.fromEntries(made.headers), ...further, 'Content-Length': bytes.length };
  response.writeHead(made.status, headers).end(bytes);
}
