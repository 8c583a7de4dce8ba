import { hash } from 'node:crypto';
import type { ContentCoding } from './content-coding.ts';

/** Part of every ETag: another number here, and no cached answer counts any more. Raise it when the form of answers changes. */
const SERIALIZER = 1;

/**
 * Makes a strong ETag.
 *
 * @param content stands for all that the answer is made of, with the address
 */
export function makeEtag(content: string, target: string, coding: ContentCoding): string {
  const digest = hash('sha256', `${SERIALIZER} ${content} ${target}`, 'base64url');
  return `"${digest.slice(0, 27)}-${coding}"`;
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
