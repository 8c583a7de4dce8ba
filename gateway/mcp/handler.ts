import { createMcpHandler, type McpHttpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import { isObject } from '../../scripts/format/dist-format.ts';
import { readVersion } from '../../scripts/lib/version.ts';
import type { ApiIncoming } from '../api/api-access.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { RESOURCE_TEMPLATES, RESOURCES } from './resources.ts';
import { Session, type SessionServices } from './session.ts';
import { makeTools } from './tools.ts';

const INSTRUCTIONS =
  'Reference data of mobile games: characters, datasets and, for Pro keys, what each build changed. Begin with list_games or search, and call describe_game before you filter or ' +
  'choose attributes. Ids belong to one game. Each call counts as a request of the API key: choose attributes with fields, and do not fetch more pages than you need. ' +
  'A free key sees builds 24 hours after their release. Name the source when you publish the data; list_games says how.';

/** Protocol versions in which a message needs nothing but itself. */
const STATELESS = new Set<unknown>([undefined, '2025-03-26', '2025-06-18', '2025-11-25']);
/** Begins the names of what later versions have in `_meta`. */
const RESERVED = 'io.modelcontextprotocol/';

/** The media type of JSON, with or without parameters. */
const JSON_BODY = /^application\/json\s*(;|$)/i;

/** A response: the bytes of JSON that is made here, or what the SDK made. */
export type McpResponse = Buffer | Response;

/**
 * Handles MCP requests. Nothing is kept between them. A single message of a method that only reads is responded to here, which takes a
 * quarter of the time; the protocol of everything else is the SDK's, with a server of its own for each request.
 */
export class McpHandler {
  readonly #handler: McpHttpHandler;
  readonly #services: SessionServices;

  constructor(services: Omit<SessionServices, 'tools'>) {
    this.#services = { ...services, tools: makeTools(services.api.routes) };
    this.#handler = createMcpHandler(
      ({ authInfo }) => makeServer(new Session(this.#services, authInfo?.extra?.request as ApiIncoming)),
      {
        // There are no events: clients that want to listen are refused.
        maxSubscriptions: 0,
      },
    );
  }

  /** Responds to a request. @param request one whose caller was identified @param message its body, parsed */
  async respond(request: ApiIncoming, message: unknown): Promise<McpResponse> {
    const call = readCall(request, message);
    if (call) return await this.#respondDirectly(request, call);
    const headers = new Headers();
    for (const name of ['accept', 'content-type']) headers.set(name, String(request.headers[name] ?? ''));
    for (const [name, value] of Object.entries(request.headers))
      if (name.startsWith('mcp-')) headers.set(name, String(value));
    const authInfo = { token: '', clientId: '', scopes: [], extra: { request } };
    const web = new Request('http://localhost/mcp', { method: 'POST', headers });
    return await this.#handler.fetch(web, { authInfo, parsedBody: message });
  }

  async #respondDirectly(request: ApiIncoming, { id, method, params }: Call): Promise<Buffer> {
    const begin = `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
    try {
      const session = new Session(this.#services, request);
      const result = await READERS[method]?.(session, params);
      const json = Buffer.isBuffer(result) ? result : Buffer.from(JSON.stringify(result));
      return Buffer.concat([Buffer.from(`${begin},"result":`), json, Buffer.from('}')]);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const { code, message, data } = error;
      return Buffer.from(`${begin},"error":${JSON.stringify({ code, message, data })}}`);
    }
  }
}

/** A message that is a call of one of the `READERS`. */
interface Call {
  id: string | number;
  method: string;
  params: CallParams;
}

interface CallParams {
  name: string;
  uri: string;
  arguments: unknown;
}

/** What responds to each method that only reads. Bytes are the JSON of the result. */
const READERS: Readonly<Record<string, (session: Session, params: CallParams) => unknown>> = {
  'tools/list': (session) => session.listTools(),
  'tools/call': (session, { name, arguments: given }) => session.callTool(name, given),
  'resources/list': () => ({ resources: RESOURCES }),
  'resources/templates/list': () => ({ resourceTemplates: RESOURCE_TEMPLATES }),
  'resources/read': (session, { uri }) => session.readResource(uri),
  'prompts/list': () => listPrompts(),
  'prompts/get': (_session, { name, arguments: given }) => getPrompt(name, given as Record<string, string>),
};

/** Reads a message that needs nothing of the SDK; undefined for all others. */
function readCall({ headers }: ApiIncoming, message: unknown): Call | undefined {
  if (!isObject(message)) return undefined;
  const { jsonrpc, id, method, params = {} } = message as Partial<Call> & { jsonrpc?: unknown };
  const isJson =
    JSON_BODY.test(headers['content-type'] ?? '') && headers.accept?.includes('application/json');
  if (jsonrpc !== '2.0' || !isId(id) || !isJson) return undefined;
  if (!STATELESS.has(headers['mcp-protocol-version'])) return undefined;
  if (typeof method !== 'string' || !Object.hasOwn(READERS, method) || !hasTexts(method, params))
    return undefined;
  const { _meta: meta } = params as { _meta?: object };
  const isLater = Object.keys(meta ?? {}).some((name) => name.startsWith(RESERVED));
  return isLater ? undefined : { id, method, params };
}

/** Whether a value is the id of a request. The SDK refuses all others, such as a number that JSON would not show again. */
function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** Whether the parameters that a method reads have their types. The SDK says what is wrong with others. */
function hasTexts(method: string, params: unknown): params is CallParams {
  if (!isObject(params)) return false;
  const { name, uri, arguments: given } = params;
  if (method === 'resources/read') return typeof uri === 'string';
  if (method === 'tools/call') return typeof name === 'string';
  if (method !== 'prompts/get') return true;
  const texts = given === undefined ? [] : isObject(given) ? Object.values(given) : [undefined];
  return typeof name === 'string' && texts.every((text) => typeof text === 'string');
}

function makeServer(session: Session): Server {
  const server = new Server(
    { name: 'game-data-read-api', title: 'Game Data Read API', version: readVersion() },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => session.listTools());
  server.setRequestHandler('tools/call', async ({ params }) =>
    JSON.parse(String(await session.callTool(params.name, params.arguments))),
  );
  server.setRequestHandler('prompts/list', () => listPrompts());
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments));
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params }) => session.readResource(params.uri));
  return server;
}
