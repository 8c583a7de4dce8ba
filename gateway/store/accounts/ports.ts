import type { Account, Grant } from '../../access/account.ts';
import type { Transaction } from '../transaction.ts';

/** Who did something to an account. `key-holder`: a client that sent the key itself; `platform`: one that sells memberships. */
export type Party = 'account' | 'operator' | 'key-holder' | 'platform' | 'gateway';

/** Who did something, and from where. */
export interface Actor {
  by: Party;
  /** The IPv4 address or IPv6 /64 of the request, as `networkOf` returns it; null without a request. */
  network: string | null;
}

/** The actor of a command. */
export const OPERATOR: Actor = { by: 'operator', network: null };

/** Something that was done to an account. */
export interface AccountChange {
  /** The id of the account. */
  account: string;
  event:
    | `key.${'made' | 'changed' | 'rotated' | 'revoked'}`
    | 'tier.granted'
    | 'membership.changed'
    | 'membership.claimed';
  about: string | null;
  actor: Actor;
  /** ms since 1970. */
  now: number;
}

/** What parts know of accounts, in the transaction that changes one. They are called one after another. */
export interface AccountKeeper {
  /** Records what was done to an account. */
  record(transaction: Transaction, change: AccountChange): Promise<void>;
  /** Returns what grants an account its tier, besides the operator. */
  grants(transaction: Transaction, account: Account): Promise<Grant[]>;
}
