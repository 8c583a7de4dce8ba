// The account page: the head that all tabs share, the tabs with their forms, and the deletion of an account.
import { describeUsage, TIERS } from '../../access/account.ts';
import { readCountersOf } from '../../access/quota.ts';
import { type Content, Html, html } from '../../http/html.ts';
import type { Endpoint, EndpointHandler } from '../../http/incoming.ts';
import { InputError } from '../../http/problem.ts';
import { readEmail } from '../../store/email.ts';
import type { AccountServices } from '../people.ts';
import { erasePerson } from '../privacy.ts';
import { openSessionKey, setCookie } from '../sessions.ts';
import { signIn } from '../sign-up.ts';
import { field, type Page, redirectPage, showTime, submit } from '../web.ts';
import { alertsTab } from './alerts.ts';
import { CLAIM, claimPage } from './claim.ts';
import { keyPage, keysTab } from './keys.ts';
import { addressesTab, LEAVE, requestsTab, securityTab } from './tabs.ts';
import * as visits from './visit.ts';

const DELETE = '/account/delete';

/** Asks for confirmation before an account is deleted: its email address has to be typed. */
const deletePage: visits.AccountPage = {
  path: DELETE,
  show: confirmDeletion,
  forms: { [DELETE]: removeAccount },
};

const PAGES = [keysTab, addressesTab, alertsTab, requestsTab, securityTab, keyPage, claimPage, deletePage];

/** The account page with its forms, sign-in, sign-out, and the deletion of an account. */
export function accountEndpoints(services: AccountServices): Endpoint[] {
  const { askForLink, enter } = signIn(services);
  return [
    ...PAGES.flatMap((page) => {
      const forms = Object.entries(page.forms).map(([path, apply]): Endpoint => {
        return { path, post: visits.handleVisitForm(services, (visit) => applyForm(page, apply, visit)) };
      });
      const get = visits.handleVisit(services, (visit) => showPage(page, visit));
      const post = page === keysTab ? askForLink : forms.find(({ path }) => path === page.path)?.post;
      return [
        { path: page.path, get, ...(post && { post }) },
        ...forms.filter(({ path }) => path !== page.path),
      ];
    }),
    enter,
    { path: '/account/browser-key', get: sendBrowserKey(services) },
  ];
}

/** Applies a form. If the input is wrong, its page is shown again with the reason and what was typed. */
async function applyForm(
  page: visits.AccountPage,
  apply: (visit: visits.Visit) => Promise<unknown>,
  visit: visits.Visit,
): Promise<Page> {
  try {
    return ((await apply(visit)) as Page | undefined) ?? redirectPage(page.address?.(visit) ?? page.path);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message, status } = error;
    const refusal = { status, message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.` };
    const shown = await showPage(page, visit);
    return shown.status === undefined ? { ...shown, error: refusal } : shown;
  }
}

async function showPage(page: visits.AccountPage, visit: visits.Visit): Promise<Page> {
  const content = await page.show(visit);
  if (!(content instanceof Html)) return content;
  const links = PAGES.filter(({ label }) => label).map(
    ({ path, label }) =>
      html`<a href="${path}"${path === page.path && html` aria-current="page"`}>${label}</a> `,
  );
  const body = html`<div class="row">${visit.account.email}
    ${visits.postForm(LEAVE, html`<button type="submit" class="quiet">Sign out</button>`)}</div>
    <nav class="tabs" aria-label="Your account">${links}</nav>
    ${content}${page === keysTab && (await describeAccount(visit))}
    <p class="small muted" data-session-key hidden>The <a href="/games">pages of games</a> in this tab use this account
    until you sign out.</p>`;
  return { title: 'Your account', body, width: 'wide', islands: ['account'] };
}

async function describeAccount({ account, tier, services, store }: visits.Visit): Promise<Html> {
  const { limits } = TIERS[tier];
  const { joinLinks = [], platforms } = services;
  const usage = limits && describeUsage(await readCountersOf(store, account), limits);
  const until = tier === 'pro' && account.pro_until !== null && html` until ${showTime(account.pro_until)}`;
  const fact = (name: Content, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const counts = usage
    ? [
        fact('Requests in the last 60 seconds', `${usage.minute.used} of ${limits.minute}`),
        fact('Requests today (UTC)', `${usage.day.used} of ${limits.day}`),
      ]
    : fact('Requests', 'No limits');
  const links = joinLinks.map(
    ({ name, address }, at) =>
      html`${at === 0 ? 'Join' : ' or'} <a href="${address}" rel="noreferrer">on ${name}</a>`,
  );
  const free = html`This account is free. Pro comes with a membership.
    ${links.length === 0 ? 'Ask the operator of this gateway where to get one' : links}.`;
  const pro = html`This account is Pro${until || ', with no end date'}.`;
  return html`<h2 id="membership">Membership</h2><dl class="rows">${fact(html`Tier${until}`, tier === 'pro' ? 'Pro' : 'Free')}${counts}</dl>
    <p>${tier === 'pro' ? pro : free}
    ${platforms.length > 0 && html`If you have one under another email address, <a href="${CLAIM}">claim it</a>.`}</p>`;
}

/**
 * Returns the browser key of the visitor's session to the gateway's own pages: `{"key", "expires_at"}`, both null for a visitor who is not signed in.
 * It has no CORS header fields, so pages of other origins cannot read it.
 */
function sendBrowserKey(services: AccountServices): EndpointHandler {
  return async (request, response) => {
    const session = await visits.sessionOf(request, services);
    const { origin } = new URL(services.publicUrl());
    const made = session && (await openSessionKey(services.store, session, origin));
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    };
    response.writeHead(200, headers).end(JSON.stringify(made ?? { key: null, expires_at: null }));
  };
}

function confirmDeletion(visit: visits.Visit): Page {
  const label = html`Type <strong>${visit.account.email}</strong> to confirm`;
  const more = { autocomplete: 'off', maxlength: 254, required: true } as const;
  const form = html`${field({ label, id: 'email', type: 'email', more })}
    ${submit('Delete the account', html` class="danger"`)}`;
  const body = html`<p>This deletes the account with its keys, read-only addresses, usage, game requests, alerts, sessions
    and the log of what happened. Keys and addresses stop working at once. The gateway also forgets its memberships. To end
    a membership, go to its platform. Only the numbers of requests, mails and downloads stay for at most a day, under keyed
    hashes and without your address, so that limits cannot be reset.</p>
    ${visits.postForm(DELETE, form)}
    ${visits.BACK}`;
  return { title: 'Delete the account', body, islands: ['account'] };
}

/** Deletes the account. The mail is how the holder learns of a deletion that another person requested. */
async function removeAccount(visit: visits.Visit): Promise<Page> {
  const { account, actor, store, services } = visit;
  const { log, mailer, publicUrl } = services;
  if (readEmail(visit.typed('email').trim()) !== account.email)
    throw new InputError('this is not the email address of the account. Nothing was deleted');
  await erasePerson(store, account.email);
  const text = `Your Game Data Read API account was deleted on its page, from the network
${actor.network}. All its keys have stopped working, and its data is gone.

If it was not you, someone else can read your mail. Change the password of your
mailbox.
`;
  const failure = await mailer.send({ to: account.email, subject: 'Your account was deleted', text });
  if (failure) log.error('a security mail could not be sent', { ...failure });
  log.info('an account holder deleted the account');
  const body = html`<p>All data of the account has been deleted. The numbers of your requests, mails and downloads, without
    your address, follow within a day.</p>`;
  return { title: 'Account deleted', body, headers: setCookie(publicUrl(), undefined) };
}
