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

/** What the account pages need. */
export interface AccountServices extends MailServices, FormServices {
  /** ms since 1970. */
  now: () => number;
  follower: DistFollower;
  /** Whether memberships under other email addresses can be claimed. */
  hasClaims: boolean;
  /** Which addresses webhooks may be sent to. */
  policy: AddressPolicy;
}

const SIGNED_OUT: FormError = {
  status: 403,
  message: 'You are no longer signed in. Nothing was changed. Request a new link.',
};

/** Forms that one account may send: far more than a person needs, too few to fill the store. */
const FORM_LIMITS: Limits = { minute: 60, day: 1000 };

/** Makes a handler that shows a page to a visitor who is signed in, and the sign-in form to others. */
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
 * Makes a handler that checks a form's session and CSRF token, and responds with a page.
 *
 * @param maxBytes the maximum length of the form
 */
export function handleSessionForm(
  services: AccountServices,
  makePage: (session: Session, fields: Fields) => Promise<Page>,
  maxBytes?: number,
): EndpointHandler {
  const { store, publicUrl } = services;
  const check = async (fields: Fields, cookie: string): Promise<Page> => {
    const session = await findSession(store, cookie);
    if (!session) return signInPage('', SIGNED_OUT);
    if (!isCsrfToken(session, fields.get(CSRF_FIELD) ?? '')) throw foreignForm();
    const seconds = await countUse(store, `account-forms ${session.account.id}`, FORM_LIMITS);
    if (seconds !== undefined) throw tooManyForms(seconds);
    return await makePage(session, fields);
  };
  return handleForm(services, (fields, request) => check(fields, readCookie(request, publicUrl())), maxBytes);
}

function foreignForm(): HttpProblem {
  return new HttpProblem(
    'cross-site',
    'the form does not belong to this session; load /account again and repeat the change',
  );
}

function tooManyForms(seconds: number): HttpProblem {
  const detail = `this account sent too many forms; try again in ${seconds} s`;
  return new HttpProblem('quota-exceeded', detail, {}, { 'Retry-After': seconds });
}
