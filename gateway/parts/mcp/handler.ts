import { createMcpHandler, type McpHttpHandler, Server } from '@modelcontextprotocol/server';
import { readVersion } from '../../../scripts/core/lib/version.ts';
import type { ApiIncoming } from '../../core/api/api-access.ts';
import { RESOURCE_TEMPLATES, RESOURCES } from './resources.ts';
import { Session, type SessionServices } from './session.ts';
import { makeTools } from './tools.ts';

const INSTRUCTIONS =
  'Reference data of mobile games: characters, datasets and, for Pro keys, what each build changed. Begin with list_games or search, and call describe_game before you filter or ' +
  'choose attributes. Ids belong to one game. Each call counts as a request of the API key: choose attributes with fields, and do not fetch more pages than you need. ' +
  'A free key sees builds 24 hours after their release. Name the source when you publish the data; list_games says how.';

/** Handles MCP requests: the protocol is the SDK's, each request has a server of its own, and nothing is kept between them. */
export class McpHandler {
  readonly #handler: McpHttpHandler;

  constructor(services: Omit<SessionServices, 'tools'>) {
    const tools = makeTools(services.api.routes);
    this.#handler = createMcpHandler(
      ({ authInfo }) =>
        makeServer(new Session({ ...services, tools }, authInfo?.extra?.request as ApiIncoming)),
      {
        // There are no events: clients that want to listen are refused.
        maxSubscriptions: 0,
      },
    );
  }

  /** Responds to a request. @param request one whose caller was identified @param message its body, parsed */
  async respond(request: ApiIncoming, message: unknown): Promise<Response> {
    const headers = new Headers();
    for (const name of ['accept', 'content-type']) headers.set(name, String(request.headers[name] ?? ''));
    for (const [name, value] of Object.entries(request.headers))
      if (name.startsWith('mcp-')) headers.set(name, String(value));
    const authInfo = { token: '', clientId: '', scopes: [], extra: { request } };
    const web = new Request('http://localhost/mcp', { method: 'POST', headers });
    return await this.#handler.fetch(web, { authInfo, parsedBody: message });
  }
}

function makeServer(session: Session): Server {
  const server = new Server(
    { name: 'game-data-read-api', title: 'Game Data Read API', version: readVersion() },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => session.listTools());
  server.setRequestHandler('tools/call', ({ params }) => session.callTool(params.name, params.arguments));
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params }) => session.readResource(params.uri));
  return server;
}
