/** The part of json-diff 1.x that is used here; the package has no types of its own. */
declare module 'json-diff' {
  /** Of two lists of scalars: an entry an element, kept, gone or new; undefined for equal lists. */
  export function diff<T>(before: T[], after: T[]): [' ' | '-' | '+', T?][] | undefined;
}
