import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Tier } from '../access/account.ts';
import { negotiateCoding } from '../http/content-coding.ts';
import type { Replies, Reply, ReplyPlace } from '../http/replies.ts';

/** The approximate memory of a cache entry without its texts and bytes. */
const ENTRY_BYTES = 1500;
/** How many addresses that were requested once are remembered; a power of two. */
const SLOTS = 1 << 16;

/** A cache of replies that were requested more than once: a reply for a single request uses no memory and displaces no other. */
export class ReplyCache implements Replies {
  readonly #replies: LRUCache<string, Reply>;
  readonly #askedOnce = new Int32Array(SLOTS);

  /** @param maxSize in bytes */
  constructor(maxSize: number) {
    this.#replies = new LRUCache({
      maxSize,
      sizeCalculation: ({ bytes, fields, contentFields }, name) =>
        ENTRY_BYTES + name.length + fields.length + contentFields.length + (bytes?.length ?? 0),
    });
  }

  placeOf({ headers, url }: IncomingMessage, tier: Tier | undefined, form = ''): ReplyPlace {
    const coding = negotiateCoding(headers['accept-encoding']);
    const name = `${tier} ${coding} ${url}${form}`;
    return { cache: this, name, coding, last: this.#replies.get(name) };
  }

  offer(name: string, reply: Reply): void {
    if (this.#replies.has(name) || this.#wasAsked(reply.etag)) this.#replies.set(name, reply);
  }

  /** Returns whether a reply was made before, and remembers it. An ETag begins with the checksum of its address. */
  #wasAsked(etag: string): boolean {
    const checksum = Number.parseInt(etag.slice(1), 36) | 0;
    const slot = checksum & (SLOTS - 1);
    if (this.#askedOnce[slot] === checksum) return true;
    this.#askedOnce[slot] = checksum;
    return false;
  }
}
