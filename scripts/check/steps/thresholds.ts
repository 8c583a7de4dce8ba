/** The limits above which gates report a change. A patch adds and edits; larger losses mean that the dump or the mapping is broken. */

/** The share of characters that may disappear, such as those of an event. The same share of names may move to other ids. */
export const MAX_LOST_SHARE = 0.1;

/** Datasets may list what is current (banners, events), and shrink when a season ends. */
export const MAX_DATASET_LOST_SHARE = 0.5;

/** The share of lost values from which a column counts as broken. The other values may come from another source. */
export const NEARLY_ALL_SHARE = 0.9;

/** An attribute that fewer records had may disappear by chance, unless all records had it. */
export const MIN_LOST_RECORDS = 5;

/** The minimum if all records had the attribute: one record alone is no pattern. */
export const MIN_LOST_RECORDS_OF_ALL = 2;
