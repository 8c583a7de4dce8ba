import type { Progress } from '../../scripts/system.ts';

/** A progress display that shows nothing. */
export const SILENT: Progress = { step() {}, done() {}, clear() {} };
