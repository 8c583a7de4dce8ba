import type { Account } from '../../plans/account.ts';
import { MailError, type Mailer } from '../mail/mailer.ts';
import type { ChannelName } from './attempts.ts';
import type { GameEvent } from './event.ts';
import { alertMail } from './mails.ts';
import type { Outcome } from './outcome.ts';
import type { AddressPolicy } from './public-address.ts';
import type { SlotCounts } from './slots.ts';
import type { Subscription, Webhook } from './subscription.ts';
import { postEvent } from './webhook.ts';

/** An account that an event is sent to, and its subscription. */
export interface Recipient {
  account: Account;
  subscription: Subscription;
}

/** A way to send events. */
export interface Channel {
  name: ChannelName;
  /** How many deliveries may be under way at once. */
  slots: SlotCounts;
  /** Sends an event to an account that uses this channel; `signal` aborts it. Resolves in less than half a minute. */
  send(event: GameEvent, recipient: Recipient, signal: AbortSignal): Promise<Outcome>;
}

/** Sends events to webhooks. */
export function webhookChannel(policy: AddressPolicy, now: () => number): Channel {
  return {
    name: 'webhook',
    slots: { fresh: 256, failing: 64 },
    send: (event, { subscription }, signal) =>
      postEvent(subscription.webhook as Webhook, event, { policy, now: now(), signal }),
  };
}

/** Sends events as mails. A mail that is being sent is not aborted. */
export function mailChannel(mailer: Mailer): Channel {
  return {
    name: 'mail',
    slots: { fresh: 16, failing: 4 },
    async send(event, { account }) {
      try {
        await mailer.send(alertMail(account.email, event));
        return { kind: 'delivered', detail: 'the mail server accepted it' };
      } catch (error) {
        if (!(error instanceof MailError)) throw error;
        return { kind: error.failure === 'refused' ? 'refused' : 'failed', detail: error.message };
      }
    },
  };
}
