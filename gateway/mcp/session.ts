import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { pointerTo } from '../../scripts/lib/json-pointer.ts';
import type { ApiAccess, ApiIncoming, Asked } from '../api/api-access.ts';
import { toProblem } from '../api/handle-route.ts';
import { HttpProblem } from '../http/problem.ts';
import { quote, suggest } from '../http/suggest.ts';
import type { Log } from '../http/log.ts';
import { counterNameOfKey } from '../access/account.ts';
import { checkArguments } from './check-arguments.ts';
import { explainError, TOO_LARGE } from './explain-error.ts';
import { findResource, JSON_TYPE } from './resources.ts';
import { type Cut, type Page, shorten, takePage } from './shorten.ts';
import { type ShortText, shortenText, toByteText } from './shorten-text.ts';
import { type Arguments, parseResult, type Tool, toAsked } from './tool.ts';
import type { UnchargedMessages } from './uncharged.ts';

/** What a session needs. */
export interface SessionServices {
  api: ApiAccess;
  log: Log;
  /** Has counted each message of the request. */
  uncharged: UnchargedMessages;
  /** All tools. */
  tools: readonly Tool[];
}

/** The calls in one request of an MCP client: each is made as the caller of that request, and counts as the request of the API that it stands for. */
export class Session {
  readonly #services: SessionServices;
  readonly #request: ApiIncoming;

  /** @param request one whose caller was identified */
  constructor(services: SessionServices, request: ApiIncoming) {
    this.#services = services;
    this.#request = request;
  }

  /** The tools that the caller may use. */
  listTools(): ListToolsResult {
    return { tools: this.#tools.map(describeTool) };
  }

  /**
   * Calls a tool. A failure is a result too, so that the model reads what to try next.
   *
   * @returns the JSON of the result
   * @throws ProtocolError for an unknown tool
   */
  async callTool(name: string, values: unknown): Promise<Buffer> {
    const { tools } = this.#services;
    const tool = tools.find((each) => each.name === name);
    if (!tool) {
      const near = suggest(
        name,
        tools.map((each) => each.name),
      );
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${quote(name)}${near}`);
    }
    const checked = await checkArguments(tool.input, values ?? {});
    if (typeof checked === 'string') return fail(`invalid-arguments: ${checked}`);
    try {
      return await this.#run(tool, checked);
    } catch (error) {
      return fail(explainError(toProblem(error, this.#services.log), tool));
    }
  }

  /** Reads a resource. @throws ProtocolError if there is none, or it cannot be read */
  async readResource(uri: string): Promise<ReadResourceResult> {
    const request = findResource(uri, this.#services.api.routes);
    if (!request) throw new ResourceNotFoundError(uri, `there is no resource ${quote(uri)}`);
    try {
      const json = await this.#ask(toAsked(request));
      return { contents: [{ uri, mimeType: JSON_TYPE, text: json.toString() }] };
    } catch (error) {
      const text = explainError(toProblem(error, this.#services.log));
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
    }
  }

  get #tools(): readonly Tool[] {
    return this.#services.tools.filter(({ isPro }) => !isPro || this.#request.caller?.tier === 'pro');
  }

  /** Makes a request, which is charged, unless the quota is used up. */
  async #ask(asked: Asked): Promise<Buffer> {
    const { api, uncharged } = this.#services;
    const { caller } = this.#request;
    if (caller) uncharged.add(counterNameOfKey(caller.key), -1);
    try {
      return await api.ask(this.#request, asked);
    } catch (error) {
      const isRefused = error instanceof HttpProblem && error.status === 429;
      if (caller && isRefused) uncharged.add(counterNameOfKey(caller.key), 1);
      throw error;
    }
  }

  async #run(tool: Tool, given: Arguments): Promise<Buffer> {
    const { api } = this.#services;
    const kindOf = (game: string, dataset: string) => api.kindOf(this.#request, game, dataset);
    const json = await this.#ask(toAsked(tool.ask(given, { kindOf })));
    const page = tool.page?.(given);
    const short = tool.trim || page ? trimResult(tool, json, given) : shortenText(json);
    if (!short) return fail(TOO_LARGE);
    const { cut } = short;
    const following = short.next ?? nextOffset(short.around, given);
    const offset = hasPages(tool) ? (nextAfter(cut, page, given) ?? following) : undefined;
    const next = offset === undefined ? '' : `,"next_offset":${offset}`;
    const shown = `{"result":${short.json}${next}${cut.length > 0 ? `,"cut":${toByteText(JSON.stringify(cut))}` : ''}}`;
    const result = `{"structuredContent":${shown},"content":[{"type":"text","text":${JSON.stringify(shown)}}]}`;
    return Buffer.from(result, 'latin1');
  }
}

/** Makes a result short whose members a tool changes. */
function trimResult(tool: Tool, json: Buffer, given: Arguments): ShortText | undefined {
  const around = parseResult(json.toString());
  const { total = null, count = null } = around;
  tool.trim?.(around, given);
  const page = tool.page?.(given);
  const next = page && takePage(around, page);
  const short = shorten(around, page?.list);
  return (
    short && {
      json: toByteText(JSON.stringify(short.result)),
      cut: short.cut,
      around: { total, count },
      next,
    }
  );
}

function hasPages({ input: { properties } }: Tool): boolean {
  return typeof properties === 'object' && properties !== null && 'offset' in properties;
}

/** Where the next page begins if the list of the pages was cut: after the last record that is shown. */
function nextAfter(cut: readonly Cut[], page: Page | undefined, { offset }: Arguments): number | undefined {
  const list = page && pointerTo('', ...page.list);
  const cutList = cut.find(({ path }) => (list === undefined ? path.split('/').length === 2 : path === list));
  return cutList && Number(offset ?? 0) + cutList.shown;
}

/** Where the next page of a route's own pages begins. */
function nextOffset({ total, count }: JsonObject, { offset }: Arguments): number | undefined {
  if (typeof total !== 'number' || typeof count !== 'number' || count === 0) return undefined;
  const next = Number(offset ?? 0) + count;
  return next < total ? next : undefined;
}

function describeTool({ name, title, description, input }: Tool): ListToolsResult['tools'][number] {
  return {
    ...{ name, title, description },
    inputSchema: { ...input, type: 'object' },
    annotations: { title, readOnlyHint: true, openWorldHint: false },
  };
}

function fail(text: string): Buffer {
  return Buffer.from(
    JSON.stringify({ isError: true, content: [{ type: 'text', text }] } satisfies CallToolResult),
  );
}
