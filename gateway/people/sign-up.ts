// Sign-up and sign-in: a form for an email address, a mail with a link, and the page of the link. The response to a form is the same whether or not the
// email address has an account; only the mail says so.
import { isEnding, type Key } from '../access/account.ts';
import { networkOf } from '../access/attempts.ts';
import { html } from '../http/html.ts';
import type { Endpoint, EndpointHandler, Incoming } from '../http/incoming.ts';
import { TERMS } from '../http/problem.ts';
import { findAccount } from '../store/accounts.ts';
import { type Actor, readLog, recordChange } from '../store/audit.ts';
import { issueKey, liveKeysOf, type NewKey, replaceKey } from '../store/keys.ts';
import type { Sql, Store } from '../store/sql.ts';
import type { Mail } from './mailer.ts';
import type { VisitorServices } from './people.ts';
import { beginSession, describeBrowser, endSession, readCookie, setCookie } from './sessions.ts';
import { createLink, findLink, LINK_MINUTES, removeLink, sendOnRequest } from './visitor-mails.ts';
import * as web from './web.ts';

export const SIGNUP = '/signup';
const SIGNUP_KEY = '/signup/key';
/** How many keys an account can have. Keys that are due to end do not count. */
export const MAX_KEYS = 5;
/** How long a replaced key continues to work. */
export const KEEP_MS = 24 * 3_600_000;

export function signupEndpoints(services: VisitorServices): Endpoint[] {
  const { store, log, publicUrl, clientAddress } = services;
  return [
    {
      path: SIGNUP,
      get: web.respondWith(() => formPage()),
      post: web.handleForm(services, async (fields, request) => {
        const typed = (fields.get('email') ?? '').trim();
        const to = web.readPublicEmail(typed);
        if (to === undefined) return formPage(typed, web.INVALID_EMAIL);
        const write = () =>
          store.transaction(async (sql) => {
            const link = `${publicUrl()}${SIGNUP_KEY}?token=${await createLink(sql, 'signup', to)}`;
            return linkMail(to, link, (await findAccount(sql, to)) !== undefined);
          });
        const mail = { form: 'sign-up', to, client: clientAddress(request), write } as const;
        const error = await sendOnRequest(mail, services);
        return error ? formPage(typed, error) : sentPage(to, SIGNUP, 'to see your key');
      }),
    },
    {
      path: SIGNUP_KEY,
      get: web.respondWith(async (request) => {
        const token = web.readParameter(request, 'token');
        const offer = await readOffer(store, token);
        return offer ? offerPage(token, offer) : refuseLink(services, request, SIGNUP);
      }),
      post: web.handleForm(services, async (fields, request) => {
        const network = networkOf(clientAddress(request));
        const redeemed = await redeemLink(store, fields.get('token') ?? '', network);
        if (!redeemed) return refuseLink(services, request, SIGNUP);
        log.info('a key was issued by mail', { key: redeemed.prefix });
        return keyPage(redeemed, publicUrl());
      }),
    },
  ];
}

/** The page in place of sign-up or the account page when it is turned off. */
export function closedEndpoint(path: string, title: string, what: string): Endpoint {
  const body = html`<p>This gateway ${what}</p>`;
  return { path, get: web.respondWith(() => ({ status: 404, title, body })) };
}

type LinkOffer = NonNullable<Awaited<ReturnType<typeof readOffer>>>;
type Redeemed = NonNullable<Awaited<ReturnType<typeof redeemLink>>>;

/** Reads what following a link will do. @returns undefined if the link is unknown, used or expired */
async function readOffer(sql: Sql, token: string) {
  const email = await findLink(sql, 'signup', token);
  if (email === undefined) return undefined;
  const account = await findAccount(sql, email);
  const keys = (account ? await liveKeysOf(sql, account.id) : []).filter((key) => !isEnding(key));
  // An account that has the maximum number of keys loses the oldest.
  return { email, replaced: keys.length >= MAX_KEYS ? keys[0] : undefined };
}

/**
 * Uses a link: issues a key, and creates the account if the email address has none.
 *
 * @returns the key, and the one that it replaces; undefined if `readOffer` does
 */
