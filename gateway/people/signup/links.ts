import { type Account, isEnding, type Key } from '../../access/account.ts';
import { findAccount } from '../../store/accounts.ts';
import type { Actor } from '../../store/audit.ts';
import { issueKey, keyOfPrefix, liveKeysOf, replaceKey, revokeKey } from '../../store/keys.ts';
import { type Reader, transact } from '../../store/records.ts';
import type { Sql, Store } from '../../store/sql.ts';
import { findLink, removeLink } from '../mail/one-time-link.ts';

/** What following a link will do. */
export interface LinkOffer {
  email: string;
  /** Its account, if it has one. */
  account: Account | undefined;
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
 * @returns undefined if the link is unknown, used or expired
 */
export async function readLink(store: Store, token: string): Promise<LinkOffer | undefined> {
  return await transact(store, (transaction) => readOffer(transaction, token));
}

/**
 * Uses a link: issues a key, and creates the account if the email address has none.
 *
 * @param options.network the network of the visitor, as `networkOf` returns it
 * @param options.endOthers whether all other keys of the account end at once
 * @returns undefined if the link is unknown, used or expired
 */
export async function redeemLink(
  store: Store,
  token: string,
  { endOthers, network }: { endOthers: boolean; network: string | null },
): Promise<Redeemed | undefined> {
  return await transact(store, async (transaction) => {
    const offer = await readOffer(transaction, token);
    if (!offer) return undefined;
    await removeLink(transaction, token);
    const actor = { by: 'account', network } as const;
    const replaced = endOthers ? undefined : offer.replaced;
    const before = offer.account ? await liveKeysOf(transaction, offer.account.id) : [];
    const old = replaced && (await keyOfPrefix(transaction, replaced.prefix));
    if (old) {
      const { key, issued, replaced } = await replaceKey(transaction, old, {
        keep: KEEP_MS,
        fields: {},
        actor,
      });
      return { key, prefix: issued.key.prefix, account: issued.account, ended: [replaced] };
    }
    const { key, issued } = await issueKey(transaction, offer.email, actor);
    const ended = endOthers ? await revokeAll(transaction, before, actor) : [];
    return { key, prefix: issued.key.prefix, account: issued.account, ended };
  });
}

async function revokeAll(sql: Sql, keys: readonly Key[], actor: Actor): Promise<Key[]> {
  const revoked: Key[] = [];
  for (const { prefix } of keys) {
    const issued = await revokeKey(sql, prefix, actor);
    if (issued) revoked.push(issued.key);
  }
  return revoked;
}

async function readOffer(reader: Reader, token: string): Promise<LinkOffer | undefined> {
  const link = await findLink(reader, 'signup', token);
  if (!link) return undefined;
  const account = await findAccount(reader, link.email);
  const live = account ? await liveKeysOf(reader, account.id) : [];
  const keys = live.filter((key) => !isEnding(key));
  return { email: link.email, account, keys, replaced: keys.length >= MAX_KEYS ? keys[0] : undefined };
}
