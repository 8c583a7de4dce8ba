import type { BadAttemptsState, KeyCacheState, MeterState } from '../access/ports.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { Faults } from '../server.ts';
import type { Store } from '../store/store.ts';
import type { EventLoop } from './event-loop.ts';
import type { Traffic } from './traffic.ts';

/** The state of a channel's alerts. */
export interface AlertChannel {
  channel: string;
  /** Deliveries that are due and that no gateway has begun. */
  due: { count: number; oldest: number | undefined };
  /** Attempts of this process since its start, by outcome; undefined when it has no such channel. */
  outcomes: Readonly<Record<string, number>> | undefined;
}

/** What the report of a process is made from. */
export interface Sources {
  traffic: Traffic;
  eventLoop: EventLoop;
  follower: DistFollower;
  store: Store;
  /** The folder of the store; undefined when it is on a server. */
  storeFolder: string | undefined;
  /** How requests are counted, the keys in memory, and keys that were not valid. */
  readState(): { quotas: MeterState; keys: KeyCacheState; badKeys: Readonly<BadAttemptsState> };
  /** Returns why the gateway is not ready; undefined when it is. */
  findUnreadiness(): Promise<string | undefined>;
  /** Reads the state of the alerts of each channel. Rejects when the store does not respond. */
  readAlerts(): Promise<AlertChannel[]>;
  /** Mails since the start, by outcome; undefined when the gateway sends none. */
  mails: Readonly<Record<string, number>> | undefined;
  /** What has happened since the start. */
  faults: Readonly<Faults>;
  /** How many lines of the log were dropped since the start. */
  readDroppedLines(): number;
  /** ms since 1970. */
  now: () => number;
}

/** The state of the store for one report. */
export interface StoreReading {
  /** How long it took to respond, in seconds; undefined when it did not. */
  pingSeconds: number | undefined;
  /** Why it did not respond, or refused. */
  failure: string | undefined;
  /** Whether it responded, but refused its work. */
  refuses: boolean;
  /** When its last backup was complete, in ms since 1970, 0 for never; undefined when it is not in a folder. */
  backupAt: number | undefined;
  /** Since when a `gamedata` has been writing to dist/, in ms since 1970; 0 when none does. */
  lockedAt: number;
  /** Why the gateway is not ready; undefined when it is. */
  unreadiness: string | undefined;
  /** The state of the alerts of each channel; undefined when the store did not respond. */
  alerts: AlertChannel[] | undefined;
  /** The size of its folder; undefined when it has none. */
  bytes: number | undefined;
}
