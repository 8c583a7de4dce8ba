import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { GameEvent } from '../../../../gateway/people/alerts/event.ts';
import { checkEvent } from '../../openapi/open-api-check.ts';
import { endServer, listen } from '../../../support/listen.ts';

/** A request that was posted to a consumer. */
export interface Post {
  headers: IncomingHttpHeaders;
  body: string;
  event: GameEvent;
  /** When it arrived, by the real clock, in ms. */
  at: number;
}

/** A server that receives webhooks on a free port, and checks them against the OpenAPI document. */
export interface Consumer {
  url: string;
  posts: Post[];
  stop(): Promise<void>;
}

/** Writes the response to a post; `before` is the number of posts before it. */
export type Responder = (response: ServerResponse, before: number, request: IncomingMessage) => void;

/** Starts a consumer; without `respond` it accepts every post. */
export async function startConsumer(
  respond: Responder = (response) => response.writeHead(204).end(),
): Promise<Consumer> {
  const posts: Post[] = [];
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const body = await text(request);
    checkEvent(body);
    posts.push({ headers: request.headers, body, event: JSON.parse(body) as GameEvent, at });
    respond(response, posts.length - 1, request);
  });
  return { url: `${await listen(server)}/hook`, posts, stop: () => endServer(server) };
}
