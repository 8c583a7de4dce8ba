import { addNewKey, findAccount, type KeyChange, revoke } from '../../store/accounts/accounts.ts';
import { type Account, isEnding, type Key } from '../../access/account.ts';
import type { Store } from '../../store/store.ts';
import { type Reader, type Transaction, transact } from '../../store/transaction.ts';
import { liveKeysOf } from '../accounts/keys-of.ts';
import { findLink, removeLink } from '../mail/one-time-link.ts';

/** What following a link will do. */
export interface LinkOffer {
  email: string;
  /** Keys of the email address that are not due to end, the oldest first. */
  keys: Key[];
  /** The key that will end, if the account already has the maximum number of keys. */
  replaced: Key | undefined;
}

/** The outcome of a link that was used. */
export interface Redeemed {
  /** The new key, which is shown only once. */
  key: string;
  prefix: string;
  account: Account;
  /** The keys that end because of the new one, with the time. */
  ended: Key[];
}

/** The maximum number of keys that an account holder can have. Keys that are due to end do not count. */
export const MAX_KEYS = 5;
/** How long a replaced key continues to work. */
const KEEP_MS = 24 * 3_600_000;

/**
 * Reports what a link would do, and changes nothing.
 *
 * @param now ms since 1970
 * @returns undefined if the link is unknown, used or expired
 */
export async function readLink(store: Store, token: string, now: number): Promise<LinkOffer | undefined> {
  return await transact(store, (transaction) => readOffer(transaction, token, now));
}

/**
 * Uses a link: issues a key, and creates the account if the email address has none.
 *
 * @param options.network the network of the visitor, as `networkOf` returns it
 * @param options.endOthers whether all other keys of the account end at once
 * @param options.now ms since 1970
 * @returns undefined if the link is unknown, used or expired
 */
export async function redeemLink(
  store: Store,
  token: string,
  { endOthers, network, now }: { endOthers: boolean; network: string | null; now: number },
): Promise<Redeemed | undefined> {
  return await transact(store, async (transaction) => {
    const offer = await readOffer(transaction, token, now);
    if (!offer) return undefined;
    removeLink(transaction, token);
    const who = { by: 'account holder', network } as const;
    const replaced = endOthers ? undefined : offer.replaced;
    const { key, issued } = await addNewKey(transaction, {
      email: offer.email,
      ...(replaced && { replaces: { prefix: replaced.prefix, at: now + KEEP_MS } }),
      ...who,
      now,
    });
    const { prefix } = issued.key;
    const others = (await liveKeysOf(transaction, issued.account, now)).filter(
      (old) => old.prefix !== prefix,
    );
    const ended = endOthers
      ? await revokeAll(transaction, others, { ...who, now })
      : others.filter((old) => old.prefix === replaced?.prefix);
    return { key, prefix, account: issued.account, ended };
  });
}

async function revokeAll(transaction: Transaction, keys: readonly Key[], change: KeyChange): Promise<Key[]> {
  const revoked: Key[] = [];
  for (const { prefix } of keys) {
    const key = await revoke(transaction, prefix, change);
    if (key) revoked.push(key);
  }
  return revoked;
}

async function readOffer(reader: Reader, token: string, now: number): Promise<LinkOffer | undefined> {
  const link = await findLink(reader, 'signup', token);
  if (!link) return undefined;
  const account = await findAccount(reader, link.email);
  const live = account ? await liveKeysOf(reader, account, now) : [];
  const keys = live.filter((key) => !isEnding(key));
  return { email: link.email, keys, replaced: keys.length >= MAX_KEYS ? keys[0] : undefined };
}
