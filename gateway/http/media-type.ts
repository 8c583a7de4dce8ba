import Negotiator from 'negotiator';

/** Whether a client wants a media type rather than JSON plainly, by its header Accept (RFC 9110, 12.5.1). */
export function prefersType(accept: string | undefined, type: string): boolean {
  return new Negotiator({ headers: { accept } }).mediaType(['application/json', type]) === type;
}
