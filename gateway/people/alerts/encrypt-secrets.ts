import type { Vault } from '../../keys/vault.ts';
import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { changeWithin, listWebhooks, type Webhook } from './subscription.ts';
import { sealSecrets } from './webhook-secrets.ts';

/** How the secrets of all webhooks are stored. */
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
  for (const [account, webhook] of await listWebhooks(store)) {
    for (const text of textsOf(webhook)) counts[stateOf(vault, account, text)]++;
  }
  return counts;
}

/**
 * Encrypts the secrets of all webhooks with the first key, also those that are encrypted with another one. May run while gateways do.
 *
 * @param now ms since 1970
 * @returns how many webhooks were changed, and how all are stored now
 */
export async function encryptSecrets(
  store: Store,
  vault: Vault,
  now: number,
): Promise<SecretCounts & { changed: number }> {
  let changed = 0;
  for (const [account, webhook] of await listWebhooks(store)) {
    if (!textsOf(webhook).some((text) => isOutdated(stateOf(vault, account, text)))) continue;
    await transact(store, async (transaction) => {
      await changeWithin(transaction, account, (subscription) => ({
        ...subscription,
        webhook: subscription.webhook && sealSecrets({ vault, account, now }, subscription.webhook),
      }));
    });
    changed++;
  }
  return { changed, ...(await countSecrets(store, vault)) };
}

function isOutdated(state: keyof SecretCounts): boolean {
  return state === 'plain' || state === 'older';
}

function textsOf({ secret, earlier }: Webhook): string[] {
  return [secret, ...(earlier ? [earlier.secret] : [])];
}

function stateOf(vault: Vault, account: string, text: string): keyof SecretCounts {
  if (!vault.canOpen(text, account)) return 'unreadable';
  if (vault.isCurrent(text)) return 'current';
  return vault.isSealed(text) ? 'older' : 'plain';
}
