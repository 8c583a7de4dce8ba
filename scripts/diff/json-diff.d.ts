/** The part of json-diff 1.x that is used here. The package has no types. */
declare module 'json-diff' {
  /** Compares two lists of scalars: one entry per element, which is kept, removed or added; undefined for equal lists. */
  export function diff<T>(before: T[], after: T[]): [' ' | '-' | '+', T?][] | undefined;
}
