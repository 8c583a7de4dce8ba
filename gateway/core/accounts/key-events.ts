import type { Key } from '../plans/account.ts';
import type { Transaction } from '../store/transaction.ts';
import { ACCOUNT_KEEPERS, type AccountChange, type Party } from './ports.ts';

/** Who changed a key: the operator, the account holder on a page, a client that sent the key itself, or the gateway for a demo. */
export type KeyActor = 'operator' | 'account holder' | 'key holder' | 'gateway';

/** A change of a key. */
export type KeyEvent = {
  /** The key after the change. */
  key: Key;
  by: KeyActor;
  /** The network of the request, as `networkOf` returns it; null or absent without one. */
  network?: string | null;
  /** ms since 1970. */
  at: number;
} & (
  | { kind: 'made' }
  | {
      kind: 'rotated';
      /** The key that `key` replaces; its `revoked_at` says until when it works. */
      replaced: Key;
    }
  | { kind: 'revoked' }
  /** Its name, expiry or networks were changed. */
  | { kind: 'changed' }
);

const PARTIES: Record<KeyActor, Party> = {
  operator: 'operator',
  'account holder': 'account',
  'key holder': 'key-holder',
  gateway: 'gateway',
};

/**
 * Does what every change of a key entails, in the transaction that changes it: gateways read keys again, and parts record the
 * event. Every key that is made, rotated, revoked or changed comes through here, so this is the place for what must not miss one. Do not
 * call it concurrently within a transaction.
 */
export async function recordKeyEvent(transaction: Transaction, change: KeyEvent): Promise<void> {
  const { key, kind, by, network = null, at } = change;
  // Gateways do not remember unknown keys, so a new key needs no new revision.
  if (kind !== 'made') transaction.changeRevision();
  const happening: AccountChange = {
    account: key.account,
    event: `key.${kind}`,
    about: kind === 'rotated' ? `${change.replaced.prefix} by ${key.prefix}` : key.prefix,
    actor: { by: PARTIES[by], network },
    now: at,
  };
  for (const keeper of await ACCOUNT_KEEPERS.load()) await keeper.record(transaction, happening);
}
