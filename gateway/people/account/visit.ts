// The requests of visitors who are signed in: which session they belong to, and what each tab of the account page is made of.
import type { IncomingMessage } from 'node:http';
import { type Limits, type Tier, tierAt } from '../../access/account.ts';
import { networkOf } from '../../access/attempts.ts';
import { countUse } from '../../access/quota.ts';
import type { DistFollower } from '../../data/follow-dist.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import type { EndpointHandler, Incoming } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import type { Actor } from '../../store/audit.ts';
import type { AddressPolicy } from '../alerts/post.ts';
import type { QueryReader } from '../read-address-terms.ts';
import { csrfTokenOf, findSession, isCsrfToken, readCookie, type Session } from '../sessions.ts';
import type { VisitorServices } from '../sign-up.ts';
import { type Fields, handleForm, type Page, respondWith } from '../web.ts';
import { signInPage } from './sign-in.ts';

/** What the account pages need. */
export interface AccountServices extends VisitorServices, QueryReader {
  /** ms since 1970. */
  now: () => number;
  follower: DistFollower;
  /** Whether memberships under other email addresses can be claimed. */
  hasClaims: boolean;
  /** Where memberships are sold, at https addresses; empty if the operator does not say. */
  joinLinks?: readonly { name: string; address: string }[];
  /** Which addresses webhooks may be sent to. */
  policy: AddressPolicy;
}

/** A request of somebody who is signed in. */
export interface Visit {
  session: Session;
  /** For the audit log. */
  actor: Actor;
  tier: Tier;
  /** The form that was sent; empty for a page. */
  fields: Fields;
  services: AccountServices;
}

/** A tab of the account page, with its forms. To add one, write a file and name it in `account.ts`. */
export interface Tab {
  path: string;
  label: string;
  /** Makes its content, with what was typed into a form that was refused. */
  show(visit: Visit): Promise<Html>;
  /** By the paths that they are sent to. */
  forms: Readonly<Record<string, Form>>;
}

/** A form of the account page. */
export interface Form {
  /** The maximum length of the form. */
  maxBytes?: number;
  /** The page that has it, if that is not the tab: its path, and its content with the form that was refused. */
  place?: { path(visit: Visit): string; show(visit: Visit): Promise<Page> };
  /** Applies it. @returns a page with a secret that is shown only once; otherwise the tab is shown again @throws InputError */
  apply(visit: Visit): Promise<Page | undefined>;
}

/** Forms that one account may send: far more than a person needs, too few to fill the store. */
const FORM_LIMITS: Limits = { minute: 60, day: 1000 };
const CSRF_FIELD = 'csrf_token';

/** A form that carries the session's CSRF token. */
export function sessionForm({ session }: Visit, action: string, content: Content): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="${CSRF_FIELD}"
    value="${csrfTokenOf(session)}">${content}</form>`;
}

/** A table that can scroll on narrow screens, also by keyboard. @param label what it has @param rows elements `<tr>` */
export function scrollable(label: string, head: readonly string[], rows: readonly Html[]): Html {
  const titles = head.map((title) => (title === '' ? html`<td></td>` : html`<th scope="col">${title}</th>`));
  return html`<div class="scroll account-table" role="group" tabindex="0" aria-label="${label}">
    <table><tr>${titles}</tr>${rows}</table></div>`;
}

/** Finds the session of a request. */
export async function sessionOf(
  request: IncomingMessage,
  { store, publicUrl, clientAddress }: AccountServices,
): Promise<Session | undefined> {
  return await findSession(store, readCookie(request, publicUrl()), networkOf(clientAddress(request)));
}

function makeVisit(services: AccountServices, session: Session, fields: Fields = new Map()): Visit {
  const { account, network } = session;
  const tier = tierAt(account, services.store.now());
  return { session, actor: { by: 'account', network }, tier, fields, services };
}

/** Makes a handler that shows a page to a visitor who is signed in, and the sign-in form to others. */
export function handleVisit(
  services: AccountServices,
  makePage: (visit: Visit, request: Incoming) => Page | Promise<Page>,
): EndpointHandler {
  return respondWith(async (request) => {
    const session = await sessionOf(request, services);
    return session ? await makePage(makeVisit(services, session), request) : signInPage();
  });
}

/**
 * Makes a handler that checks a form's session and CSRF token, and responds with a page.
 *
 * @param options.isCounted whether it counts as one of the account's forms, of which there are only so many
 */
export function handleVisitForm(
  services: AccountServices,
  makePage: (visit: Visit) => Promise<Page>,
  { maxBytes, isCounted = true }: { maxBytes?: number | undefined; isCounted?: boolean } = {},
): EndpointHandler {
  const check = async (fields: Fields, request: Incoming): Promise<Page> => {
    const session = await sessionOf(request, services);
    if (!session) return signInPage('', SIGNED_OUT);
    if (!isCsrfToken(session, fields.get(CSRF_FIELD) ?? '')) {
      const detail = 'the form does not belong to this session; load /account again and repeat the change';
      throw new HttpProblem('origin-not-allowed', detail);
    }
    if (isCounted) await countForm(services, session);
    return await makePage(makeVisit(services, session, fields));
  };
  return handleForm(services, check, maxBytes);
}

const SIGNED_OUT = {
  status: 403,
  message: 'You are no longer signed in. Nothing was changed. Request a new link.',
};

async function countForm({ store }: AccountServices, { account }: Session): Promise<void> {
  const counted = await countUse(store, { what: 'account-forms', account, limits: FORM_LIMITS });
  if (counted.isAllowed) return;
  const detail = `this account sent too many forms; try again in ${counted.seconds} s`;
  throw new HttpProblem('quota-exceeded', detail, {}, { 'Retry-After': counted.seconds });
}
