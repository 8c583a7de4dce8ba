// The Model Context Protocol (Streamable HTTP, stateless). A tool call is one request of the API, made as its caller.
// The SDK answers all other messages, with a new server for each.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  ProtocolError,
  Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { Ajv } from 'ajv';
import { isObject } from '../../scripts/format/dist-format.ts';
import { readVersion } from '../../scripts/system.ts';
import { type Api, type ApiIncoming, type Asked, toProblem } from '../api/api.ts';
import { addTexts } from '../api/effect-text.ts';
import type { GameBuild } from '../data/game-build.ts';
import { readBody } from '../http/html.ts';
import type { Endpoint } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, quote, suggest, unsupported } from '../http/problem.ts';
import { bytesOf, describeFields, hold, Joined } from '../http/respond.ts';
import { once } from '../site/format.ts';
import { type Arguments, explainError, type Result, TOOL_NAMES, TOOLS, type Tool } from './tools.ts';

const INFO = { name: 'game-data-read-api', title: 'Game Data Read API', version: readVersion() };
const INSTRUCTIONS =
  'Reference data of mobile games: characters, datasets and, for Pro keys, what each build changed. Begin with list_games or search, and call describe_game before you filter or ' +
  'choose attributes. Ids belong to one game. Each call counts as a request of the API key: choose attributes with fields, and do not fetch more pages than you need. ' +
  'A free key sees builds 24 hours after their release. Name the source when you publish the data; list_games says how.';
/** A model reads a complete result, at about four characters per token. */
const MAX_RESULT_CHARS = 64 * 1024;
const TOO_LONG = 'too-large: choose a smaller limit, or attributes with fields where the tool has them.';
const INVALID = Buffer.from(
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"expected a request of MCP"}}',
);
const OTHER_SITE = 'the request is from a page of another site, expected a program or a page of this one';

type Work = { api: Api; log: Log };

/** @param publicUrl the public URL of the gateway, without a path */
export function mcpEndpoint({ publicUrl, ...work }: Work & { publicUrl: () => string }): Endpoint {
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
      const bytes = await respond(work, message, request);
      const fields = describeFields({
        ...(bytes && { 'Content-Type': 'application/json' }),
        ...request.charge?.headers,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Content-Length': bytes?.length ?? 0,
      });
      hold({ response, status: bytes === undefined ? 202 : bytes === INVALID ? 400 : 200, fields, bytes });
    },
  };
}

const parse = async (body: Buffer): Promise<unknown> => JSON.parse(String(body));

/** Makes the response to a message: undefined for a notification. */
async function respond(work: Work, message: unknown, request: ApiIncoming): Promise<Buffer | undefined> {
  if (!isJSONRPCRequest(message)) return isJSONRPCNotification(message) ? undefined : INVALID;
  const { name, arguments: given = {} } = message.params ?? {};
  const tool = message.method === 'tools/call' && TOOLS.find(({ listed }) => listed.name === name);
  // The SDK would validate and copy the result several times.
  if (tool && isObject(given))
    return writeResult(message.id, await callTool(work, tool, given as Arguments, request));
  const server = new Server(INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  const tools = TOOLS.filter(({ isPro }) => !isPro || request.caller?.tier === 'pro');
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ listed }) => listed) }));
  server.setRequestHandler('tools/call', ({ params: { name: asked } }) => {
    // Its code is Invalid params.
    throw new ProtocolError(-32602, `there is no tool ${quote(asked)}${suggest(asked, TOOL_NAMES)}`);
  });
  return await new Promise((resolve, reject) => {
    const send = async (response: object) => resolve(Buffer.from(JSON.stringify(response)));
    const transport: Transport = { start: async () => {}, close: async () => {}, send };
    server.connect(transport).then(() => transport.onmessage?.(message), reject);
  });
}

/** Escapes JSON as a part of a text. */
const escapeText = (json: string) => JSON.stringify(json).slice(1, -1);

/** How many bytes of escaped records are kept. */
const MAX_KEPT = 16 * 1024 * 1024;
let kept = { bytes: 0, texts: new WeakMap<Buffer, Buffer | null>() };

/** Escapes a record, and keeps the text from its second use: escaping takes longer than the rest of most calls. */
function escapeRecord(record: Buffer): Buffer {
  const known = kept.texts.get(record);
  if (known) return known;
  const text = Buffer.from(escapeText(String(record)));
  if (kept.bytes > MAX_KEPT) kept = { bytes: 0, texts: new WeakMap() };
  kept.bytes += known === null ? text.length : 0;
  kept.texts.set(record, known === null ? text : null);
  return text;
}

