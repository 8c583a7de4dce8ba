import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { detach } from '../../core/bytes/draft.ts';
import type { Tier } from '../../core/plans/account.ts';
import { type ContentCoding, negotiateCoding } from '../../core/wire/content-coding.ts';
import { checksumOf } from '../../core/wire/etag.ts';
import { FrequencySketch } from './frequency-sketch.ts';

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
  /** The checksum of its address, once it was offered to a cache. */
  checksum?: number;
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
 * A cache of replies that were requested more than once: a reply for a single request uses no memory and displaces no other. When it is
 * full, a reply replaces the least recently used one only if it is requested more often, so that a cycle of more addresses than fit does not
 * empty it (TinyLFU with its doorkeeper, https://arxiv.org/abs/1512.00727).
 */
export class ReplyCache {
  readonly #replies: LRUCache<string, Reply>;
  readonly #maxSize: number;
  readonly #askedOnce = new Int32Array(DOORKEEPER_SLOTS);
  readonly #frequencies = new FrequencySketch();

  /** @param maxSize in bytes */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
    this.#replies = new LRUCache({ maxSize, sizeCalculation: sizeOf });
  }

  /**
   * Looks up the place of the reply to a request.
   *
   * @param tier the caller's; undefined for an address that requires no key
   * @param form of the response, where the Accept header chooses it; empty for JSON
   */
  placeOf({ headers, url }: IncomingMessage, tier: Tier | undefined, form = ''): ReplyPlace {
    const coding = negotiateCoding(headers['accept-encoding'] as string | undefined);
    const name = `${tier} ${coding} ${url}${form}`;
    return { cache: this, name, coding, kept: this.get(name) };
  }

  /** Returns the reply with a name, made from any view. */
  get(name: string): Reply | undefined {
    const reply = this.#replies.get(name);
    if (reply?.checksum !== undefined) this.#frequencies.count(reply.checksum);
    return reply;
  }

  /** Stores a reply if it is worth its memory; always if it replaces one with the same name. */
  offer(name: string, reply: Reply): void {
    const checksum = checksumOf(reply.etag);
    const isKept = this.#replies.has(name);
    if (!isKept && !this.#isAskedAgain(checksum)) return;
    if (!isKept) this.#frequencies.count(checksum);
    if (!isKept && !this.#deserves(checksum, sizeOf(reply, name))) return;
    if (reply.bytes !== undefined) reply.bytes = detach(reply.bytes);
    reply.checksum = checksum;
    this.#replies.set(name, reply);
  }

  /** Remembers an address. @returns whether it is known to have been requested before */
  #isAskedAgain(checksum: number): boolean {
    const slot = checksum & (DOORKEEPER_SLOTS - 1);
    const isKnown = this.#askedOnce[slot] === checksum;
    this.#askedOnce[slot] = checksum;
    return isKnown;
  }

  /** Returns whether a reply fits, or is requested more often than the one that would be dropped for it. */
  #deserves(checksum: number, size: number): boolean {
    if (this.#replies.calculatedSize + size <= this.#maxSize) return true;
    const [oldest] = this.#replies.rvalues();
    if (oldest?.checksum === undefined) return true;
    return this.#frequencies.estimate(checksum) > this.#frequencies.estimate(oldest.checksum);
  }
}

/** Returns the approximate memory of a cache entry, in bytes. */
function sizeOf({ bytes, fields, contentFields }: Reply, name: string): number {
  const texts = fields.length + contentFields.length + name.length;
  return (bytes?.length ?? 0) + 2 * texts + ENTRY_OVERHEAD_BYTES;
}
