import { type Actor, GATEWAY, type Party, PLATFORM } from '../../store/audit.ts';

/** What can be done to an account, with the words for pages and mails. */
const EVENT_TEXTS = {
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
} as const;

export type EventName = keyof typeof EVENT_TEXTS;

/** Something that was done to an account. */
export interface AuditEvent extends Actor {
  /** ISO 8601 UTC. */
  at: string;
  event: EventName;
  /** What it was done to, such as the prefix of a key or the host of a webhook. Never a secret, a game or a build. */
  about: string | null;
}

const PARTIES: Record<Party, string> = {
  account: 'You',
  operator: 'The operator',
  'key-holder': 'Somebody who has the key',
  platform: 'The platform of a membership',
  gateway: 'The gateway',
};

/** Describes an event in one line, such as `You revoked a key: gdr_k3x7p2qa`. */
export function describeEvent({ by, event, about }: AuditEvent): string {
  return `${PARTIES[by]} ${EVENT_TEXTS[event]}${about === null ? '' : `: ${about}`}`;
}

export { GATEWAY, PLATFORM };
