import type { Vault } from './vault.ts';
import type { Store } from '../../store/sql.ts';
import { transact } from '../../store/records.ts';
import { sealChatHook } from './channels/chat-hook.ts';
import { changeWithin, listSubscriptions, type Subscription } from './subscription.ts';
import { type SecretAccess, sealSecrets } from './channels/webhook-secrets.ts';

/** How the secrets of all webhooks are stored, those in the addresses of chat services included. */
export interface SecretCounts {
  /** Encrypted with the first key, or plain without keys. */
  current: number;
  /** Plain although there is a key. */
  plain: number;
  /** Encrypted with another key that is known. */
  older: number;
  /** Encrypted with a key that is unknown: events to these webhooks wait. */
  unreadable: number;
}

/** Counts how the secrets of all webhooks are stored. While a secret is renewed, the earlier one counts too. */
export async function countSecrets(store: Store, vault: Vault): Promise<SecretCounts> {
  const counts: SecretCounts = { current: 0, plain: 0, older: 0, unreadable: 0 };
  for (const [account, subscription] of await listSubscriptions(store)) {
    for (const text of textsOf(subscription)) counts[stateOf(vault, account, text)]++;
  }
  return counts;
}

/**
 * Encrypts the secrets of all webhooks with the first key, also those that are encrypted with another one. May run while gateways do.
 *
 * @param now ms since 1970
 * @returns of how many accounts any was changed, and how all are stored now
 */
export async function encryptSecrets(
  store: Store,
  vault: Vault,
  now: number,
): Promise<SecretCounts & { changed: number }> {
  let changed = 0;
  for (const [account, stored] of await listSubscriptions(store)) {
    if (!textsOf(stored).some((text) => isOutdated(stateOf(vault, account, text)))) continue;
    await transact(store, async (transaction) => {
      await changeWithin(transaction, account, (subscription) =>
        sealAll({ vault, account, now }, subscription),
      );
    });
    changed++;
  }
  return { changed, ...(await countSecrets(store, vault)) };
}

function isOutdated(state: keyof SecretCounts): boolean {
  return state === 'plain' || state === 'older';
}

function sealAll(access: SecretAccess, subscription: Subscription): Subscription {
  const { webhook, discord, slack } = subscription;
  return {
    ...subscription,
    webhook: webhook && sealSecrets(access, webhook),
    discord: discord && sealChatHook(discord, access.vault, access.account),
    slack: slack && sealChatHook(slack, access.vault, access.account),
  };
}

function textsOf({ webhook, discord, slack }: Subscription): string[] {
  const texts = [webhook?.secret, webhook?.earlier?.secret, discord?.address, slack?.address];
  return texts.filter((text) => text !== undefined);
}

function stateOf(vault: Vault, account: string, text: string): keyof SecretCounts {
  if (!vault.canOpen(text, account)) return 'unreadable';
  if (vault.isCurrent(text)) return 'current';
  return vault.isSealed(text) ? 'older' : 'plain';
}
