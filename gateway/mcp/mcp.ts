import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { readVersion } from '../../scripts/system.ts';
import { counterNameOfKey } from '../access/account.ts';
import { type ApiAccess, type ApiIncoming, toProblem } from '../api/api.ts';
import { readBody } from '../http/html.ts';
import type { Endpoint } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, quote, suggest } from '../http/problem.ts';
import { PROMPTS } from './prompts.ts';
import {
  type Arguments,
  explainError,
  findResource,
  type KindOf,
  readArguments,
  RESOURCES,
  toAsked,
  type Tool,
  type ToolRequest,
  TOOLS,
} from './tools.ts';

/**
 * The Model Context Protocol (Streamable HTTP, stateless). One server of the SDK serves all clients: each message gets an id of its own on the
 * way in, by which its response finds its way out. A call of a tool is one request of the API, made as its caller.
 */

const INSTRUCTIONS =
  'Reference data of mobile games: characters, datasets and, for Pro keys, what each build changed. Begin with list_games or search, and call describe_game before you filter or ' +
  'choose attributes. Ids belong to one game. Each call counts as a request of the API key: choose attributes with fields, and do not fetch more pages than you need. ' +
  'A free key sees builds 24 hours after their release. Name the source when you publish the data; list_games says how.';

/** A message of a client is short: its arguments become an address. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_MESSAGES = 10;
/** A model reads a result whole, at some four characters a token. */
const MAX_RESULT_CHARS = 64 * 1024;
/** Messages of an account in a minute that count as no request, such as connecting and lists of tools. */
const MAX_UNCHARGED = 300;
const MINUTE_MS = 60_000;
const BEARER = /^Bearer +(\S+) *$/i;

const INVALID = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'expected a request of MCP' } };

export interface McpOptions {
  api: ApiAccess;
  log: Log;
  /** The public URL of the gateway, without a path. */
  publicUrl: () => string;
  /** ms since 1970. */
  now: () => number;
}

/** The endpoint `/mcp`. */
export function mcpEndpoint({ api, log, publicUrl, now }: McpOptions): Endpoint {
  const pending = new Map<number, (response: object) => void>();
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    async send(message) {
      if ('id' in message) pending.get(Number(message.id))?.(message);
    },
  };
  let connected: Promise<void> | undefined;
  let last = 0;

  const respond = async (message: unknown, request: ApiIncoming): Promise<object | undefined> => {
    if (isJSONRPCNotification(message)) return undefined;
    if (!isJSONRPCRequest(message)) return INVALID;
    const id = ++last;
    const response = new Promise<object>((resolve) => pending.set(id, resolve));
    const authInfo = { token: '', clientId: '', scopes: [], extra: { request } };
    transport.onmessage?.({ ...message, id }, { authInfo });
    try {
      return { ...(await response), id: message.id };
    } finally {
      pending.delete(id);
    }
  };

  const uncharged = new Uncharged(now);
  /** Makes a request that is charged, unless the quota is used up. */
  const ask: Ask = async (request, asked) => {
    const json = api.ask(request, toAsked(asked, api.routes)).catch((error: unknown) => {
      const isRefused = error instanceof HttpProblem && error.status === 429;
      if (!isRefused && request.caller) uncharged.count(counterNameOfKey(request.caller.key), -1);
      throw error;
    });
    const result = JSON.parse(String(await json)) as Record<string, unknown>;
    if (request.caller) uncharged.count(counterNameOfKey(request.caller.key), -1);
    return result;
  };
  return {
    path: '/mcp',
    async post(incoming: IncomingMessage, response: ServerResponse) {
      const request = incoming as ApiIncoming;
      refuseOtherSites(request, publicUrl());
      const { headers } = request;
      if (headers['x-api-key'] === undefined && headers.authorization !== undefined)
        headers['x-api-key'] = BEARER.exec(headers.authorization)?.[1] ?? headers.authorization;
      const { key } = await api.identify(request);
      if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
        throw new HttpProblem('unsupported-media-type', 'Content-Type has to be application/json');
      const body = parseBody(await readBody(request, MAX_BODY_BYTES));
      connected ??= makeServer(ask, api, log).connect(transport);
      await connected;
      const messages = Array.isArray(body) ? body : [body];
      uncharged.count(counterNameOfKey(key), messages.length);
      const responses = await Promise.all(messages.map((message) => respond(message, request)));
      const sent = responses.filter((each) => each !== undefined);
      const status = sent.length === 0 ? 202 : responses[0] === INVALID && !Array.isArray(body) ? 400 : 200;
      const bytes = Buffer.from(
        sent.length === 0 ? '' : JSON.stringify(Array.isArray(body) ? sent : sent[0]),
      );
      response.writeHead(status, {
        ...(sent.length > 0 && { 'Content-Type': 'application/json' }),
        ...request.charge?.headers,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Content-Length': bytes.length,
      });
      response.end(bytes);
    },
  };
}

