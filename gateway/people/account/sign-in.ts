// Sign-in by a link in a mail, and sign-out. The response to the form is the same whether or not the email address has an account.

import { networkOf } from '../../access/attempts.ts';
import { html } from '../../http/html.ts';
import type { Endpoint, EndpointHandler } from '../../http/incoming.ts';
import { findAccount } from '../../store/accounts.ts';
import { recordChange } from '../../store/audit.ts';
import type { Sql } from '../../store/sql.ts';
import type { Mail } from '../mailer.ts';
import type { VisitorServices } from '../people.ts';
import {
  beginSession,
  describeBrowser,
  endSession,
  noteNetwork,
  readCookie,
  setCookie,
} from '../sessions.ts';
import { refuseLink, SIGNUP, sentPage } from '../sign-up.ts';
import { createLink, findLink, LINK_MINUTES, removeLink, sendOnRequest } from '../visitor-mails.ts';
import * as web from '../web.ts';

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
          const isKnown = !(await noteNetwork(sql, account.id, network));
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

/** Replaces the account page when it is turned off. */
export function closedAccountEndpoints(): Endpoint[] {
  const body = html`<p>This gateway has no account pages. Ask its operator about your account.</p>`;
  return [{ path: ACCOUNT, get: web.respondWith(() => ({ status: 404, title: 'No account page', body })) }];
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
    <form method="post" action="${ACCOUNT}" novalidate>${web.emailField('Email address', typed, error)}
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
