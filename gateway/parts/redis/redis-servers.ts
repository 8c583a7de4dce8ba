import type { Call } from './redis-connection.ts';
import type { Revision } from '../../core/store/store.ts';

/** A script to run, and how long the response may take, in ms. */
export type PatientCall = Call & { patience: number };

/** What a store's scripts run on: one server, or those of a cluster. */
export interface RedisServers {
  /** The identity of the store, which it has to keep from now on. */
  readonly identity: string;
  /** Makes all later calls fail while the store does not have this identity. */
  expect(identity: string): void;
  /**
   * Runs a script.
   *
   * @throws StoreError when there is no response in time; at once, where the server is known not to respond and the patience is short
   */
  run(call: PatientCall): Promise<unknown>;
  /** The store's revision, as it was reported last. */
  revision(): Revision;
  /** The time by the clock of the server that has a key, or a little earlier; ms since 1970. */
  time(key: string): number;
  /** Keys of one group can be changed by one script. */
  groupOf(key: string): number;
  /** Waits for what was sent, and disconnects; closing again does nothing. */
  close(): Promise<void>;
}
