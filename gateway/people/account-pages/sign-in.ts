import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { findAccount } from '../accounts/accounts.ts';
import { beginSession } from '../accounts/session.ts';
import type { Mail } from '../mail/mailer.ts';
import { createLink, findLink, LINK_MINUTES, removeLink } from '../mail/one-time-link.ts';
import { SIGNUP } from '../signup/pages.ts';
import { ACCOUNT_ENTER } from './addresses.ts';

/**
 * Makes a link to the account of an address, and the mail that brings it. An address without an account gets a mail as well: the page
 * must not tell which it is, and its owner should know.
 *
 * @param to as `readEmail` gives it
 * @param now ms since 1970
 * @param publicUrl that links begin with
 */
export async function makeLinkMail(
  store: Store,
  { to, now, publicUrl }: { to: string; now: number; publicUrl: string },
): Promise<Mail> {
  const { token, isKnown } = await createLink(store, { purpose: 'sign-in', email: to, now });
  const text = isKnown
    ? `This link leads there:

${publicUrl}${ACCOUNT_ENTER}?token=${token}

It works once, within ${LINK_MINUTES} minutes.`
    : `There is none of this address, though. This page opens one, with a key:

${publicUrl}${SIGNUP}`;
  return {
    to,
    subject: 'Your Game Data Read API account',
    text: `Somebody, probably you, wants to see the Game Data Read API account
of this address.

${text}

If it was not you, there is nothing to do: nothing happens by itself.
`,
  };
}

/** The address whose account a link leads to; undefined where it is no link, was used, is too old, or the account is gone. */
export async function readLink(store: Store, token: string): Promise<string | undefined> {
  return await transact(store, async (transaction) => {
    const link = await findLink(transaction, 'sign-in', token);
    return link && (await findAccount(transaction, link.email))?.email;
  });
}

/**
 * Uses a link up and begins a session.
 *
 * @param now ms since 1970
 * @returns the session's token; undefined where `readLink` gives nothing
 */
export async function redeemLink(store: Store, token: string, now: number): Promise<string | undefined> {
  return await transact(store, async (transaction) => {
    const link = await findLink(transaction, 'sign-in', token);
    const account = link && (await findAccount(transaction, link.email));
    if (!account) return undefined;
    removeLink(transaction, token);
    return beginSession(transaction, account.id, now);
  });
}
