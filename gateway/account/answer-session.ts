import type { AddressPolicy } from '../alerts/public-address.ts';
import type { DistFollower } from '../catalog/follow-dist.ts';
import type { EndpointHandler } from '../http/endpoint.ts';
import { answerForm, answerWith, type FormServices } from '../http/form-endpoint.ts';
import type { FormError } from '../http/form-error.ts';
import type { Page } from '../http/page.ts';
import { HttpProblem } from '../http/problem.ts';
import type { MailServices } from '../mail/send-on-request.ts';
import { readCookie } from './cookie.ts';
import { signInPage } from './pages.ts';
import { findSession, isCsrfToken, type Session } from './session.ts';
import { CSRF_FIELD, type Fields } from './session-form.ts';

/** What the pages of accounts need. */
export interface AccountServices extends MailServices, FormServices {
  /** ms since 1970. */
  now: () => number;
  follower: DistFollower;
  /** Where webhooks may go. */
  policy: AddressPolicy;
}

const SIGNED_OUT: FormError = {
  status: 403,
  message: 'You are not signed in any more, and nothing was changed. Ask for another link.',
};

/** Answers who is signed in with a page, and others with the form to sign in. */
export function answerSession(
  { store, publicUrl }: AccountServices,
  makePage: (session: Session) => Page | Promise<Page>,
): EndpointHandler {
  return answerWith(async (request) => {
    const session = await findSession(store, readCookie(request, publicUrl()));
    return session ? await makePage(session) : signInPage();
  });
}

/**
 * Answers a form of a session with a page.
 *
 * @param longest in bytes
 */
export function answerSessionForm(
  services: AccountServices,
  makePage: (session: Session, fields: Fields) => Promise<Page>,
  longest?: number,
): EndpointHandler {
  const { store, publicUrl } = services;
  const answer = async (fields: Fields, cookie: string): Promise<Page> => {
    const session = await findSession(store, cookie);
    if (!session) return signInPage('', SIGNED_OUT);
    if (isCsrfToken(session, fields.get(CSRF_FIELD) ?? '')) return await makePage(session, fields);
    throw new HttpProblem(
      'cross-site',
      'the form was not made for this session, expected one of the page /account as it is now: load it again',
    );
  };
  return answerForm(services, (fields, request) => answer(fields, readCookie(request, publicUrl())), longest);
}