async function redeemLink(store: Store, token: string, network: string | null) {
  return await store.transaction(async (sql) => {
    const offer = await readOffer(sql, token);
    if (!offer) return undefined;
    await removeLink(sql, token);
    const actor: Actor = { by: 'account', network };
    const made: NewKey & { replaced?: Key } = offer.replaced
      ? await replaceKey(sql, offer.replaced, { keep: KEEP_MS, fields: {}, actor })
      : await issueKey(sql, offer.email, actor);
    const { prefix } = made.issued.key;
    return { key: made.key, prefix, replaced: made.replaced };
  });
}

function formPage(typed = '', error?: web.FormError): web.Page {
  const body = html`<p>A key is free. Type your email address to get a link to your key by mail. If you already have an
    account, you get another key for it.</p>
    <form method="post" action="${SIGNUP}" novalidate>${web.emailField('Email address', typed)}
    ${web.submit('Send the link')}</form>
    <p>The address is stored with your account and not shared with others. The <a href="${TERMS}">terms of use</a>
    apply.</p>`;
  return { title: 'Get a key', body, error };
}

/** The response to a form for a link. @param form its path */
function sentPage(email: string, form: string, rest: string): web.Page {
  const body = html`<p>We sent a mail to <strong>${email}</strong>. Open the link in it within ${LINK_MINUTES} minutes
    ${rest}.</p>
    <p>If it does not arrive, check the spam folder and the spelling of the address. Then
    <a href="${form}">request another link</a>.</p>`;
  return { title: 'Check your inbox', body };
}

/** The page of a link. Programs that follow links see only this page; a person has to click the button. */
function offerPage(token: string, { email, replaced }: LinkOffer): web.Page {
  const body = html`<p>This creates a key for <strong>${email}</strong> and shows it once.</p>
    ${
      replaced &&
      html`<p>This address has ${MAX_KEYS} keys, which is the maximum. The oldest, <code>${replaced.prefix}…</code>,
    will stop working in one day.</p>`
    }
    <form method="post" action="${SIGNUP_KEY}"><input type="hidden" name="token" value="${token}">
    ${web.submit('Show my key')}</form>`;
  return { title: 'Your key is ready', body };
}

/** Shows the new key once. */
function keyPage({ key, prefix, replaced }: Redeemed, publicUrl: string): web.Page {
  const body = html`<pre class="wrapped"><code data-new-key>${key}</code></pre>
    <p><strong>Copy it now: it is not shown again.</strong> It works immediately. It begins with
    <code>${prefix}</code>.</p>
    <p class="actions"><button type="button" class="with-script" data-try="/api/games">Send a first request</button>
    <a class="with-script" href="/games">Browse the games: this tab uses your key</a></p>
    <pre class="first-response" tabindex="0" aria-live="polite" hidden></pre>
    <p>Send it in the header <code>X-API-Key</code>:</p>
    ${web.code(`curl -H 'X-API-Key: ${key}' ${publicUrl}/api/games`)}
    ${
      replaced &&
      html`<p><code>${replaced.prefix}…</code> works until ${web.showTime(replaced.revoked_at ?? '')}.</p>`
    }
    <p><a href="/openapi.json">All addresses, parameters and responses (OpenAPI)</a></p>`;
  return { title: 'Your key', body, islands: ['account'] };
}

/** Counts a link that is unknown, used or expired, and makes its page, which does not say which. @param form where to request another */
function refuseLink(services: VisitorServices, request: Incoming, form: string): web.Page {
  services.badAttempts.refuse(services.clientAddress(request), 'this link does not work');
  const body = html`<p>A link works once, within ${LINK_MINUTES} minutes. This one was used, has expired, or was not copied
    completely.</p><p><a href="${form}">Request another link</a></p>`;
  return { status: 410, title: 'This link no longer works', body };
}

/** @param isKnown whether the email address has an account */
function linkMail(to: string, link: string, isKnown: boolean): Mail {
  const effect = isKnown
    ? 'This email address already has an account. The link adds a key to it;\nyour other keys keep working.'
    : 'It creates a free account for this email address.';
  return {
    to,
    subject: 'Your link to a Game Data Read API key',
    text: `Someone, probably you, requested a key to the Game Data Read API with
this email address. Open this link to get it:

${link}

The link works once, within ${LINK_MINUTES} minutes.
${effect}

If it was not you, ignore this mail: nothing happens without the link.
`,
  };
}

