import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { detach } from '../bytes/draft.ts';
import type { Tier } from '../plans/account.ts';
import { type ContentCoding, negotiateCoding } from './content-coding.ts';
import { checksumOf } from './etag.ts';

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
  /** Whether the bytes are compressed. */
  isCoded: boolean;
  /**
   * The mark of the view that the reply was made from; absent when the reply depends on anything else. The same request in the same view
   * has the same reply.
   */
  view?: symbol;
}

/** The place of a reply in the cache. */
export interface ReplyPlace {
  cache: ReplyCache;
  /** The cache's key: two requests with the same name and the same view have the same reply. */
  name: string;
  /** The coding that the client prefers. */
  coding: ContentCoding;
  /** The reply in the cache, if any, made from any view. */
  kept: Reply | undefined;
}

/** The approximate memory of a cache entry without its texts and bytes. */
const ENTRY_OVERHEAD_BYTES = 1500;
/** How many addresses that were requested once are remembered; a power of two. */
const DOORKEEPER_SLOTS = 1 << 16;

/**
 * A least-recently-used cache of replies. It holds only replies that were requested more than once, so that a reply for a single request
 * uses no memory and displaces no other entry (the doorkeeper of TinyLFU, https://arxiv.org/abs/1512.00727).
 */
export class ReplyCache {
  readonly #replies: LRUCache<string, Reply>;
  readonly #askedOnce = new Int32Array(DOORKEEPER_SLOTS);

  /** @param maxSize in bytes */
  constructor(maxSize: number) {
    this.#replies = new LRUCache({
      maxSize,
      sizeCalculation: ({ bytes, fields, contentFields }, name) =>
        (bytes?.length ?? 0) +
        2 * (fields.length + contentFields.length + name.length) +
        ENTRY_OVERHEAD_BYTES,
    });
  }

  /**
   * Looks up the place of the reply to a request.
   *
   * @param tier the caller's; undefined for an address that requires no key
   */
  placeOf({ headers, url }: IncomingMessage, tier: Tier | undefined): ReplyPlace {
    const coding = negotiateCoding(headers['accept-encoding'] as string | undefined);
    const name = `${tier} ${coding} ${url}`;
    return { cache: this, name, coding, kept: this.get(name) };
  }

  /** Returns the reply with a name, made from any view. */
  get(name: string): Reply | undefined {
    return this.#replies.get(name);
  }

  /** Stores a reply, replacing the one with the same name. */
  set(name: string, reply: Reply): void {
    if (reply.bytes !== undefined) reply.bytes = detach(reply.bytes);
    this.#replies.set(name, reply);
  }

  /** Remembers the address of an ETag. @returns whether it is known to have been requested before */
  isAskedAgain(etag: string): boolean {
    const checksum = checksumOf(etag);
    const slot = checksum & (DOORKEEPER_SLOTS - 1);
    const isKnown = this.#askedOnce[slot] === checksum;
    this.#askedOnce[slot] = checksum;
    return isKnown;
  }
}
