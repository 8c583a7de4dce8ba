// Claims: the owner of a key gets the membership of another email address with a code that is mailed to that address. The second form contains the
// account's id, so that no page has to contain the key.
import { createHash, randomInt } from 'node:crypto';
import { type Account, tierAt } from '../../access/account.ts';
import { networkOf } from '../../access/attempts.ts';
import { html } from '../../http/html.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { accountById, refreshTier } from '../../store/accounts.ts';
import { type Actor, GATEWAY, recordChange } from '../../store/audit.ts';
import { isSameSecret } from '../../store/secrets.ts';
import type { Store } from '../../store/sql.ts';
import type { Mail } from '../mailer.ts';
import type { VisitorServices } from '../people.ts';
import { findHolder } from '../sessions.ts';
import { sendOnRequest } from '../visitor-mails.ts';
import * as web from '../web.ts';
import { listMemberships, OF_PERSON, ownerOf, putMembership } from './membership.ts';

export const CLAIM = '/claim';
const CLAIM_CODE = '/claim/code';
const CLAIM_MINUTES = 15;
const ATTEMPTS = 5;
/** 31 characters that people do not confuse. A code of 8 characters has 39 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_CHARS = 8;

const refusal = (message: string) => ({ status: 400, message });
const NO_KEY = refusal('This key does not work. Type one of your keys, as it was shown to you.');
const OWN_ADDRESS = refusal(
  'This is the email address of the account itself: its memberships already count.',
);
const WRONG_CODE = refusal('This code is wrong. Type it as it is in the mail.');

export function claimEndpoints(services: VisitorServices): Endpoint[] {
  const { store, log, clientAddress, badAttempts } = services;
  const begin = web.handleForm(services, async (fields, request) => {
    const typed = (fields.get('email') ?? '').trim();
    const client = clientAddress(request);
    const account = await findHolder(store, fields.get('key') ?? '');
    const to = web.readPublicEmail(typed);
    if (!account) {
      badAttempts.refuse(client, 'this key does not work');
      return claimPage(typed, NO_KEY);
    }
    if (to === undefined) return claimPage(typed, web.INVALID_EMAIL);
    if (to === account.email) return claimPage(typed, OWN_ADDRESS);
    const write = () => beginClaim(store, account.id, to);
    const error = await sendOnRequest({ form: 'claim', to, client, write }, services);
    return error ? claimPage(typed, error) : codePage(account.id);
  });
  const finish = web.handleForm(services, async (fields, request) => {
    const id = fields.get('account') ?? '';
    const actor: Actor = { by: 'account', network: networkOf(clientAddress(request)) };
    const outcome = await finishClaim(store, id, fields.get('code') ?? '', actor);
    if (outcome === 'wrong') return codePage(id, WRONG_CODE);
    const account = outcome === 'claimed' ? await accountById(store, id) : undefined;
    if (!account) return GONE;
    log.info('a membership was claimed');
    return claimedPage(account, store.now());
  });
  return [
    { path: CLAIM, get: web.respondWith(() => claimPage()), post: begin },
    { path: CLAIM_CODE, post: finish },
  ];
}

const hashCode = (account: string, code: string) =>
  createHash('sha256').update(`${account} ${code}`).digest('hex');

/**
 * Begins a claim of an account to the memberships of another email address, and writes the mail with its code. It ends an earlier claim of the
 * account. An address without a membership gets a mail too: the page must take the same time, and the owner of the address should know.
 */
