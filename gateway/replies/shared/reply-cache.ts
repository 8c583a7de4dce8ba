import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { detach } from '../../http/draft.ts';
import type { Tier } from '../../access/account.ts';
import { negotiateCoding } from '../../http/content-coding.ts';
import type { Replies, Reply, ReplyPlace } from '../../http/replies.ts';
import { FrequencySketch } from './frequency-sketch.ts';

/** The approximate memory of a cache entry without its texts and bytes. */
const ENTRY_OVERHEAD_BYTES = 1500;
/** How many addresses that were requested once are remembered; a power of two. */
const DOORKEEPER_SLOTS = 1 << 16;

/**
 * A cache of replies that were requested more than once: a reply for a single request uses no memory and displaces no other. When it is
 * full, a reply replaces the least recently used one only if it is requested more often, so that a cycle of more addresses than fit does not
 * empty it (TinyLFU with its doorkeeper, https://arxiv.org/abs/1512.00727).
 */
export class ReplyCache implements Replies {
  readonly #replies: LRUCache<string, Reply>;
  readonly #maxSize: number;
  readonly #askedOnce = new Int32Array(DOORKEEPER_SLOTS);
  readonly #frequencies = new FrequencySketch();

  /** @param maxSize in bytes */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
    this.#replies = new LRUCache({ maxSize, sizeCalculation: sizeOf });
  }

  placeOf({ headers, url }: IncomingMessage, tier: Tier | undefined, form = ''): ReplyPlace {
    const coding = negotiateCoding(headers['accept-encoding']);
    const name = `${tier} ${coding} ${url}${form}`;
    return { cache: this, name, coding, last: this.get(name) };
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

/**
 * Reads the checksum of the address from an ETag, as a signed 32-bit integer: four times as fast as computing it.
 */
function checksumOf(etag: string): number {
  return Number.parseInt(etag.slice(1), 36) | 0;
}
