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
import { MinuteCounts } from '../access/attempts.ts';
import { type Api, type ApiIncoming, type Asked, toProblem } from '../api/api.ts';
import { addTexts } from '../api/effect-text.ts';
import { readBody } from '../http/html.ts';
import type { Endpoint } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, quote, suggest, tooManyAttempts, unsupported } from '../http/problem.ts';
import {
  type Arguments,
  explainError,
  PROMPTS,
  pageSizeOf,
  type Result,
  readArguments,
  requestOf,
  TOOLS,
  type Tool,
  toAsked,
} from './tools.ts';

// The Model Context Protocol (Streamable HTTP, stateless). One server of the SDK serves all clients: each incoming message gets an id of its own, by
// which its response is found. A tool call is one request of the API, made as its caller.

const INSTRUCTIONS =
  'Reference data of mobile games: characters, datasets and, for Pro keys, what each build changed. Begin with list_games or search, and call describe_game before you filter or ' +
  'choose attributes. Ids belong to one game. Each call counts as a request of the API key: choose attributes with fields, and do not fetch more pages than you need. ' +
  'A free key sees builds 24 hours after their release. Name the source when you publish the data; list_games says how.';
/** Messages are short: their arguments become an address. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_MESSAGES = 10;
/** A model reads a complete result, at about four characters per token. */
const MAX_RESULT_CHARS = 64 * 1024;
/** How many messages of a key per minute may cost no request, such as initialisation and lists of tools. */
const MAX_UNCHARGED = 300;
const MAX_KEYS = 20_000;
const BEARER = /^Bearer +(\S+) *$/i;
const INVALID = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'expected a request of MCP' } };
const JSON_TYPE = { mimeType: 'application/json' };
const GAMES_URI = 'gamedata://games';
const ATTRIBUTES_URI = /^gamedata:\/\/games\/([a-z0-9-]{1,64})\/([a-z0-9_]{1,64})\/attributes$/;

export interface McpOptions {
  api: Api;
  log: Log;
  /** The public URL of the gateway, without a path. */
  publicUrl: () => string;
}

