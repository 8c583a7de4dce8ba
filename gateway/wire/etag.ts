import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ContentCoding } from './content-coding.ts';

/** Part of every ETag: another number here, and no cached answer counts any more. Raise it when the form of answers changes. */
const SERIALIZER = 1;

/** How many digests of contents are kept for each media type: few are in use at a time, each at many addresses. */
const MOST_DIGESTS = 1000;
const digests = new Map<string, LRUCache<string, string>>();

/**
 * Makes a strong ETag. Only answers at one address need to be told apart by it; the address is in it by a checksum nevertheless, so that
 * a client that mixes up two is found out.
 *
 * @param type the media type
 * @param tag stands for all that the answer is made of, with the address
 */
export function makeEtag(type: string, tag: string, target: string, coding: ContentCoding): string {
  return `"${checksum(target).toString(36)}-${digestOf(type, tag)}-${coding}"`;
}

function digestOf(type: string, tag: string): string {
  let known = digests.get(type);
  if (known === undefined) {
    known = new LRUCache({ max: MOST_DIGESTS });
    digests.set(type, known);
  }
  let digest = known.get(tag);
  if (digest === undefined) {
    digest = hash('sha256', `${SERIALIZER} ${type} ${tag}`, 'base64url').slice(0, 27);
    known.set(tag, digest);
  }
  return digest;
}

/**
 * The checksum of the address, as a signed integer of 32 bits, from an ETag made here: to read it takes a fourth of the time that to make it
 * does.
 */
export function checksumOf(etag: string): number {
  return Number.parseInt(etag.slice(1), 36) | 0;
}

/** FNV-1a of the UTF-16 units, as an unsigned integer of 32 bits. */
function checksum(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}

/** Whether If-None-Match (RFC 9110, 13.1.2) names the tag; compared weakly, since proxies that compress weaken tags. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.split(',').some((part) => {
    const given = part.trim();
    return given === '*' || given === etag || given === `W/${etag}`;
  });
}
