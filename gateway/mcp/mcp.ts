// The Model Context Protocol (Streamable HTTP, stateless). One server of the SDK serves all clients. Each message gets a new id, which leads to its
// response. A tool call is one request of the API, made as its caller.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { Ajv } from 'ajv';
import { readVersion } from '../../scripts/system.ts';
import { type Api, type ApiIncoming, type Asked, toProblem } from '../api/api.ts';
import { addTexts } from '../api/effect-text.ts';
import type { Route } from '../api/route.ts';
import { readBody } from '../http/html.ts';
import { type Endpoint, MAX_TARGET_BYTES } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, quote, suggest, tooLarge, unsupported } from '../http/problem.ts';
import { type Arguments, explainError, type Result, TOOLS, type Tool } from './tools.ts';

const INSTRUCTIONS =
  'Reference data of mobile games: characters, datasets and, for Pro keys, what each build changed. Begin with list_games or search, and call describe_game before you filter or ' +
  'choose attributes. Ids belong to one game. Each call counts as a request of the API key: choose attributes with fields, and do not fetch more pages than you need. ' +
  'A free key sees builds 24 hours after their release. Name the source when you publish the data; list_games says how.';
/** Messages are short: their arguments become an address. */
const MAX_BODY_BYTES = 64 * 1024;
/** A model reads a complete result, at about four characters per token. */
const MAX_RESULT_CHARS = 64 * 1024;
const BEARER = /^Bearer +(\S+) *$/i;
const INVALID = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'expected a request of MCP' } };

interface McpOptions {
  api: Api;
  log: Log;
  /** The public URL of the gateway, without a path. */
  publicUrl: () => string;
}

