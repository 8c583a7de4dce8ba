import { type Vault, VaultError } from '../vault.ts';
import type { Account } from '../../../access/account.ts';
import { MailError, type Mailer } from '../../mail/mailer.ts';
import type { ChannelName } from '../attempts.ts';
import type { ChatHook, PostChannel } from './chat-hook.ts';
import { hookOf } from '../delivery.ts';
import type { GameEvent } from '../events/event.ts';
import { alertMail } from './mails.ts';
import type { Outcome } from '../outcome.ts';
import type { AddressPolicy } from './public-address.ts';
import type { SlotCounts } from '../slots.ts';
import type { Subscription, Webhook } from '../subscription.ts';
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

/** Options of a channel that posts. */
export interface PostChannelOptions {
  policy: AddressPolicy;
  /** Reads the secrets of webhooks, and the addresses of chat services. */
  vault: Vault;
  /** ms since 1970. */
  now: () => number;
  /** The public URL of the gateway, without a path. */
  publicUrl: () => string;
  /** Whether it has pages about games. */
  hasSite: boolean;
}

/** Receivers take 300 ms, and a few never respond: 100,000 events to webhooks then take a minute. A chat service is one receiver. */
const POST_SLOTS: Readonly<Record<PostChannel, SlotCounts>> = {
  webhook: { fresh: 1600, failing: 256 },
  discord: { fresh: 64, failing: 16 },
  slack: { fresh: 64, failing: 16 },
};

/** Posts events to webhooks, or messages about them to a chat service. */
export function postChannel(
  name: PostChannel,
  { policy, vault, now, publicUrl, hasSite }: PostChannelOptions,
): Channel {
  return {
    name,
    slots: POST_SLOTS[name],
    async send(event, { account: { id: account }, subscription }, signal) {
      const time = now();
      const options = { policy, now: time, signal };
      const hook = hookOf(subscription, name);
      try {
        if (hook === 'webhook') {
          const webhook = subscription.webhook as Webhook;
          const secrets = listSecrets({ vault, account, now: time }, webhook);
          return await postEvent({ url: webhook.url, secrets }, event, options);
        }
        const url = vault.open((subscription[hook] as ChatHook).address, account);
        return await postMessage({ service: hook, url, publicUrl: publicUrl(), hasSite }, event, options);
      } catch (error) {
        if (error instanceof VaultError) return { kind: 'waiting', detail: error.message };
        throw error;
      }
    },
  };
}

/**
 * Returns the valid secrets of a webhook, the newest first.
 *
 * @throws VaultError
 */
function listSecrets(access: SecretAccess, webhook: Webhook): string[] {
  const { current, earlier } = openSecrets(access, webhook);
  return [current, ...(earlier ? [earlier.secret] : [])];
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
