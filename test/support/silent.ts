import type { Progress } from '../../scripts/lib/progress.ts';

/** A progress display that shows nothing. */
export const SILENT: Progress = { step() {}, done() {}, clear() {} };
