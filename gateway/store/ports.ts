import type { DriverOptions } from './store.ts';

/** Options of a store on another machine. */
export interface RemoteStoreOptions extends DriverOptions {
  /** The identity that the store must have; without it, a store that has none is new. */
  identity?: string | undefined;
  /** Whether the store is taken as it is, also in place of one that was lost. */
  givesUp?: boolean;
}
