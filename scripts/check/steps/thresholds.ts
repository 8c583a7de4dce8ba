/** What gates between builds take for a fault. A patch adds and edits; what passes these is a dump or a mapping that broke. */

/** Characters do not leave a game; those that an event lent to it are few. Of the names that two builds share, as few move to other ids. */
export const LOST_SHARE = 0.1;

/** Datasets may list what is on now (banners, events) and shrink when a season ends; to lose more than this is another matter. */
export const DATASET_LOST_SHARE = 0.5;

/** A broken column may still have the values of a few records that are made in another way. */
export const NEARLY_ALL = 0.9;

/** An attribute of fewer records than these may go from each of them by chance, unless all others had it too. */
export const FEWEST = 5;

/** One record alone tells nothing about the others. */
export const FEWEST_OF_ALL = 2;
