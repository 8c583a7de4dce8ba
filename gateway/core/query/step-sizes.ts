// How much is done in one step of work on a long list: one to three milliseconds.

/** Records that are parsed, or names that are indexed. */
export const RECORDS_A_STEP = 200;
/** Texts that are hashed, compared or written as JSON. */
export const TEXTS_A_STEP = 2048;
/** Numbers that are copied or counted. */
export const NUMBERS_A_STEP = 32_768;
