import { type Vault, VaultError } from '../../keys/vault.ts';
import type { Account } from '../../plans/account.ts';
import { MailError, type Mailer } from '../mail/mailer.ts';
import type { ChannelName } from './attempts.ts';
import { type ChatService, findChatService } from './chat-service.ts';
import type { GameEvent } from './event.ts';
import { alertMail } from './mails.ts';
import type { Outcome } from './outcome.ts';
import type { AddressPolicy } from './public-address.ts';
import type { SlotCounts } from './slots.ts';
import type { Subscription, Webhook } from './subscription.ts';
import { postEvent, postMessage } from './webhook.ts';
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

/** Options of the channel for webhooks. */
export interface WebhookChannelOptions {
  policy: AddressPolicy;
  /** Reads the secrets of webhooks. */
  vault: Vault;
  /** ms since 1970. */
  now: () => number;
  /** The public URL of the gateway, without a path. */
  publicUrl: () => string;
  /** Returns the chat service that an address belongs to; by default, it knows the addresses of Discord and Slack. */
  findService?: ((url: string) => ChatService | undefined) | undefined;
}

/** Sends events to webhooks, and messages to those of chat services. */
export function webhookChannel({
  policy,
  vault,
  now,
  publicUrl,
  findService = findChatService,
}: WebhookChannelOptions): Channel {
  return {
    name: 'webhook',
    // Receivers take 300 ms, and a few never respond: 100,000 events then take a minute.
    slots: { fresh: 1280, failing: 256 },
    async send(event, { account, subscription }, signal) {
      const webhook = subscription.webhook as Webhook;
      const time = now();
      const options = { policy, now: time, signal };
      const { url } = webhook;
      const service = findService(url);
      if (service) return await postMessage({ service, url, publicUrl: publicUrl() }, event, options);
      const secrets = listSecrets({ vault, account: account.id, now: time }, webhook);
      if (secrets instanceof VaultError) return { kind: 'waiting', detail: secrets.message };
      return await postEvent({ url, secrets }, event, options);
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
