import type { Account, Key } from '../../plans/account.ts';
import type { Store } from '../../store/store.ts';
import { type Reader, transact } from '../../store/transaction.ts';
import { addNewKey, findAccount } from '../accounts/accounts.ts';
import { endKey, liveKeysOf } from '../accounts/keys.ts';
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
 * @param options.endOthers whether all other keys of the account end at once
 * @param options.now ms since 1970
 * @returns undefined if the link is unknown, used or expired
 */
export async function redeemLink(
  store: Store,
  token: string,
  { endOthers, now }: { endOthers: boolean; now: number },
): Promise<Redeemed | undefined> {
  return await transact(store, async (transaction) => {
    const offer = await readOffer(transaction, token, now);
    if (!offer) return undefined;
    removeLink(transaction, token);
    const { key, issued } = await addNewKey(transaction, { email: offer.email, now });
    const ending = endOthers ? await liveKeysOf(transaction, issued.account, now) : [offer.replaced];
    const ended: Key[] = [];
    for (const old of ending) {
      if (!old || old.prefix === issued.key.prefix) continue;
      const end = await endKey(transaction, old.prefix, endOthers ? now : now + KEEP_MS);
      if (end) ended.push(end);
    }
    return { key, prefix: issued.key.prefix, account: issued.account, ended };
  });
}

async function readOffer(reader: Reader, token: string, now: number): Promise<LinkOffer | undefined> {
  const link = await findLink(reader, 'signup', token);
  if (!link) return undefined;
  const account = await findAccount(reader, link.email);
  const live = account ? await liveKeysOf(reader, account, now) : [];
  const keys = live.filter(({ revoked_at }) => revoked_at === null);
  return { email: link.email, keys, replaced: keys.length >= MAX_KEYS ? keys[0] : undefined };
}
