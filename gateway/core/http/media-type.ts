import Negotiator from 'negotiator';

/** Clients send some hundred characters at most. A longer Accept counts as none: it can take milliseconds to read. */
export const MAX_ACCEPT_LENGTH = 1000;

/** Returns whether a client prefers a media type to `application/json`, by its Accept header (RFC 9110, 12.5.1). */
export function prefersType(accept: string | undefined, type: string): boolean {
  if (accept !== undefined && accept.length > MAX_ACCEPT_LENGTH) return false;
  return new Negotiator({ headers: { accept } }).mediaType(['application/json', type]) === type;
}