export function mcpEndpoint({ api, log, publicUrl }: McpOptions): Endpoint {
  const respond = connect(makeServer(api, log));
  return {
    path: '/mcp',
    async post(incoming: IncomingMessage, response: ServerResponse) {
      const request = incoming as ApiIncoming;
      const { headers } = request;
      // A page could reach the gateway by a host name that resolves to it (DNS rebinding).
      if (headers.origin !== undefined && headers.origin !== new URL(publicUrl()).origin)
        throw new HttpProblem(
          'origin-not-allowed',
          'the request came from a page of another site, expected a program, or a page of this gateway',
        );
      if (headers['x-api-key'] === undefined && headers.authorization !== undefined)
        headers['x-api-key'] = BEARER.exec(headers.authorization)?.[1] ?? headers.authorization;
      await api.identify(request);
      if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
        throw unsupported('Content-Type has to be application/json');
      const sent = await respond(parse(await readBody(request, MAX_BODY_BYTES)), request);
      const bytes = Buffer.from(sent === undefined ? '' : JSON.stringify(sent));
      response.writeHead(sent === undefined ? 202 : sent === INVALID ? 400 : 200, {
        ...(sent !== undefined && { 'Content-Type': 'application/json' }),
        ...request.charge?.headers,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Content-Length': bytes.length,
      });
      response.end(bytes);
    },
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
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

/** The HTTP request that contained a message. */
function incomingOf({ http }: { http?: { authInfo?: { extra?: Record<string, unknown> } } }): ApiIncoming {
  return http?.authInfo?.extra?.request as ApiIncoming;
}

function makeServer(api: Api, log: Log): Server {
  const server = new Server(
    { name: 'game-data-read-api', title: 'Game Data Read API', version: readVersion() },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', (_, context) => {
    const isPro = incomingOf(context).caller?.tier === 'pro';
    const tools = TOOLS.filter((tool) => isPro || !tool.isPro);
    return {
      tools: tools.map(({ name, title, description, inputSchema }) => ({
        ...{ name, title, description, inputSchema },
        annotations: { title, readOnlyHint: true, openWorldHint: false },
      })),
    };
  });
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }, context) => {
    const tool = TOOLS.find((each) => each.name === name);
    if (!tool) {
      const near = suggest(
        name,
        TOOLS.map((each) => each.name),
      );
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${quote(name)}${near}`);
    }
    const failed = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] });
    const wrong = findWrong(tool, given);
    if (wrong !== undefined) return failed(`invalid-arguments: ${wrong}`);
    const read = given as Arguments;
    try {
      const request = incomingOf(context);
      const game = api.findGame(request, read.game);
      const { dataset = 'characters', limit: _, offset: __, ...unpaged } = read;
      const isObject = game?.datasets.get(String(dataset))?.kind === 'object';
      const asked = toAsked(tool, isObject ? { ...unpaged, dataset } : read, api.routes);
      const found: Result = JSON.parse(String(await api.ask(request, asked)));
      const described = game?.dictionary.of(String(dataset)).attributes;
      addTexts(found, described?.find(({ key }) => key.endsWith('effects.duration'))?.unit);
      const result = showPage(tool, read, found);
      const text = JSON.stringify(result);
      if (text.length <= MAX_RESULT_CHARS)
        return { structuredContent: result, content: [{ type: 'text', text }] };
      return failed('too-large: the result is too large. Choose attributes with fields, or a smaller limit.');
    } catch (error) {
      return failed(explainError(toProblem(error, log), tool));
    }
  });
  return server;
}

const ajv = new Ajv({ strict: false, coerceTypes: 'array', useDefaults: true });

/** Checks the arguments of a call, replaces texts that some clients send for numbers and lists, and adds defaults. @returns what is wrong */
function findWrong(tool: Tool, given: Record<string, unknown>): string | undefined {
  const check = ajv.compile(tool.inputSchema);
  if (check(given)) return undefined;
  const [{ instancePath = '', message = '', params = {} } = {}] = check.errors ?? [];
  const names = Object.keys(tool.input).map((name) =>
    tool.required?.includes(name) ? `${name} (required)` : name,
  );
  const { additionalProperty: unknown } = params as { additionalProperty?: string };
  const argument = `the argument${instancePath.replace('/', ' ') || 's'} ${message}`;
  const fault = unknown === undefined ? argument : `${quote(unknown)} is not an argument`;
  return `${fault}. Expected: ${names.join(', ')}.`;
}

/** Returns the GET of a tool call. Arguments that are not parameters of its path or query are ignored. @throws HttpProblem `too-large` */
function toAsked({ operation }: Tool, given: Arguments, routes: readonly Route[]): Asked {
  const id = typeof operation === 'string' ? operation : operation(given);
  const route = routes.find(({ operationId }) => operationId === id);
  if (!route) throw new Error(`no route is called ${id}`);
  const params: Record<string, string> = {};
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    params[name] = String(given[name]);
    return encodeURIComponent(params[name]);
  });
  const pairs = route.parameters.flatMap(({ name, explode }): [string, string][] => {
    const value = given[name];
    if (value === undefined) return [];
    return typeof value === 'object' && explode === true
      ? value.map((each) => [name, each])
      : [[name, String(value)]];
  });
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
  const length = path.length + search.length;
  if (length > MAX_TARGET_BYTES)
    throw tooLarge(
      414,
      `the arguments are too long: as an address they have ${length} bytes, expected at most ${MAX_TARGET_BYTES}`,
    );
  return { route, path, search, params };
}

/** Returns the requested page of a result, and where the next one begins. */
function showPage({ shape, rows = '' }: Tool, given: Arguments, result: Result) {
  const of = shape?.(result, given) ?? result;
  const all = of[rows];
  const [offset, limit] = [Number(given.offset), Number(given.limit)];
  let [end, total] = [offset + Number(result.count), Number(result.total)];
  if (Array.isArray(all)) {
    [end, total] = [offset + limit, all.length];
    of[rows] = all.slice(offset, end);
  }
  return { result, ...(end > offset && end < total && { next_offset: end }) };
}