export const ACCOUNT = '/account';
const ENTER = '/account/enter';

/** Returns the handler of the sign-in form, and the endpoint of the links in mails. */
export function signIn(services: VisitorServices): { askForLink: EndpointHandler; enter: Endpoint } {
  const { store, log, publicUrl, clientAddress } = services;
  return {
    askForLink: web.handleForm(services, async (fields, request) => {
      const typed = (fields.get('email') ?? '').trim();
      const to = web.readPublicEmail(typed);
      if (to === undefined) return signInPage(typed, web.INVALID_EMAIL);
      const write = () => store.transaction((sql) => makeLinkMail(sql, to, publicUrl()));
      const mail = { form: 'sign-in', to, client: clientAddress(request), write } as const;
      const error = await sendOnRequest(mail, services);
      const rest = 'in the browser that you want to use';
      return error ? signInPage(typed, error) : sentPage(to, ACCOUNT, rest);
    }),
    enter: {
      path: ENTER,
      get: web.respondWith(async (request) => {
        const token = web.readParameter(request, 'token');
        const account = await accountOfLink(store, token);
        return account ? enterPage(token, account.email) : refuseLink(services, request, ACCOUNT);
      }),
      post: web.handleForm(services, async (fields, request) => {
        const network = networkOf(clientAddress(request));
        const about = describeBrowser(request.headers['user-agent']);
        const link = fields.get('token') ?? '';
        const token = await store.transaction(async (sql) => {
          const account = await accountOfLink(sql, link);
          if (!account) return undefined;
          await removeLink(sql, link);
          // The session that the browser had.
          await endSession(sql, readCookie(request, publicUrl()));
          const begun = (await readLog(sql, account.id)).filter((each) => each.network === network);
          const isKnown = begun.some((each) => each.event.startsWith('session.begun'));
          const event = isKnown ? 'session.begun' : 'session.begun-elsewhere';
          await recordChange(sql, { account: account.id, event, about, actor: { by: 'account', network } });
          return await beginSession(sql, account.id, { network, browser: about });
        });
        if (token === undefined) return refuseLink(services, request, ACCOUNT);
        log.info('an account holder signed in');
        return web.redirectPage(ACCOUNT, setCookie(publicUrl(), token));
      }),
    },
  };
}

/** @returns undefined if the link is unknown, used or expired, or the account is deleted */
async function accountOfLink(sql: Sql, token: string) {
  const email = await findLink(sql, 'sign-in', token);
  return email === undefined ? undefined : await findAccount(sql, email);
}

/**
 * Makes a sign-in link and its mail. An email address without an account gets a mail too: the page must not reveal whether the account exists, and
 * the owner of the address should know.
 */
async function makeLinkMail(sql: Sql, to: string, publicUrl: string): Promise<Mail> {
  const token = await createLink(sql, 'sign-in', to);
  const text = (await findAccount(sql, to))
    ? `Open this link to sign in:

${publicUrl}${ENTER}?token=${token}

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

/** The form for an email address, shown to visitors who are not signed in. */
export function signInPage(typed = '', error?: web.FormError): web.Page {
  const body = html`<p>Type the email address of your account to get a link to it by mail.</p>
    <form method="post" action="${ACCOUNT}" novalidate>${web.emailField('Email address', typed)}
    ${web.submit('Send the link')}</form>
    <p>No account yet? <a href="${SIGNUP}">Get a key</a>.</p>`;
  return { title: 'Your account', body, error };
}

/** The page of a link. Programs that follow links see only this page; a person has to click the button. */
function enterPage(token: string, email: string): web.Page {
  const body = html`<p>This signs you in to the account of <strong>${email}</strong>.</p>
    <form method="post" action="${ENTER}"><input type="hidden" name="token" value="${token}">
    ${web.submit('Sign in')}</form>`;
  return { title: 'Sign in', body };
}
