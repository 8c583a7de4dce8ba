import type { Log } from '../../gateway/http/log.ts';

/** A log that discards everything. */
export const QUIET: Log = { info() {}, error() {}, access() {} };
