import type { Progress } from '../../scripts/lib/progress.ts';

/** The progress of what nobody watches. */
export const SILENT: Progress = { step() {}, done() {}, clear() {} };