/** Bounds what is charged to nobody. */
class Uncharged {
  readonly #now: () => number;
  #counts = new Map<string, number>();
  #minute = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws HttpProblem `too-many-attempts` */
  count(account: string, messages: number): void {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (minute !== this.#minute) [this.#minute, this.#counts] = [minute, new Map()];
    const count = (this.#counts.get(account) ?? 0) + messages;
    this.#counts.set(account, count);
    if (count <= MAX_UNCHARGED) return;
    const wait = Math.ceil(((minute + 1) * MINUTE_MS - this.#now()) / 1000);
    throw new HttpProblem(
      'too-many-attempts',
      `more than ${MAX_UNCHARGED} messages in a minute called no tool; send nothing before ${wait} s have passed`,
      {},
      { 'Retry-After': String(wait) },
    );
  }
}

/** A page that another site serves could reach the gateway by a name that resolves to it (DNS rebinding). @throws HttpProblem `cross-site` */
function refuseOtherSites({ headers: { origin } }: ApiIncoming, publicUrl: string): void {
  if (origin === undefined || origin === new URL(publicUrl).origin) return;
  throw new HttpProblem(
    'cross-site',
    'the request came from a page of another site, expected a program, or a page of this gateway',
  );
}

/** @throws HttpProblem `invalid-parameter` */
function parseBody(body: Buffer): unknown {
  const wrong = (found: string) =>
    new HttpProblem('invalid-parameter', `the body ${found}, expected a JSON-RPC message of MCP`, {
      parameter: 'body',
    });
  try {
    const message: unknown = JSON.parse(body.toString());
    if (!Array.isArray(message) || message.length <= MAX_MESSAGES) return message;
    throw wrong(`has ${message.length} messages, and at most ${MAX_MESSAGES} are allowed`);
  } catch (error) {
    throw error instanceof HttpProblem ? error : wrong('is no JSON');
  }
}

/** Makes a request of the API as the caller of another one. */
type Ask = (request: ApiIncoming, asked: ToolRequest) => Promise<Record<string, unknown>>;

function makeServer(ask: Ask, api: ApiAccess, log: Log): Server {
  const server = new Server(
    { name: 'game-data-read-api', title: 'Game Data Read API', version: readVersion() },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', (_, context) => ({
    tools: TOOLS.filter(({ isPro }) => !isPro || requestOf(context).caller?.tier === 'pro').map(describeTool),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }, context) => {
    const tool = find(TOOLS, name, 'tool');
    const failed = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] });
    const checked = readArguments(tool, given);
    if (typeof checked === 'string') return failed(`invalid-arguments: ${checked}`);
    try {
      const request = requestOf(context);
      const kindOf: KindOf = (game, dataset) => api.kindOf(request, game, dataset);
      const result = showPage(tool, checked, await ask(request, tool.ask(checked, kindOf)));
      const text = JSON.stringify(result);
      if (text.length > MAX_RESULT_CHARS)
        return failed(
          'too-large: the result is too large. Choose attributes with fields, or ask for less with limit.',
        );
      return { structuredContent: result, content: [{ type: 'text', text }] };
    } catch (error) {
      return failed(explainError(toProblem(error, log), tool));
    }
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ text: _, ...prompt }) => ({ ...prompt, arguments: [...prompt.arguments] })),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    const prompt = find(PROMPTS, name, 'prompt');
    const missing = prompt.arguments.find((each) => each.required && !given[each.name]);
    if (missing)
      throw invalid(`the argument ${missing.name} of the prompt ${name} is missing: ${missing.description}`);
    const text = prompt.text(given);
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  server.setRequestHandler('resources/list', () => ({ resources: [RESOURCES.games] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [RESOURCES.attributes] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const request = findResource(uri);
    if (!request) throw new ResourceNotFoundError(uri, `there is no resource ${quote(uri)}`);
    const result = await ask(requestOf(context), request).catch((error: unknown) => {
      throw invalid(explainError(toProblem(error, log)));
    });
    return { contents: [{ uri, mimeType: RESOURCES.games.mimeType, text: JSON.stringify(result) }] };
  });
  return server;
}

/** The HTTP request in which a message came. */
function requestOf({ http }: { http?: { authInfo?: { extra?: Record<string, unknown> } } }): ApiIncoming {
  return http?.authInfo?.extra?.request as ApiIncoming;
}

function describeTool({ name, title, description, input }: Tool) {
  const annotations = { title, readOnlyHint: true, openWorldHint: false };
  return { name, title, description, inputSchema: input, annotations };
}

function find<T extends { name: string }>(all: readonly T[], name: string, what: string): T {
  const found = all.find((each) => each.name === name);
  const names = all.map((each) => each.name);
  if (!found) throw invalid(`there is no ${what} ${quote(name)}${suggest(name, names)}`);
  return found;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** Shows the page of a result that was asked for, and where the next one begins. */
function showPage(tool: Tool, given: Arguments, result: Record<string, unknown>) {
  tool.trim?.(result, given);
  const list = tool.list?.(given, result);
  const offset = Number(given.offset ?? 0);
  let next: number | undefined;
  if (list) {
    const end = offset + Number(given.limit ?? list.limit);
    const all = list.of[list.name];
    if (Array.isArray(all)) list.of[list.name] = all.slice(offset, end);
    if (Array.isArray(all) && end < all.length) next = end;
  } else if (typeof result.total === 'number' && typeof result.count === 'number') {
    const end = offset + result.count;
    if (result.count > 0 && end < result.total) next = end;
  }
  return { result, ...(next !== undefined && { next_offset: next }) };
}
