// The requests of visitors who are signed in: their session, and the parts of an account page.
import type { IncomingMessage } from 'node:http';
import { type Account, type Limits, type Tier, tierAt } from '../../access/account.ts';
import { networkOf } from '../../access/attempts.ts';
import { countUse } from '../../access/quota.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import type { EndpointHandler, Incoming } from '../../http/incoming.ts';
import { accountById } from '../../store/accounts.ts';
import type { Actor } from '../../store/audit.ts';
import type { Store } from '../../store/sql.ts';
import type { AccountServices } from '../people.ts';
import { findSession, readCookie, type Session } from '../sessions.ts';
import { ACCOUNT, signInPage } from '../sign-up.ts';
import * as web from '../web.ts';

/** A request of a visitor who is signed in. */
export interface Visit {
  session: Session;
  account: Account;
  /** The IP address of the visitor. */
  client: string;
  /** Written to the audit log. */
  actor: Actor;
  /** The id of the account, and the actor. */
  owner: { account: string; actor: Actor };
  tier: Tier;
  /** The fields of the form; for a page, only `prefix` and `token` of its query. */
  fields: web.FormFields;
  /** Returns a field of the form; an empty text without it. */
  typed(name: string): string;
  services: AccountServices;
  store: Store;
}

/** A page of an account with its forms. To add one, write a file and name it in `account.ts`. */
export interface AccountPage {
  path: string;
  /** The name of its tab. A page without one is linked from other pages. */
  label?: string;
  /** The address to go to after a form; the path of the page by default. */
  address?(visit: Visit): string;
  /** Makes the page or the content of the tab, with the values of a form that was refused. */
  show(visit: Visit): Html | web.Page | Promise<Html | web.Page>;
  /** The handler of each form, by its path. @returns a page with a secret that is shown only once @throws InputError */
  forms: Readonly<Record<string, (visit: Visit) => Promise<unknown>>>;
}

/** How many forms one account may send: far more than a person needs, too few to fill the store. */
const FORM_LIMITS: Limits = { minute: 60, day: 1000 };
/** Large enough for one field per game, and for a list of origins. */
const MAX_FORM_BYTES = 64 * 1024;

export const BACK = html`<p><a href="${ACCOUNT}">Back to the account</a></p>`;

export function postForm(action: string, content: Content): Html {
  return html`<form method="post" action="${action}">${content}</form>`;
}

/** A form with fields, which have what was typed if the form was refused. @param hidden its hidden field */
export function fieldsForm(
  visit: Visit,
  action: string,
  { fields, button, hidden }: { fields: readonly web.FieldOf[]; button: string; hidden?: Html },
): Html {
  const typed = fields.map((each) => web.field({ ...each, value: visit.fields.get(each.id) ?? each.value }));
  return postForm(action, html`${hidden}${typed}${web.submit(button)}`);
}

/** A form that is only a button, for a row of a table. @param about the row, for screen readers */
export function buttonForm(
  action: string,
  { name, value, label, about }: Record<'name' | 'value' | 'label' | 'about', string>,
): Html {
  const button = html`<button type="submit" name="${name}" value="${value}" aria-label="${label} ${about}">${label}</button>`;
  return postForm(action, button);
}

/**
 * A table that scrolls on narrow screens, also by keyboard. @param label names the table @param rows elements `<tr>` @param none shown if there are
 * no rows
 */
export function scrollable(
  label: string,
  head: readonly string[],
  rows: readonly Html[],
  none?: Html,
): Content {
  if (rows.length === 0) return none;
  const titles = head.map((title) => (title === '' ? html`<td></td>` : html`<th scope="col">${title}</th>`));
  return html`<div class="scroll account-table" role="group" tabindex="0" aria-label="${label}">
    <table><tr>${titles}</tr>${rows}</table></div>`;
}

export async function sessionOf(
  request: IncomingMessage,
  { store, publicUrl }: AccountServices,
): Promise<Session | undefined> {
  return await findSession(store, readCookie(request, publicUrl()));
}

/** Shows the page to a visitor who is signed in, and the sign-in form to others. */
export function handleVisit(
  services: AccountServices,
  makePage: (visit: Visit) => Promise<web.Page>,
): EndpointHandler {
  return web.respondWith(async (request) => {
    const session = await sessionOf(request, services);
    const fields = new Map(['prefix', 'token'].map((name) => [name, web.readParameter(request, name)]));
    return session ? await makePage(makeVisit(services, session, request, fields)) : signInPage();
  });
}

/** Checks a form's session and the limit of its account, and responds with a page. */
export function handleVisitForm(
  services: AccountServices,
  makePage: (visit: Visit) => Promise<web.Page>,
): EndpointHandler {
  const check = async (fields: web.FormFields, request: Incoming): Promise<web.Page> => {
    const session = await sessionOf(request, services);
    if (!session) return signInPage('', SIGNED_OUT);
    const use = { what: 'forms', account: session.account, limits: FORM_LIMITS };
    await countForm(services.store, use);
    return await makePage(makeVisit(services, session, request, fields)).catch(async (error: unknown) => {
      // Another form may have deleted the account meanwhile.
      if (await accountById(services.store, session.account.id)) throw error;
      return signInPage('', SIGNED_OUT);
    });
  };
  return web.handleForm(services, check, MAX_FORM_BYTES);
}

/** Counts a form that an account sends. @throws HttpProblem `quota-exceeded` */
export async function countForm(store: Store, use: Parameters<typeof countUse>[1]): Promise<void> {
  const { isAllowed, seconds } = await countUse(store, use);
  if (!isAllowed) throw web.tooMany(`this account sent too many ${use.what}`, seconds);
}

function makeVisit(
  services: AccountServices,
  session: Session,
  request: IncomingMessage,
  fields: web.FormFields,
): Visit {
  const { account } = session;
  const { store, clientAddress } = services;
  const client = clientAddress(request);
  const actor: Actor = { by: 'account', network: networkOf(client) };
  return {
    session,
    account,
    client,
    actor,
    owner: { account: account.id, actor },
    tier: tierAt(account, store.now()),
    fields,
    typed: (name) => fields.get(name) ?? '',
    services,
    store,
  };
}

const SIGNED_OUT = {
  status: 403,
  message: 'You are no longer signed in. Nothing was changed. Request a new link.',
};
