import type { IncomingMessage, ServerResponse } from 'node:http';
import { openSessionKey } from '../accounts/session-key.ts';
import { type AccountServices, sessionOf } from './handle-session.ts';

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/**
 * Responds with the browser key of the visitor's session, for scripts of this gateway's own pages: `{"key", "expires_at"}`, both null for a
 * visitor who is not signed in. Pages of other origins cannot read it, because it has no CORS header fields.
 */
export async function sendBrowserKey(
  services: AccountServices,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { store, publicUrl } = services;
  const session = await sessionOf(request, services);
  const { origin } = new URL(publicUrl());
  const made = session && (await openSessionKey(store, session, origin));
  const bytes = Buffer.from(JSON.stringify(made ?? { key: null, expires_at: null }));
  response
    .writeHead(200, { ...HEADERS, 'Content-Length': bytes.length })
    .end(request.method === 'HEAD' ? undefined : bytes);
}
