import type { IncomingMessage } from 'node:http';
import { type BadAttempts, networkOf } from '../../access/attempts.ts';
import type { Endpoint } from '../../http/incoming.ts';
import { createLink, readToken } from '../mail/one-time-link.ts';
import { explainOutcome, type MailServices, sendOnRequest } from '../mail/send-on-request.ts';
import { type FormServices, handleForm, respondWith } from '../web/form-endpoint.ts';
import { INVALID_EMAIL } from '../web/form-error.tsx';
import { readPublicEmail } from '../web/form.ts';
import { readLink, redeemLink } from './links.ts';
import { linkMail } from './mails.ts';
import {
  closedPage,
  deadLinkPage,
  formPage,
  keyPage,
  offerPage,
  sentPage,
  SIGNUP,
  SIGNUP_KEY,
} from './pages.tsx';

/** What the sign-up pages need. */
export interface SignupServices extends MailServices, FormServices {
  /** Counts links that do not work. */
  badAttempts: BadAttempts;
  /** ms since 1970. */
  now: () => number;
}

/**
 * Makes the endpoints for getting a key by mail: a form, and the page of the links in mails. The response to the form is the same whether
 * or not the email address has an account. Only the mail says so.
 */
export function signupEndpoints(services: SignupServices): Endpoint[] {
  const { store, log, now, publicUrl, clientAddress, badAttempts } = services;
  const refuseDeadLink = (request: IncomingMessage) => {
    badAttempts.refuse(clientAddress(request), 'this link does not work');
    return deadLinkPage();
  };
  const form = handleForm(services, async (fields, request) => {
    const typed = (fields.get('email') ?? '').trim();
    const to = readPublicEmail(typed);
    if (to === undefined) return formPage(typed, INVALID_EMAIL);
    const write = async () => {
      const { token, isKnown } = await createLink(store, { purpose: 'signup', email: to, now: now() });
      return linkMail(to, `${publicUrl()}${SIGNUP_KEY}?token=${token}`, isKnown);
    };
    const mail = { form: 'sign-up', to, client: clientAddress(request), write } as const;
    const outcome = await sendOnRequest(mail, services);
    return outcome.kind === 'sent' ? sentPage(to) : formPage(typed, explainOutcome(outcome));
  });
  const followLink = respondWith(async (request) => {
    const token = readToken(request);
    const offer = await readLink(store, token);
    return offer ? offerPage(token, offer) : refuseDeadLink(request);
  });
  const useLink = handleForm(services, async (fields, request) => {
    const network = networkOf(clientAddress(request));
    const choice = { endOthers: fields.get('end') === 'others', network };
    const redeemed = await redeemLink(store, fields.get('token') ?? '', choice);
    if (!redeemed) return refuseDeadLink(request);
    log.info('a key was issued by mail', { key: redeemed.prefix, ended: redeemed.ended.length });
    return keyPage(redeemed, publicUrl());
  });
  return [
    { path: SIGNUP, get: respondWith(() => formPage()), post: form },
    { path: SIGNUP_KEY, get: followLink, post: useLink },
  ];
}

/** Makes the endpoint that replaces sign-up when it is off. */
export function closedSignupEndpoints(): Endpoint[] {
  return [{ path: SIGNUP, get: respondWith(closedPage) }];
}