/** Writes the response to a tool call, which has the result as JSON, and as a text that is this JSON; or a text that says what is wrong. */
function writeResult(id: string | number, json: Joined | string): Buffer {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`;
  if (typeof json === 'string')
    return Buffer.from(`${head}"isError":true,"content":[{"type":"text","text":${JSON.stringify(json)}}]}}`);
  const text = new Joined(escapeText(json.head), json.records.map(escapeRecord), escapeText(json.end));
  const bytes = Buffer.allocUnsafe(3 * head.length + json.length + text.length + 100);
  let at = json.copyTo(bytes, bytes.write(`${head}"structuredContent":`));
  at = text.copyTo(bytes, at + bytes.write(',"content":[{"type":"text","text":"', at));
  return bytes.subarray(0, at + bytes.write('"}]}}', at));
}

/** Calls a tool by one request of the API. @returns its result as JSON, or a text that says what is wrong */
async function callTool(
  { api, log }: Work,
  tool: Tool,
  given: Arguments,
  request: ApiIncoming,
): Promise<Joined | string> {
  const check = ajv.compile(tool.listed.inputSchema);
  // Many models send null for what they leave out.
  for (const name in given) if (given[name] === null) delete given[name];
  // This also replaces texts that some clients send for numbers and lists, and adds defaults.
  if (!check(given)) {
    const fault = ajv.errorsText(check.errors, { dataVar: 'arguments' });
    const unknown = check.errors?.[0]?.params.additionalProperty as string | undefined;
    return `invalid-arguments: ${unknown === undefined ? fault : `${quote(unknown)} is not an argument`}. Expected: ${Object.keys(tool.input).join(', ')}.`;
  }
  try {
    const game = api.findGame(request, given.game);
    const { dataset = 'characters', limit: _, offset: __, ...unpaged } = given;
    const isSingle = game?.datasets.get(String(dataset))?.kind === 'object';
    const asked = toAsked(tool, isSingle ? { ...unpaged, dataset } : given, api.routes);
    const found = await api.ask(request, asked);
    const json = found instanceof Joined ? found : new Joined(String(found), [], '');
    const result = showPage(tool, given, json, game);
    const isShort = result.length <= MAX_RESULT_CHARS || String(bytesOf(result)).length <= MAX_RESULT_CHARS;
    return isShort ? result : TOO_LONG;
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
    params[name] = String(given[name]).toWellFormed();
    return encodeURIComponent(params[name]);
  });
  const pairs = route.parameters.flatMap(({ name, explode }) => {
    const value = given[name];
    const values = value === undefined ? [] : typeof value === 'object' && explode ? value : [value];
    return values.map((each): [string, string] => [name, String(each)]);
  });
  return { route, path, search: pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '', params };
}

/** Searched once: it takes a quarter of a call. */
const hasEffects = once((record: Buffer) => record.includes('"effects"'));

/** How many records match and are in a response of the API, behind texts such as its game. */
const COUNTS = /^\{(?:"\w+":(?:"(?:[^"\\]|\\.)*"|\d+|null),)*?"total":(\d+),"count":(\d+)/;

/** Returns the requested page of a result, with the sentences of its effects, and where the next one begins. @throws HttpProblem */
function showPage({ shape, rows, input }: Tool, given: Arguments, json: Joined, game?: GameBuild): Joined {
  const [offset, limit] = [Number(given.offset), Number(given.limit)];
  const [, all, count] = ('offset' in input && COUNTS.exec(json.head.slice(0, 2000))) || [];
  let [end, total, shown] = [offset + Number(count), Number(all), json];
  // Parsing a response costs more than making it.
  if (shape || rows || json.head.includes('"effects"') || json.records.some(hasEffects)) {
    const result: Result = JSON.parse(String(bytesOf(json)));
    const described = game?.dictionary.of(String(given.dataset ?? 'characters')).attributes;
    addTexts(result, described?.find(({ key }) => key.endsWith('effects.duration'))?.unit);
    const of = shape?.(result, given, game) ?? result;
    if (rows && Array.isArray(of[rows])) {
      [end, total] = [offset + limit, of[rows].length];
      of[rows] = of[rows].slice(offset, end);
    }
    shown = new Joined(JSON.stringify(result), [], '');
  }
  const next = end > offset && end < total ? `,"next_offset":${end}` : '';
  return new Joined(`{"result":${shown.head}`, shown.records, `${shown.end}${next}}`);
}
