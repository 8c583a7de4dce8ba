/** How users of the data must attribute it. */
export const ATTRIBUTION =
  'Game Data Read API. The games, their names and their content belong to their publishers.';

/** The address of the terms of use, relative to the gateway's. */
export const TERMS = '/terms';
