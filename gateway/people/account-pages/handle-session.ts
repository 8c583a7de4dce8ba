import { countUse } from '../../access/count-use.ts';
import type { DistFollower } from '../../catalog/follow-dist.ts';
import type { EndpointHandler } from '../../http/endpoint.ts';
import { HttpProblem } from '../../http/problem.ts';
import type { Limits } from '../../plans/counters.ts';
import { findSession, isCsrfToken, type Session } from '../accounts/session.ts';
import type { AddressPolicy } from '../alerts/public-address.ts';
import type { MailServices } from '../mail/send-on-request.ts';
import { handleForm, respondWith, type FormServices } from '../web/form-endpoint.ts';
import type { FormError } from '../web/form-error.ts';
import type { Page } from '../web/page.ts';
import { readCookie } from './cookie.ts';
import { signInPage } from './pages.ts';
import { CSRF_FIELD, type Fields } from './session-form.ts';

/** What the pages of accounts need. */
export interface AccountServices extends MailServices, FormServices {
  /** ms since 1970. */
  now: () => number;
  follower: DistFollower;
  /** Whether memberships of other addresses can be claimed here. */
  hasClaims: boolean;
  /** Where webhooks may go. */
  policy: AddressPolicy;
}

const SIGNED_OUT: FormError = {
  status: 403,
  message: 'You are not signed in any more, and nothing was changed. Ask for another link.',
};

/** Forms of one account: far more than a person sends, too few to fill a store. */
const FORM_LIMITS: Limits = { minute: 60, day: 1000 };

/** Answers who is signed in with a page, and others with the form to sign in. */
export function handleSession(
  { store, publicUrl }: AccountServices,
  makePage: (session: Session) => Page | Promise<Page>,
): EndpointHandler {
  return respondWith(async (request) => {
    const session = await findSession(store, readCookie(request, publicUrl()));
    return session ? await makePage(session) : signInPage();
  });
}

/**
 * Answers a form of a session with a page.
 *
 * @param longest in bytes
 */
export function handleSessionForm(
  services: AccountServices,
  makePage: (session: Session, fields: Fields) => Promise<Page>,
  longest?: number,
): EndpointHandler {
  const { store, publicUrl } = services;
  const answer = async (fields: Fields, cookie: string): Promise<Page> => {
    const session = await findSession(store, cookie);
    if (!session) return signInPage('', SIGNED_OUT);
    if (!isCsrfToken(session, fields.get(CSRF_FIELD) ?? '')) throw foreignForm();
    const seconds = await countUse(store, `account-forms ${session.account.id}`, FORM_LIMITS);
    if (seconds !== undefined) throw tooManyForms(seconds);
    return await makePage(session, fields);
  };
  return handleForm(services, (fields, request) => answer(fields, readCookie(request, publicUrl())), longest);
}

function foreignForm(): HttpProblem {
  return new HttpProblem(
    'cross-site',
    'the form was not made for this session, expected one of the page /account as it is now: load it again',
  );
}

function tooManyForms(seconds: number): HttpProblem {
  const detail = `this account sent too many forms; its next one is taken in ${seconds} s`;
  return new HttpProblem('quota-exceeded', detail, {}, { 'Retry-After': seconds });
}
