import { type Vault, VaultError } from '../../keys/vault.ts';
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
import { openSecrets, type SecretAccess } from './webhook-secrets.ts';

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
export function webhookChannel(policy: AddressPolicy, vault: Vault, now: () => number): Channel {
  return {
    name: 'webhook',
    // Receivers take 300 ms, and a few never respond: 100,000 events then take a minute.
    slots: { fresh: 1280, failing: 256 },
    async send(event, { account, subscription }, signal) {
      const webhook = subscription.webhook as Webhook;
      const time = now();
      const secrets = listSecrets({ vault, account: account.id, now: time }, webhook);
      if (secrets instanceof VaultError) return { kind: 'waiting', detail: secrets.message };
      return await postEvent({ url: webhook.url, secrets }, event, { policy, now: time, signal });
    },
  };
}

/** Returns the valid secrets of a webhook, the newest first, or why they cannot be read. */
function listSecrets(access: SecretAccess, webhook: Webhook): string[] | VaultError {
  try {
    const { current, earlier } = openSecrets(access, webhook);
    return [current, ...(earlier ? [earlier.secret] : [])];
  } catch (error) {
    if (error instanceof VaultError) return error;
    throw error;
  }
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
