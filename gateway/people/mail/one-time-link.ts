import type { IncomingMessage } from 'node:http';
import { createToken, hashToken, isToken } from '../../keys/token.ts';
import type { Store } from '../../store/store.ts';
import { list, type Reader, type Transaction, table, transact } from '../../store/transaction.ts';
import { findAccount } from '../accounts/accounts.ts';

/** What a link lets whoever follows it do. */
export type LinkPurpose = 'signup' | 'sign-in';

/** What a link is good for, and for whom. */
export interface OneTimeLink {
  purpose: LinkPurpose;
  /** The address that it was mailed to, as `readEmail` gives it. */
  email: string;
  /** ISO 8601 UTC. */
  created_at: string;
}

/** SHA-256 of a link's token → what it is good for. */
const LINKS = table<OneTimeLink>('link');

/** How long a link is good. */
export const LINK_MINUTES = 30;

/**
 * Makes a link: its token is in no store, only its SHA-256 is.
 *
 * @param email as `readEmail` gives it
 * @param now ms since 1970
 * @returns the token, and whether the address has an account
 */
export async function createLink(
  store: Store,
  { purpose, email, now }: { purpose: LinkPurpose; email: string; now: number },
): Promise<{ token: string; isKnown: boolean }> {
  const token = createToken();
  const link = { purpose, email, created_at: new Date(now).toISOString() };
  const isKnown = await transact(store, async (transaction) => {
    transaction.put(LINKS, hashToken(token), link, now + LINK_MINUTES * 60_000);
    return (await findAccount(transaction, email)) !== undefined;
  });
  return { token, isKnown };
}

/** The token of the link that a request follows, in `?token=…`: the access log has no queries. Empty where there is none. */
export function readToken({ url = '' }: IncomingMessage): string {
  return new URLSearchParams(url.split('?')[1]).get('token') ?? '';
}

/** Finds what a token is good for; undefined where it is none for this, was used, or is too old. */
export async function findLink(
  reader: Reader,
  purpose: LinkPurpose,
  token: string,
): Promise<OneTimeLink | undefined> {
  const link = isToken(token) ? await reader.get(LINKS, hashToken(token)) : undefined;
  return link?.purpose === purpose ? link : undefined;
}

/** Uses a link up. */
export function removeLink(transaction: Transaction, token: string): void {
  transaction.remove(LINKS, hashToken(token));
}

/** The links of an address that were not used yet. */
export async function linksOf(store: Store, email: string): Promise<OneTimeLink[]> {
  return (await listLinks(store, email)).map(([, link]) => link);
}

/** Forgets the links of an address, so that nothing follows from them any more. @returns how many there were */
export async function forgetLinks(store: Store, email: string): Promise<number> {
  const links = await listLinks(store, email);
  await transact(store, async (transaction) => {
    for (const [hash] of links) transaction.remove(LINKS, hash);
  });
  return links.length;
}

/** All links are read: they are few, because they are gone so soon. */
async function listLinks(store: Store, email: string): Promise<[hash: string, link: OneTimeLink][]> {
  return (await list(store, LINKS)).filter(([, link]) => link.email === email);
}
