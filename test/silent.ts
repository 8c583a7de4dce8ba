import type { Progress } from '../scripts/progress.ts';

/** The progress of what nobody watches. */
export const SILENT: Progress = { step() {}, done() {}, clear() {} };
