import type { IncomingMessage } from 'node:http';
import { type BadAttempts, networkOf } from '../../access/attempts.ts';
import type { Limits } from '../../access/charge.ts';
import { countUse } from '../../access/quota.ts';
import type { DistFollower } from '../../data/follow-dist.ts';
import type { EndpointHandler } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import type { QueryReader } from '../accounts/read-address-terms.ts';
import { findSession, isCsrfToken, type Session } from '../accounts/session.ts';
import type { AddressPolicy } from '../alerts/post.ts';
import type { MailServices } from '../mail/send-on-request.ts';
import { type FormServices, handleForm, respondWith } from '../web/form-endpoint.ts';
import type { FormError } from '../web/form-error.tsx';
import type { Page } from '../web/page.tsx';
import type { JoinLink } from './account-state.ts';
import { readCookie } from './cookie.ts';
import { signInPage } from './pages.tsx';
import { CSRF_FIELD, type Fields } from './sections/session-form.tsx';

/** What the account pages need. */
export interface AccountServices extends MailServices, FormServices, QueryReader {
  /** ms since 1970. */
  now: () => number;
  /** Counts links and keys that do not work. */
  badAttempts: BadAttempts;
  follower: DistFollower;
  /** Whether memberships under other email addresses can be claimed. */
  hasClaims: boolean;
  /** Where memberships are sold. */
  joinLinks?: readonly JoinLink[];
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
  services: AccountServices,
  makePage: (session: Session, request: IncomingMessage) => Page | Promise<Page>,
): EndpointHandler {
  return respondWith(async (request) => {
    const session = await sessionOf(request, services);
    return session ? await makePage(session, request) : signInPage();
  });
}

/**
 * Makes a handler that checks a form's session and CSRF token, and responds with a page.
 *
 * @param options.maxBytes the maximum length of the form
 * @param options.isCounted whether it counts as one of the account's forms, of which there are only so many
 */
export function handleSessionForm(
  services: AccountServices,
  makePage: (session: Session, fields: Fields) => Promise<Page>,
  { maxBytes, isCounted = true }: { maxBytes?: number | undefined; isCounted?: boolean } = {},
): EndpointHandler {
  const check = async (fields: Fields, request: IncomingMessage): Promise<Page> => {
    const session = await sessionOf(request, services);
    if (!session) return signInPage('', SIGNED_OUT);
    if (!isCsrfToken(session, fields.get(CSRF_FIELD) ?? '')) throw foreignForm();
    if (isCounted) await countForm(services, session);
    return await makePage(session, fields);
  };
  return handleForm(services, check, maxBytes);
}

async function countForm({ store }: AccountServices, { account }: Session): Promise<void> {
  const counted = await countUse(store, { what: 'account-forms', account, limits: FORM_LIMITS });
  if (!counted.isAllowed) throw tooManyForms(counted.seconds);
}

/** Finds the session of a request. */
export async function sessionOf(
  request: IncomingMessage,
  { store, publicUrl, clientAddress }: AccountServices,
): Promise<Session | undefined> {
  const network = networkOf(clientAddress(request));
  return await findSession(store, readCookie(request, publicUrl()), network);
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
