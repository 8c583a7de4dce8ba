/** How users of the data are to name where it is from. */
export const ATTRIBUTION =
  'Game Data Read API. The games, their names and their content belong to their publishers.';

/** Where the terms of use are, relative to the gateway's address. */
export const TERMS = '/terms';
