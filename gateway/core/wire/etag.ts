import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ContentCoding } from './content-coding.ts';

/** Part of every ETag. Raise it when the form of responses changes: then no response in a client's cache is valid any more. */
const SERIALIZER = 2;

/** How many digests are kept for each media type: few are in use at a time, each at many addresses. */
const MAX_DIGESTS = 1000;
const digests = new Map<string, LRUCache<string, string>>();

/**
 * Makes a strong ETag. It only has to distinguish responses of one address, but contains a checksum of the address, so that a client
 * that mixes up two addresses gets no 304.
 *
 * @param type the media type
 * @param tag with the address, identifies all that the response is made of
 */
export function makeEtag(type: string, tag: string, target: string, coding: ContentCoding): string {
  return `"${checksum(target).toString(36)}-${digestOf(type, tag)}-${coding}"`;
}

function digestOf(type: string, tag: string): string {
  let digestsOfType = digests.get(type);
  if (digestsOfType === undefined) {
    digestsOfType = new LRUCache({ max: MAX_DIGESTS });
    digests.set(type, digestsOfType);
  }
  let digest = digestsOfType.get(tag);
  if (digest === undefined) {
    digest = hash('sha256', `${SERIALIZER} ${type} ${tag}`, 'base64url').slice(0, 27);
    digestsOfType.set(tag, digest);
  }
  return digest;
}

/** FNV-1a of the UTF-16 code units, as an unsigned 32-bit integer. */
function checksum(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}

/** Returns whether If-None-Match (RFC 9110, 13.1.2) contains the tag. The comparison is weak, since proxies that compress weaken tags. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.split(',').some((part) => {
    const candidate = part.trim();
    return candidate === '*' || candidate === etag || candidate === `W/${etag}`;
  });
}
