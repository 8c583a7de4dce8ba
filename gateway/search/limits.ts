/** The size of a page of results. */
export const DEFAULT_LIMIT = 20;
/** The largest page of results. */
export const MAX_LIMIT = 100;
