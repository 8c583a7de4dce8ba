import type { IncomingMessage } from 'node:http';

/** A request's target in parts, in the shape that polka expects from its parser. */
export interface Target {
  raw: string;
  pathname: string;
  /** With its `?`; empty where there is no query string. */
  search: string;
  query: Record<string, never>;
  hash: undefined;
}

/** A request while the gateway responds to it. */
export interface Incoming extends IncomingMessage {
  target: Target;
  /** The target's path as sent. `search` is the rest, with its `?`. */
  path: string;
  search: string;
  /** The parameters in the path, decoded; set by the router. */
  params: Readonly<Record<string, string>>;
  /** The prefix of its key, once that is known, for the access log. */
  keyPrefix?: string;
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;
/** polka would parse every query string into an object; routes read their own. */
const NO_QUERY: Record<string, never> = Object.freeze({});

/** Splits a request's target. Proxies may send it in absolute form (RFC 9112, 3.2.2): then the origin is dropped. */
export function toIncoming(message: IncomingMessage): Incoming {
  const request = message as Incoming;
  const target = parseTarget(message.url ?? '/');
  request.target = target;
  request.url = target.raw;
  request.path = target.pathname;
  request.search = target.search;
  return request;
}

function parseTarget(url: string): Target {
  const raw = url.startsWith('/') ? url : `/${url.replace(ORIGIN, '').replace(/^\//, '')}`;
  const at = raw.indexOf('?');
  const pathname = at === -1 ? raw : raw.slice(0, at);
  return { raw, pathname, search: at === -1 ? '' : raw.slice(at), query: NO_QUERY, hash: undefined };
}
