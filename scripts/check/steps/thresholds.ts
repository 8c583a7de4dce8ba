/** From where on gates treat a change as a fault. A patch adds and edits; more than this means a broken dump or mapping. */

/** Characters stay in a game, except a few that were there for an event. As few names may move to other ids. */
export const MAX_LOST_SHARE = 0.1;

/** Datasets may list what is current (banners, events), and shrink when a season ends. */
export const MAX_DATASET_LOST_SHARE = 0.5;

/** A broken column may still have the values of a few records that are made in another way. */
export const NEARLY_ALL_SHARE = 0.9;

/** An attribute of fewer records than these may disappear by chance, unless all records had it. */
export const MIN_LOST_RECORDS = 5;

/** The minimum if all records had the attribute: one record alone is no pattern. */
export const MIN_LOST_RECORDS_OF_ALL = 2;
