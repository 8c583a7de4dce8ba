import type { Log } from '../../gateway/log/log.ts';

/** The log of what nobody watches. */
export const QUIET: Log = { info() {}, error() {}, access() {} };
