import type { Key } from '../../plans/account.ts';
import type { Transaction } from '../../store/transaction.ts';

/** Who changed a key: the operator, the account holder on a page, or a client that sent the key itself. */
export type KeyActor = 'operator' | 'account holder' | 'key holder';

/** A change of a key. */
export type KeyEvent = {
  /** The key after the change. */
  key: Key;
  by: KeyActor;
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

/**
 * Does what every change of a key entails, in the transaction that changes it: gateways read keys again. Every key that is made, rotated,
 * revoked or changed comes through here, so this is the place for what must not miss one.
 */
export async function recordKeyEvent(transaction: Transaction, { kind }: KeyEvent): Promise<void> {
  // Gateways do not remember unknown keys, so a new key needs no new revision.
  if (kind !== 'made') transaction.changeRevision();
}
