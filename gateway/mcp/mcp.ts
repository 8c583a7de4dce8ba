// The Model Context Protocol (Streamable HTTP, stateless). One server of the SDK serves all clients. Each message gets a new id, which leads to its
// response. A tool call is one request of the API, made as its caller.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolError,
  Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { Ajv } from 'ajv';
import { readVersion } from '../../scripts/system.ts';
import { type Api, type ApiIncoming, type Asked, toProblem } from '../api/api.ts';
import { addTexts } from '../api/effect-text.ts';
import { readBody } from '../http/html.ts';
import type { Endpoint } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, quote, suggest, unsupported } from '../http/problem.ts';
import { type Arguments, explainError, type Result, TOOL_NAMES, TOOLS, type Tool } from './tools.ts';

const INSTRUCTIONS =
  'Reference data of mobile games: characters, datasets and, for Pro keys, what each build changed. Begin with list_games or search, and call describe_game before you filter or ' +
  'choose attributes. Ids belong to one game. Each call counts as a request of the API key: choose attributes with fields, and do not fetch more pages than you need. ' +
  'A free key sees builds 24 hours after their release. Name the source when you publish the data; list_games says how.';
/** A model reads a complete result, at about four characters per token. */
const MAX_RESULT_CHARS = 64 * 1024;
const END = Buffer.from('}]}}');
const TOO_LONG = 'too-large: the result is too large. Choose attributes with fields, or a smaller limit.';
const INVALID = Buffer.from(
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"expected a request of MCP"}}',
);
const OTHER_SITE = 'the request is from a page of another site, expected a program or a page of this one';

type Work = { api: Api; log: Log };

/** @param publicUrl the public URL of the gateway, without a path */
export function mcpEndpoint({ publicUrl, ...work }: Work & { publicUrl: () => string }): Endpoint {
  const respond = startServer(work);
  return {
    path: '/mcp',
    async post(incoming: IncomingMessage, response: ServerResponse) {
      const request = incoming as ApiIncoming;
      const { headers } = request;
      // A page could reach the gateway by a host name that resolves to it (DNS rebinding).
      if (headers.origin !== undefined && headers.origin !== new URL(publicUrl()).origin)
        throw new HttpProblem('origin-not-allowed', OTHER_SITE);
      if (headers['x-api-key'] === undefined && headers.authorization !== undefined)
        headers['x-api-key'] = /^Bearer +(\S+) *$/i.exec(headers.authorization)?.[1] ?? headers.authorization;
      await work.api.identify(request);
      if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
        throw unsupported('Content-Type has to be application/json');
      // Messages are short: their arguments become an address.
      const body = await readBody(request, 64 * 1024);
      const message = await parse(body).catch(() => {});
      const sent = await respond(message, request);
      response.writeHead(sent === undefined ? 202 : sent === INVALID ? 400 : 200, {
        ...(sent !== undefined && { 'Content-Type': 'application/json' }),
        ...request.charge?.headers,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Content-Length': sent?.length ?? 0,
      });
      response.end(sent);
    },
  };
}

const parse = async (body: Buffer): Promise<unknown> => JSON.parse(String(body));

/** Writes the response to a message: undefined for a notification. */
type Respond = (message: unknown, request: ApiIncoming) => Promise<Buffer | undefined>;
/** A message that is being handled. The SDK would copy the result of a tool several times: it gets none, and `json` has it. */
type Call = { request: ApiIncoming; resolve(response: object): void; json?: Buffer };

function startServer(work: Work): Respond {
  const pending = new Map<number, Call>();
  const callOf = ({ mcpReq: { id } }: { mcpReq: { id: unknown } }) => pending.get(Number(id)) as Call;
  const server = new Server(
    { name: 'game-data-read-api', title: 'Game Data Read API', version: readVersion() },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', (_, context) => {
    const isPro = callOf(context).request.caller?.tier === 'pro';
    return { tools: TOOLS.filter((tool) => isPro || !tool.isPro).map(({ listed }) => listed) };
  });
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }, context) => {
    const tool = TOOLS.find((each) => each.listed.name === name);
    // Its code is Invalid params.
    if (!tool) throw new ProtocolError(-32602, `there is no tool ${quote(name)}${suggest(name, TOOL_NAMES)}`);
    const call = callOf(context);
    const result = await callTool(work, tool, given as Arguments, call.request);
    if (typeof result === 'string') return { isError: true, content: [{ type: 'text', text: result }] };
    call.json = result;
    return { content: [] };
  });
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    async send(message) {
      if ('id' in message) pending.get(Number(message.id))?.resolve(message);
    },
  };
  const connected = server.connect(transport);
  let last = 0;
  return async (message, request) => {
    if (isJSONRPCNotification(message)) return undefined;
    if (!isJSONRPCRequest(message)) return INVALID;
    await connected;
    const id = ++last;
    const responding = new Promise<object>((resolve) => pending.set(id, { request, resolve }));
    transport.onmessage?.({ ...message, id });
    const response = { ...(await responding), id: message.id };
    const json = pending.get(id)?.json;
    pending.delete(id);
    return json ? writeResult(message.id, json) : Buffer.from(JSON.stringify(response));
  };
}