export function mcpEndpoint({ api, log, publicUrl }: McpOptions): Endpoint {
  const uncharged = new MinuteCounts(MAX_KEYS);
  /** Makes a request that is charged, unless the quota is used up. */
  const ask: Ask = async (request, asked) => {
    const charged = () => request.caller && uncharged.add(counterNameOfKey(request.caller.key), -1);
    try {
      const json = await api.ask(request, asked);
      charged();
      return JSON.parse(String(json));
    } catch (error) {
      if (!(error instanceof HttpProblem && error.status === 429)) charged();
      throw error;
    }
  };
  const respond = connect(makeServer(ask, api, log));
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
        throw unsupported('Content-Type has to be application/json');
      const body = parseBody(await readBody(request, MAX_BODY_BYTES));
      const messages = Array.isArray(body) ? body : [body];
      const { count, leftMs } = uncharged.add(counterNameOfKey(key), messages.length);
      if (count > MAX_UNCHARGED) throw tooMany(Math.ceil(leftMs / 1000));
      const responses = await Promise.all(messages.map((message) => respond(message, request)));
      const sent = responses.filter((each) => each !== undefined);
      const bytes = Buffer.from(
        sent.length === 0 ? '' : JSON.stringify(Array.isArray(body) ? sent : sent[0]),
      );
      response.writeHead(sent.length === 0 ? 202 : !Array.isArray(body) && sent[0] === INVALID ? 400 : 200, {
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

function tooMany(wait: number): HttpProblem {
  const detail = `more than ${MAX_UNCHARGED} messages in a minute called no tool; send nothing before ${wait} s have passed`;
  return tooManyAttempts(detail, wait);
}

/** Refuses pages of other sites: one could reach the gateway by a host name that resolves to it (DNS rebinding). @throws HttpProblem `cross-site` */
function refuseOtherSites({ headers: { origin } }: ApiIncoming, publicUrl: string): void {
  if (origin === undefined || origin === new URL(publicUrl).origin) return;
  throw new HttpProblem(
    'origin-not-allowed',
    'the request came from a page of another site, expected a program, or a page of this gateway',
  );
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
  if (!Array.isArray(message) || message.length <= MAX_MESSAGES) return message;
  throw wrong(`has ${message.length} messages, and at most ${MAX_MESSAGES} are allowed`);
}

/** Connects a server. @returns a function that returns the response to a message; undefined for a notification */
function connect(server: Server): (message: unknown, request: ApiIncoming) => Promise<object | undefined> {
  const pending = new Map<number, (response: object) => void>();
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    async send(message) {
      if ('id' in message) pending.get(Number(message.id))?.(message);
    },
  };
  const connected = server.connect(transport);
  let last = 0;
  return async (message, request) => {
    if (isJSONRPCNotification(message)) return undefined;
    if (!isJSONRPCRequest(message)) return INVALID;
    await connected;
    const id = ++last;
    const response = new Promise<object>((resolve) => pending.set(id, resolve));
    const authInfo = { token: '', clientId: '', scopes: [], extra: { request } };
    transport.onmessage?.({ ...message, id }, { authInfo });
    return { ...(await response.finally(() => pending.delete(id))), id: message.id };
  };
}

/** Makes a request of the API as the caller of another request. */
type Ask = (request: ApiIncoming, asked: Asked) => Promise<Result>;

function makeServer(ask: Ask, api: Api, log: Log): Server {
  const server = new Server(
    { name: 'game-data-read-api', title: 'Game Data Read API', version: readVersion() },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', (_, context) => ({
    tools: TOOLS.filter(({ isPro }) => !isPro || incomingOf(context).caller?.tier === 'pro').map(
      describeTool,
    ),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }, context) => {
    const tool = find(TOOLS, name, 'tool');
    const failed = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] });
    const read = readArguments(tool, given);
    if (typeof read === 'string') return failed(`invalid-arguments: ${read}`);
    try {
      const request = incomingOf(context);
      const game = api.findGame(request, read.game);
      const found = await ask(request, requestOf(tool, read, api.routes, game));
      const described = game?.dictionary.of(String(read.dataset ?? 'characters')).attributes;
      if (name === 'get_character' || name === 'query_dataset')
        addTexts(found, described?.find(({ key }) => key.endsWith('effects.duration'))?.unit);
      const result = showPage(tool, read, found);
      const text = JSON.stringify(result);
      if (text.length <= MAX_RESULT_CHARS)
        return { structuredContent: result, content: [{ type: 'text', text }] };
      return failed(
        'too-large: the result is too large. Choose attributes with fields, or ask for less with limit.',
      );
    } catch (error) {
      return failed(explainError(toProblem(error, log), tool));
    }
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ text: _, ...prompt }) => prompt),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    const prompt = find(PROMPTS, name, 'prompt');
    const missing = prompt.arguments.find((each) => each.required && !given[each.name]);
    if (missing)
      throw invalid(`the argument ${missing.name} of the prompt ${name} is missing: ${missing.description}`);
    const content = { type: 'text' as const, text: prompt.text(given) };
    return { description: prompt.description, messages: [{ role: 'user', content }] };
  });
  server.setRequestHandler('resources/list', () => {
    const description = 'The games with their current builds and the keys of their datasets.';
    return { resources: [{ uri: GAMES_URI, name: 'games', title: 'All games', description, ...JSON_TYPE }] };
  });
  server.setRequestHandler('resources/templates/list', () => {
    const about = { name: 'attributes', title: 'The attributes of a collection', ...JSON_TYPE };
    const description =
      'What the attributes of `characters`, or of a dataset by its key, mean, with their types and values.';
    const uriTemplate = `${GAMES_URI}/{game}/{collection}/attributes`;
    return { resourceTemplates: [{ uriTemplate, description, ...about }] };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const [, game, dataset] = ATTRIBUTES_URI.exec(uri) ?? [];
    if (uri !== GAMES_URI && game === undefined)
      throw new ResourceNotFoundError(uri, `there is no resource ${quote(uri)}`);
    const ofDataset = dataset === 'characters' ? 'listAttributes' : 'listDatasetAttributes';
    const asked = toAsked(game === undefined ? 'listGames' : ofDataset, { game, dataset }, api.routes);
    const result = await ask(incomingOf(context), asked).catch((error: unknown) => {
      throw invalid(explainError(toProblem(error, log)));
    });
    return { contents: [{ uri, ...JSON_TYPE, text: JSON.stringify(result) }] };
  });
  return server;
}

/** The HTTP request that contained a message. */
function incomingOf({ http }: { http?: { authInfo?: { extra?: Record<string, unknown> } } }): ApiIncoming {
  return http?.authInfo?.extra?.request as ApiIncoming;
}

function describeTool({ name, title, description, input, required = [] }: Tool) {
  const inputSchema = { type: 'object' as const, properties: input, required: [...required] };
  const annotations = { title, readOnlyHint: true, openWorldHint: false };
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, additionalProperties: false },
    annotations,
  };
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

/** Returns the requested page of a result, and where the next one begins. */
function showPage(tool: Tool, given: Arguments, result: Result) {
  const of = tool.shape?.(result, given) ?? result;
  const rows = tool.rows === undefined ? undefined : of[tool.rows];
  const offset = Number(given.offset ?? 0);
  let [end, total] = [offset + Number(result.count), Number(result.total)];
  if (tool.rows && Array.isArray(rows)) {
    [end, total] = [offset + Number(given.limit ?? pageSizeOf(tool)), rows.length];
    of[tool.rows] = rows.slice(offset, end);
  }
  return { result, ...(end > offset && end < total && { next_offset: end }) };
}
