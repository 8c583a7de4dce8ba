/** The part of negotiator 1.x that is used here; the package has no types. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string | undefined> });
    /** @param options.preferred the order of encodings with equal weight */
    encoding(available: readonly string[], options?: { preferred?: readonly string[] }): string | undefined;
    /** Returns the best of the available media types by the Accept header. */
    mediaType(available: readonly string[]): string | undefined;
  }
}
