import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { detach } from '../bytes/draft.ts';
import type { Tier } from '../plans/account.ts';
import { type ContentCoding, negotiateCoding } from './content-coding.ts';
import { checksumOf } from './etag.ts';

/** A 200 as it goes out, but for what holds for one request only. */
export interface Reply {
  /** Empty where nobody may keep it. */
  etag: string;
  /** Header fields that the 304 in its place has as well, as lines that each end with CRLF. */
  fields: string;
  /** Those that it has not: Link, and what tells of the bytes. */
  contentFields: string;
  /** Absent where nobody but clients that have them asked yet. */
  bytes: Buffer | undefined;
  /** Whether the bytes are compressed. */
  isCoded: boolean;
  /**
   * The mark of what the caller saw; absent where the answer is not made of it. While that is current, the same request has the same reply.
   */
  view?: symbol;
}

/** Where the reply to a request is kept, or would be. */
export interface ReplyPlace {
  cache: ReplyCache;
  /** Tells replies apart, as far as requests do: two with one name, to callers who see the same, have the same reply. */
  name: string;
  /** The coding that the request asks for. */
  coding: ContentCoding;
  /** The reply that was there when it was looked up, whatever it was made of. */
  kept: Reply | undefined;
}

/** What an entry of the cache costs beside its texts and bytes, about. */
const ENTRY_OVERHEAD = 1500;
/** How many addresses are remembered that were asked for once; a power of two. */
const DOORKEEPER_SLOTS = 1 << 16;

/**
 * Replies that are asked for again and again, by their names: least recently used ones go when it is full. What is asked for once is not
 * worth its memory, nor what is dropped for it, and is not kept (the doorkeeper of TinyLFU, https://arxiv.org/abs/1512.00727).
 */
export class ReplyCache {
  readonly #replies: LRUCache<string, Reply>;
  readonly #askedOnce = new Int32Array(DOORKEEPER_SLOTS);

  /** @param maxSize in bytes */
  constructor(maxSize: number) {
    this.#replies = new LRUCache({
      maxSize,
      sizeCalculation: ({ bytes, fields, contentFields }, name) =>
        (bytes?.length ?? 0) + 2 * (fields.length + contentFields.length + name.length) + ENTRY_OVERHEAD,
    });
  }

  /**
   * Looks up where the reply to a request is kept.
   *
   * @param tier of who asks; undefined where nobody needs a key
   */
  placeOf({ headers, url }: IncomingMessage, tier: Tier | undefined): ReplyPlace {
    const coding = negotiateCoding(headers['accept-encoding'] as string | undefined);
    const name = `${tier} ${coding} ${url}`;
    return { cache: this, name, coding, kept: this.get(name) };
  }

  /** The reply of a name, whatever it was made of. */
  get(name: string): Reply | undefined {
    return this.#replies.get(name);
  }

  /** Keeps a reply, in place of the one that the name had. */
  set(name: string, reply: Reply): void {
    if (reply.bytes !== undefined) reply.bytes = detach(reply.bytes);
    this.#replies.set(name, reply);
  }

  /** Whether the address that a reply's ETag is of was asked for before, as far as is remembered; from now on it was. */
  isAskedAgain(etag: string): boolean {
    const checksum = checksumOf(etag);
    const slot = checksum & (DOORKEEPER_SLOTS - 1);
    const isKnown = this.#askedOnce[slot] === checksum;
    this.#askedOnce[slot] = checksum;
    return isKnown;
  }
}
