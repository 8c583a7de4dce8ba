import type { IncomingMessage } from 'node:http';
import { findAccount } from '../../store/accounts.ts';
import type { Store } from '../../store/sql.ts';
import { type Reader, type Transaction, table, transact } from '../../store/records.ts';
import { list } from '../../store/records.ts';
import { createToken, hashToken, isToken } from '../accounts/token.ts';

/** What a link lets its recipient do. */
export type LinkPurpose = 'signup' | 'sign-in';

/** A one-time link, as the store holds it. */
export interface OneTimeLink {
  purpose: LinkPurpose;
  /** The email address that it was sent to, as returned by `readEmail`. */
  email: string;
  /** ISO 8601 UTC. */
  created_at: string;
}

/** SHA-256 of a link's token → link. */
const LINKS = table<OneTimeLink>('link');

/** How long a link is valid. */
export const LINK_MINUTES = 30;

/**
 * Makes a link. The store holds only the SHA-256 of its token.
 *
 * @param email as returned by `readEmail`
 * @param now ms since 1970
 * @returns the token, and whether the email address has an account
 */
export async function createLink(
  store: Store,
  { purpose, email, now }: { purpose: LinkPurpose; email: string; now: number },
): Promise<{ token: string; isKnown: boolean }> {
  const token = createToken();
  const link = { purpose, email, created_at: new Date(now).toISOString() };
  const isKnown = await transact(store, async (transaction) => {
    await transaction.put(LINKS, hashToken(token), link, now + LINK_MINUTES * 60_000);
    return (await findAccount(transaction, email)) !== undefined;
  });
  return { token, isKnown };
}

/** Returns the token in `?token=…` of a request, or an empty text. It is in the query because the access log omits queries. */
export function readToken({ url = '' }: IncomingMessage): string {
  return new URLSearchParams(url.split('?')[1]).get('token') ?? '';
}

/** Finds the link of a token; undefined when the token is for another purpose, used, expired or unknown. */
export async function findLink(
  reader: Reader,
  purpose: LinkPurpose,
  token: string,
): Promise<OneTimeLink | undefined> {
  const link = isToken(token) ? await reader.read(LINKS, hashToken(token)) : undefined;
  return link?.purpose === purpose ? link : undefined;
}

/** Removes a link that has been used. */
export async function removeLink(transaction: Transaction, token: string): Promise<void> {
  await transaction.remove(LINKS, hashToken(token));
}

/** Returns the unused links of an email address. */
export async function linksOf(store: Store, email: string): Promise<OneTimeLink[]> {
  return (await listLinks(store, email)).map(([, link]) => link);
}

/** Removes all links of an email address, so that they no longer work. @returns how many there were */
export async function removeLinks(store: Store, email: string): Promise<number> {
  const links = await listLinks(store, email);
  await transact(store, async (transaction) => {
    for (const [hash] of links) await transaction.remove(LINKS, hash);
  });
  return links.length;
}

/** Reads all links: there are few, because they expire soon. */
async function listLinks(store: Store, email: string): Promise<[hash: string, link: OneTimeLink][]> {
  return (await list(store, LINKS)).filter(([, link]) => link.email === email);
}