async function beginClaim(store: Store, account: string, to: string): Promise<Mail> {
  const code = Array.from({ length: CODE_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const isMember = await store.transaction(async (sql) => {
    const memberships = await listMemberships(sql, OF_PERSON, ['', to]);
    if (!(await accountById(sql, account))) return false;
    await sql.run(
      `INSERT INTO claims (account, email, hash, attempts, ends_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (account) DO UPDATE SET email = excluded.email, hash = excluded.hash, attempts = excluded.attempts, ends_at = excluded.ends_at`,
      [account, to, hashCode(account, code), ATTEMPTS, sql.now() + CLAIM_MINUTES * 60_000],
    );
    return memberships.length > 0;
  });
  const text = isMember
    ? `The code is

    ${code}

It works once, within ${CLAIM_MINUTES} minutes.
`
    : 'However, this email address has no membership. It may have another\naddress, or the platform may not have reported it yet.\n';
  return {
    to,
    subject: 'Your Game Data Read API membership',
    text: `Someone, probably you, wants to use the membership of this email
address with a Game Data Read API account of another email address.

${text}
If it was not you, ignore this mail: nothing happens without a code. Do
not give a code to anyone.
`,
  };
}

/**
 * Completes a claim with its code: from now on the memberships belong only to the account. Capitals, spaces and hyphens in the code do not matter.
 *
 * @returns `gone` if no claim waits for a code
 */
async function finishClaim(
  store: Store,
  account: string,
  code: string,
  actor: Actor,
): Promise<'claimed' | 'wrong' | 'gone'> {
  const hash = hashCode(account, code.toLowerCase().replace(/[\s-]/g, ''));
  return await store.transaction(async (sql) => {
    const claim = await sql.get<{ email: string; hash: string }>(
      'SELECT email, hash FROM claims WHERE account = $1 AND ends_at > $2 AND attempts > 0',
      [account, sql.now()],
    );
    if (claim === undefined) return 'gone';
    await sql.run('UPDATE claims SET attempts = attempts - 1 WHERE account = $1', [account]);
    const memberships = await listMemberships(sql, OF_PERSON, ['', claim.email]);
    if (!isSameSecret(hash, claim.hash) || memberships.length === 0) return 'wrong';
    await sql.run('DELETE FROM claims WHERE account = $1', [account]);
    await recordChange(sql, { account, event: 'membership.claimed', actor });
    const owners = new Set([account]);
    for (const membership of memberships) {
      owners.add((await ownerOf(sql, membership)) ?? account);
      await putMembership(sql, { ...membership, account });
    }
    const cause = { event: 'membership.changed', actor: GATEWAY };
    for (const owner of owners) await refreshTier(sql, owner, cause);
    return 'claimed';
  });
}

/** The form for a key and the email address of a membership. A key that was typed is not shown again. */
function claimPage(typed = '', error?: web.FormError): web.Page {
  const more = { autocomplete: 'off', maxlength: 64, required: true } as const;
  const body = html`<p>A membership makes the account with the same email address Pro. If your account has another email
    address, claim the membership here. You get a code by mail to the email address of the membership.</p>
    <form method="post" action="${CLAIM}" novalidate>
    ${web.field({ label: 'One of your keys', id: 'key', type: 'password', error, more })}
    ${web.emailField('Email address of the membership', typed, error)}${web.submit('Send the code')}</form>`;
  return { title: 'Claim a membership', body, error };
}

/** The response to the form, whether or not the email address has a membership. @param account the account's id */
function codePage(account: string, error?: web.FormError): web.Page {
  const more = { autocomplete: 'one-time-code', maxlength: 32, required: true } as const;
  const body = html`<p>We sent a mail to the email address of the membership. Type the code in it within ${CLAIM_MINUTES}
    minutes.</p>
    <form method="post" action="${CLAIM_CODE}"><input type="hidden" name="account" value="${account}">
    ${web.field({ label: 'Code', id: 'code', error, more })}${web.submit('Claim the membership')}</form>
    <p>If it does not arrive, <a href="${CLAIM}">request another code</a>.</p>`;
  return { title: 'Type the code', body, error };
}

function claimedPage(account: Account, now: number): web.Page {
  const until = account.pro_until === null ? '' : ` until ${account.pro_until.slice(0, 10)}`;
  const state =
    tierAt(account, now) === 'pro'
      ? `which is Pro${until}. Your keys do not change.`
      : 'but it is not paid for now. Once it is, your account is Pro.';
  const body = html`<p>The membership belongs to your account, ${state}</p>`;
  return { title: 'The membership is yours', body };
}

/** The page for a code that no claim waits for. */
const GONE: web.Page = {
  ...{ status: 410, title: 'This code no longer works' },
  body: html`<p>A code works once, within ${CLAIM_MINUTES} minutes, and may be mistyped a few times.</p>
    <p><a href="${CLAIM}">Request another code</a></p>`,
};
