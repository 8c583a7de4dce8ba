import type { Store } from '../../store/sql.ts';
import { transact } from '../../store/records.ts';
import { findAccount } from '../../store/accounts.ts';
import { noteNetwork } from '../accounts/known-networks.ts';
import { beginSession, endSession, type SessionOrigin } from '../accounts/session.ts';
import { recordEvent } from '../audit/audit-log.ts';
import type { Mail } from '../mail/mailer.ts';
import { createLink, findLink, LINK_MINUTES, removeLink } from '../mail/one-time-link.ts';
import { SIGNUP } from '../signup/pages.tsx';
import { ACCOUNT_ENTER } from './addresses.ts';

/**
 * Makes a link to the account of an email address, and the mail with the link. An email address without an account gets a mail too: the
 * page must not reveal whether the account exists, and the owner of the address should know.
 *
 * @param to as returned by `readEmail`
 * @param now ms since 1970
 * @param publicUrl the public URL of the gateway, with which the link begins
 */
export async function makeLinkMail(
  store: Store,
  { to, now, publicUrl }: { to: string; now: number; publicUrl: string },
): Promise<Mail> {
  const { token, isKnown } = await createLink(store, { purpose: 'sign-in', email: to, now });
  const text = isKnown
    ? `Open this link to sign in:

${publicUrl}${ACCOUNT_ENTER}?token=${token}

It works once, within ${LINK_MINUTES} minutes.`
    : `However, this address has no account. Create one, with a key, here:

${publicUrl}${SIGNUP}`;
  return {
    to,
    subject: 'Your Game Data Read API account',
    text: `Someone, probably you, asked to sign in to the Game Data Read API
account of this email address.

${text}

If it was not you, ignore this mail. Nothing has changed.
`,
  };
}

/** Returns the email address of a link's account; undefined if the link is unknown, used or expired, or the account is deleted. */
export async function readLink(store: Store, token: string): Promise<string | undefined> {
  return await transact(store, async (transaction) => {
    const link = await findLink(transaction, 'sign-in', token);
    return link && (await findAccount(transaction, link.email))?.email;
  });
}

/** A sign-in by a link. */
export interface SignIn {
  /** The token of the link. */
  token: string;
  origin: SessionOrigin;
  /** The token of the session that the browser had; it ends. */
  replaces: string;
  /** ms since 1970. */
  now: number;
}

/**
 * Uses a link and begins a session.
 *
 * @returns the session's token; undefined where `readLink` returns undefined
 */
export async function redeemLink(
  store: Store,
  { token, origin, replaces, now }: SignIn,
): Promise<string | undefined> {
  return await transact(store, async (transaction) => {
    const link = await findLink(transaction, 'sign-in', token);
    const account = link && (await findAccount(transaction, link.email));
    if (!account) return undefined;
    await removeLink(transaction, token);
    await endSession(transaction, replaces);
    const { network, browser } = origin;
    const isNew = await noteNetwork(transaction, account.id, network, now);
    await recordEvent(transaction, {
      ...{ account: account.id, event: isNew ? 'session.begun-elsewhere' : 'session.begun', about: browser },
      ...{ actor: { by: 'account', network } },
    });
    return await beginSession(transaction, account.id, origin);
  });
}
