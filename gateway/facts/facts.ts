import { Port } from '../../scripts/lib/port.ts';
import type { PartSetup } from '../commands/door.ts';

/** What a part knows of a gateway and others show. A part sets its own when it is prepared; others read them later. */
export interface Facts {
  /** Whether there are pages about games, to which messages link. */
  hasSite: boolean;
  /** Whether people can get keys by mail. */
  hasSignup: boolean;
  /** Where people join Pro. */
  joinLinks: readonly { name: string; address: string }[];
  /** Mails since the start, by outcome; undefined when the gateway sends none. */
  mails: Readonly<Record<string, number>> | undefined;
  /** Reads the state of the alerts of each channel. Rejects when the store does not respond. */
  readAlerts(): Promise<AlertChannel[]>;
}

/** The state of a channel's alerts. */
export interface AlertChannel {
  channel: string;
  /** Deliveries that are due and that no gateway has begun. */
  due: { count: number; oldest: number | undefined };
  /** Attempts of this process since its start, by outcome; undefined when it has no such channel. */
  outcomes: Readonly<Record<string, number>> | undefined;
}

const factsOfSetups = new WeakMap<PartSetup, Facts>();

/** Returns what is known of a gateway that is being prepared; without any part, nothing. */
export function factsOf(setup: PartSetup): Facts {
  let facts = factsOfSetups.get(setup);
  if (facts === undefined) {
    facts = { hasSite: false, hasSignup: false, joinLinks: [], mails: undefined, readAlerts: async () => [] };
    factsOfSetups.set(setup, facts);
  }
  return facts;
}

/** Knows the backups of stores in folders. */
export interface Backups {
  /** Returns when the last one was complete, in ms since 1970; 0 when none is known. */
  readLast(folder: string): Promise<number>;
}

export const BACKUPS = new Port<Backups>();
