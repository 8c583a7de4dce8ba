// The events in an account's log, in words for pages and mails.
import { toIso } from '../store/accounts.ts';
import { type AuditRow, type Party, readLog } from '../store/audit.ts';
import type { Sql } from '../store/sql.ts';

/** For how many days events are kept. */
export const KEEP_DAYS = 90;

/** The text of each event. */
const EVENT_TEXTS: Readonly<Record<string, string>> = {
  'session.begun': 'signed in',
  'session.begun-elsewhere': 'signed in from a new network',
  'session.ended': 'ended a session',
  'sessions.ended': 'ended all sessions',
  'key.made': 'made a key',
  'key.changed': 'changed a key',
  'key.rotated': 'replaced a key',
  'key.revoked': 'revoked a key',
  'address.made': 'made a read-only address',
  'address.revoked': 'revoked a read-only address',
  'webhook.set': 'set the address of the webhook',
  'webhook.removed': 'removed the webhook',
  'webhook.enabled': 'enabled the webhook again',
  'webhook.disabled': 'disabled the webhook',
  'webhook.secret-renewed': 'renewed the secret of the webhook',
  'webhook.secret-ended': 'ended the earlier secret of the webhook',
  'feed.renewed': 'gave the feed a new address',
  'feed.removed': 'removed the feed',
  'tier.granted': 'granted a tier',
  'membership.changed': 'changed what memberships grant',
  'membership.claimed': 'claimed memberships',
};

const PARTIES: Record<Party, string> = {
  account: 'You',
  operator: 'The operator',
  'key-holder': 'Somebody who has the key',
  platform: 'The platform of a membership',
  gateway: 'The gateway',
};

/** Describes an event in one line, such as `You revoked a key: gdr_k3x7p2qa`. */
export function describeEvent({ by, event, about }: Omit<AuditRow, 'id'>): string {
  return `${PARTIES[by]} ${EVENT_TEXTS[event] ?? event}${about === null ? '' : `: ${about}`}`;
}

/** Returns the log of an account as exports and commands print it, newest event first. */
export async function readEvents(sql: Sql, account: string) {
  return (await readLog(sql, account)).map(({ at, event, about, by, network }) => ({
    ...{ at: toIso(at), event, about, by, network },
  }));
}
