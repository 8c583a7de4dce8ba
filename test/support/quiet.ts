import type { Log } from '../../gateway/core/log/log.ts';

/** A log that discards everything. */
export const QUIET: Log = { info() {}, error() {}, access() {} };
