import Negotiator from 'negotiator';

/** Returns whether a client prefers a media type to `application/json`, by its Accept header (RFC 9110, 12.5.1). */
export function prefersType(accept: string | undefined, type: string): boolean {
  return new Negotiator({ headers: { accept } }).mediaType(['application/json', type]) === type;
}
