import { createHash, randomBytes } from 'node:crypto';
import { type Account, isRevoked, type Key } from '../accounts/account.ts';
import { addNewKey, endKey, findAccount, keysOf } from '../accounts/accounts.ts';
import type { Store } from '../store/store.ts';
import { list, type Reader, table, transact } from '../store/transaction.ts';

/** What a link is good for: one key of the address that it was mailed to. */
interface Link {
  email: string;
  /** ISO 8601 UTC. */
  created_at: string;
}

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

/** SHA-256 of a link's token → what it is good for. */
const LINKS = table<Link>('signup-link');
const TOKEN_BYTES = 20;
const TOKEN_CHARS = 31;
const TOKEN_FORM = /^[0-9a-z]{31}$/;

/** How long a link is good. */
export const LINK_MINUTES = 30;
/** How many keys without an end an account has at most by signing up. */
export const MOST_KEYS = 5;
/** How long a key goes on working that makes room for another. */
const KEEP_MS = 24 * 3_600_000;

/**
 * Makes a link: its token is in no store, only its SHA-256 is.
 *
 * @param email as `readEmail` gives it
 * @param now ms since 1970
 * @returns the token: 160 random bits as 31 digits and letters, which no mail program breaks or mistakes for the end of a sentence, and
 *   whether the address has an account
 */
export async function createLink(
  store: Store,
  email: string,
  now: number,
): Promise<{ token: string; isKnown: boolean }> {
  const token = BigInt(`0x${randomBytes(TOKEN_BYTES).toString('hex')}`)
    .toString(36)
    .padStart(TOKEN_CHARS, '0');
  const isKnown = await transact(store, async (transaction) => {
    const link = { email, created_at: new Date(now).toISOString() };
    transaction.put(LINKS, hashOf(token), link, now + LINK_MINUTES * 60_000);
    return (await findAccount(transaction, email)) !== undefined;
  });
  return { token, isKnown };
}

/**
 * Tells what a link would do, and changes nothing.
 *
 * @param now ms since 1970
 * @returns undefined where it is no link, was used, or is too old
 */
export async function readLink(store: Store, token: string, now: number): Promise<LinkOffer | undefined> {
  if (!TOKEN_FORM.test(token)) return undefined;
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
  if (!TOKEN_FORM.test(token)) return undefined;
  return await transact(store, async (transaction) => {
    const offer = await readOffer(transaction, token, now);
    if (!offer) return undefined;
    transaction.remove(LINKS, hashOf(token));
    const { key, issued } = await addNewKey(transaction, { email: offer.email, now });
    const ending = endOthers ? await liveKeys(transaction, issued.account, now) : [offer.replaced];
    const ended: Key[] = [];
    for (const old of ending) {
      if (!old || old.prefix === issued.key.prefix) continue;
      const end = await endKey(transaction, old.prefix, endOthers ? now : now + KEEP_MS);
      if (end) ended.push(end);
    }
    return { key, prefix: issued.key.prefix, account: issued.account, ended };
  });
}

/** The links of an address that were not used yet. */
export async function findLinks(store: Store, email: string): Promise<Link[]> {
  return (await linksOf(store, email)).map(([, link]) => link);
}

/** Forgets the links of an address, so that nothing follows from them any more. */
export async function forgetLinks(store: Store, email: string): Promise<void> {
  const links = await linksOf(store, email);
  await transact(store, async (transaction) => {
    for (const [hash] of links) transaction.remove(LINKS, hash);
  });
}

/** All links are read: they are few, because they are gone so soon. */
async function linksOf(store: Store, email: string): Promise<[hash: string, link: Link][]> {
  return (await list(store, LINKS)).filter(([, link]) => link.email === email);
}

async function readOffer(reader: Reader, token: string, now: number): Promise<LinkOffer | undefined> {
  const link = await reader.get(LINKS, hashOf(token));
  if (!link) return undefined;
  const account = await findAccount(reader, link.email);
  const live = account ? await liveKeys(reader, account, now) : [];
  const keys = live.filter(({ revoked_at }) => revoked_at === null);
  return { email: link.email, keys, replaced: keys.length >= MOST_KEYS ? keys[0] : undefined };
}

async function liveKeys(reader: Reader, account: Account, now: number): Promise<Key[]> {
  return (await keysOf(reader, account)).filter((key) => !isRevoked(key, now));
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
