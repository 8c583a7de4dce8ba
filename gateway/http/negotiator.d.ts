/** The part of negotiator 1.x that is used here; the package has no types of its own. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string | undefined> });
    /** @param options.preferred which of equally wanted encodings come first */
    encoding(available: readonly string[], options?: { preferred?: readonly string[] }): string | undefined;
    /** The best of the available media types by the header Accept. */
    mediaType(available: readonly string[]): string | undefined;
  }
}
