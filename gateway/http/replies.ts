import type { IncomingMessage } from 'node:http';
import type { Tier } from '../access/account.ts';
import { type ContentCoding, negotiateCoding } from './content-coding.ts';

/** The parts of a 200 that are the same for every request. */
export interface Reply {
  /** Empty when the response must not be cached. */
  etag: string;
  /** The header fields that a 304 has as well, as lines that each end with CRLF. */
  fields: string;
  /** The header fields that a 304 does not have: Link, and those about the bytes. */
  contentFields: string;
  /** Absent until the first request of a client that does not have the bytes. */
  bytes: Buffer | undefined;
  /**
   * The mark of the view that the reply was made from; absent when the reply depends on anything else. The same request in the same view
   * has the same reply.
   */
  view?: symbol;
}

/** The place of a reply in the cache. */
export interface ReplyPlace {
  cache: Replies;
  /** The cache's key: two requests with the same name and the same view have the same reply. */
  name: string;
  /** The coding that the client prefers. */
  coding: ContentCoding;
  /** The reply in the cache, if any, made from any view. */
  last: Reply | undefined;
}

/** Keeps replies in memory. */
export interface Replies {
  /**
   * Looks up the place of the reply to a request.
   *
   * @param tier the caller's; undefined for an address that requires no key
   * @param form of the response, where the Accept header chooses it; empty for JSON
   */
  placeOf(request: IncomingMessage, tier: Tier | undefined, form?: string): ReplyPlace;
  /** Stores a reply if it is worth its memory; always if it replaces one with the same name. */
  offer(name: string, reply: Reply): void;
}

/** For a gateway without the part that keeps replies. */
export const NO_REPLIES: Replies = {
  placeOf: ({ headers }) => ({
    cache: NO_REPLIES,
    name: '',
    coding: negotiateCoding(headers['accept-encoding']),
    last: undefined,
  }),
  offer() {},
};
