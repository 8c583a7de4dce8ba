import type { IncomingMessage } from 'node:http';
import type { Holder } from '../plans/shares.ts';
import type { ClientAddress } from './client-address.ts';
import type { PageFrame } from './page-frame.ts';

/** A request while the gateway responds to it. */
export interface Incoming extends IncomingMessage {
  /** The target's path as sent. `search` is the rest, with its `?`. */
  path: string;
  search: string;
  /** The parameters in the path, decoded; set by the router. */
  params: Readonly<Record<string, string>>;
  /** The prefix of its key, once that is known, for the access log. */
  keyPrefix?: string;
  /** The id of its account, once that is known. */
  account?: string;
  /** Its key or read-only address, once that is known, as one of those that share what the account has. */
  holder?: Holder;
  /** Returns the IP address that it comes from, if that is not the one of its connection. */
  clientAddress?: ClientAddress;
  /** The tier of its caller, once that is known, for metrics. */
  tier?: string;
  /** The path with `:name` for parameters that it was routed by, for metrics; undefined when nothing is there. */
  pattern?: string;
  /** How the gateway's pages look; set for endpoints. */
  frame?: PageFrame | undefined;
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Splits a request's target. Proxies may send it in absolute form (RFC 9112, 3.2.2): then the origin is dropped. */
export function toIncoming(message: IncomingMessage): Incoming {
  const request = message as Incoming;
  const { url = '/' } = message;
  const target = url.startsWith('/') ? url : `/${url.replace(ORIGIN, '').replace(/^\//, '')}`;
  const at = target.indexOf('?');
  request.url = target;
  request.path = at === -1 ? target : target.slice(0, at);
  request.search = at === -1 ? '' : target.slice(at);
  return request;
}
