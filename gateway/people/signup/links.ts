import type { Account, Key } from '../../plans/account.ts';
import type { Store } from '../../store/store.ts';
import { type Reader, transact } from '../../store/transaction.ts';
import { addNewKey, findAccount } from '../accounts/accounts.ts';
import { endKey, liveKeysOf } from '../accounts/keys.ts';
import { findLink, removeLink } from '../mail/one-time-link.ts';

/** What following a link will do. */
export interface LinkOffer {
  email: string;
  /** Keys of the address that have no end yet, the oldest first. */
  keys: Key[];
  /** The one of them that will end, because there are as many as an account may have. */
  replaced: Key | undefined;
}

/** What became of a link that was followed. */
export interface Redeemed {
  /** Shown this once. */
  key: string;
  prefix: string;
  account: Account;
  /** Keys that end because of it, with the time. */
  ended: Key[];
}

/** How many keys without an end an account has at most by signing up. */
export const MOST_KEYS = 5;
/** How long a key goes on working that makes room for another. */
const KEEP_MS = 24 * 3_600_000;

/**
 * Tells what a link would do, and changes nothing.
 *
 * @param now ms since 1970
 * @returns undefined where it is no link, was used, or is too old
 */
export async function readLink(store: Store, token: string, now: number): Promise<LinkOffer | undefined> {
  return await transact(store, (transaction) => readOffer(transaction, token, now));
}

/**
 * Uses a link up: issues a key, and opens the account where the address has none.
 *
 * @param options.endOthers whether all keys there were end at once
 * @param options.now ms since 1970
 * @returns undefined where it is no link, was used, or is too old
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
  return { email: link.email, keys, replaced: keys.length >= MOST_KEYS ? keys[0] : undefined };
}