/** Writes the response to a tool call, which has the result as JSON, and as a text that is this JSON. */
function writeResult(id: unknown, json: Buffer): Buffer {
  // In UTF-8 and in Latin-1, the characters that a text of JSON escapes are the same bytes.
  const text = Buffer.from(JSON.stringify(json.toString('latin1')), 'latin1');
  const head = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"structuredContent":`);
  return Buffer.concat([head, json, Buffer.from(',"content":[{"type":"text","text":'), text, END]);
}

/** Calls a tool by one request of the API. @returns its result as JSON, or a text that says what is wrong */
async function callTool(
  { api, log }: Work,
  tool: Tool,
  given: Arguments,
  request: ApiIncoming,
): Promise<Buffer | string> {
  const check = ajv.compile(tool.listed.inputSchema);
  // This also replaces texts that some clients send for numbers and lists, and adds defaults.
  if (!check(given)) {
    const fault = ajv.errorsText(check.errors, { dataVar: 'arguments' });
    const unknown = check.errors?.[0]?.params.additionalProperty as string | undefined;
    return `invalid-arguments: ${unknown === undefined ? fault : `${quote(unknown)} is not an argument`}. Expected: ${Object.keys(tool.input).join(', ')}.`;
  }
  try {
    const game = api.findGame(request, given.game);
    const { dataset = 'characters', limit: _, offset: __, ...unpaged } = given;
    const isObject = game?.datasets.get(String(dataset))?.kind === 'object';
    const asked = toAsked(tool, isObject ? { ...unpaged, dataset } : given, api.routes);
    const found = await api.ask(request, asked);
    const described = game?.dictionary.of(String(dataset)).attributes;
    const turns = described?.find(({ key }) => key.endsWith('effects.duration'))?.unit;
    const result = showPage(tool, given, found, turns);
    return result.length <= MAX_RESULT_CHARS || String(result).length <= MAX_RESULT_CHARS ? result : TOO_LONG;
  } catch (error) {
    return explainError(toProblem(error, log), tool);
  }
}

const ajv = new Ajv({ strict: false, coerceTypes: 'array', useDefaults: true });

/** Returns the GET of a tool call. Arguments that are not parameters of its path or query are ignored. */
function toAsked({ operation }: Tool, given: Arguments, routes: Api['routes']): Asked {
  const id = typeof operation === 'string' ? operation : operation(given);
  const route = routes.find(({ operationId }) => operationId === id) as Asked['route'];
  const params: Record<string, string> = {};
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    params[name] = String(given[name]);
    return encodeURIComponent(params[name]);
  });
  const pairs = route.parameters.flatMap(({ name, explode }) => {
    const value = given[name];
    const values = value === undefined ? [] : typeof value === 'object' && explode ? value : [value];
    return values.map((each): [string, string] => [name, String(each)]);
  });
  return { route, path, search: pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '', params };
}

/** How many records match and are in a response of the API, behind texts such as its game. */
const COUNTS = /^\{(?:"\w+":(?:"(?:[^"\\]|\\.)*"|\d+|null),)*?"total":(\d+),"count":(\d+)/;

/** Returns the requested page of a result, with the sentences of its effects, and where the next one begins. @param turns the unit of durations */
function showPage({ shape, rows, input }: Tool, given: Arguments, json: Buffer, turns?: string): Buffer {
  const [offset, limit] = [Number(given.offset), Number(given.limit)];
  const [, all, count] = ('offset' in input && COUNTS.exec(json.toString('latin1', 0, 2000))) || [];
  let [end, total, shown] = [offset + Number(count), Number(all), json];
  // Parsing a response costs more than making it.
  if (shape || rows || json.includes('"effects":')) {
    const result: Result = JSON.parse(String(json));
    addTexts(result, turns);
    const of = shape?.(result, given) ?? result;
    if (rows && Array.isArray(of[rows])) {
      [end, total] = [offset + limit, of[rows].length];
      of[rows] = of[rows].slice(offset, end);
    }
    shown = Buffer.from(JSON.stringify(result));
  }
  const next = end > offset && end < total ? `,"next_offset":${end}` : '';
  return Buffer.concat([Buffer.from('{"result":'), shown, Buffer.from(`${next}}`)]);
}
