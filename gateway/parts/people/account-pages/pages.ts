import { TIERS } from '../../../core/plans/tiers.ts';
import type { Session } from '../accounts/session.ts';
import { emailField } from '../mail/email-field.ts';
import { LINK_MINUTES } from '../mail/one-time-link.ts';
import { SIGNUP } from '../signup/pages.ts';
import { showTime } from '../web/describe-time.ts';
import { describedBy, describeError, type FormError, formHeaders } from '../web/form-error.ts';
import { type Html, html } from '../web/html.ts';
import type { Page } from '../web/page.ts';
import type { AccountState } from './account-state.ts';
import { ACCOUNT, ACCOUNT_DELETE, ACCOUNT_ENTER, ACCOUNT_LEAVE } from './addresses.ts';
import { alertsSection } from './alerts-section.ts';
import type { NewKey } from './keys.ts';
import { keysSection } from './keys-section.ts';
import { membershipSection } from './membership-section.ts';
import { readAddressesSection } from './read-addresses-section.ts';
import { requestsSection } from './requests-section.ts';
import { eventsSection, sessionsSection } from './security-sections.ts';
import { type Fields, sessionForm } from './session-form.ts';

const NOTHING: Fields = new Map();

/** Makes the form for an email address, for visitors who are not signed in. */
export function signInPage(typed = '', error?: FormError): Page {
  const body = html`${describeError(error)}
<p>Type the email address of your account to get a link to it by mail.</p>
<form method="post" action="${ACCOUNT}" novalidate>
  ${emailField('Email address', typed, error)}
  <details><summary>Were too many mails requested?</summary>
  <p>Others may have requested them. The owner of one of the account's keys has separate limits.</p>
  <p><label for="key">One of your keys</label><br>
    <input type="password" id="key" name="key" autocomplete="off" maxlength="64"></p></details>
  <p><button>Send the link</button></p>
</form>
<p>No account yet? <a href="${SIGNUP}">Get a key</a>.</p>`;
  return { status: error?.status ?? 200, title: 'Your account', body, headers: formHeaders(error) };
}

/** Makes the page that replaces the account page when it is off. */
export function closedPage(): Page {
  const body = html`<p>This gateway has no account pages. Ask its operator about your account.</p>`;
  return { status: 404, title: 'No account page', body };
}

/** Makes the response to the form, whether or not the email address has an account. */
export function sentPage(email: string): Page {
  const body = html`<p>We sent a mail to <strong>${email}</strong>. Open the link in it within ${LINK_MINUTES} minutes, in the browser that you want to use.</p>
<p>If it does not arrive, check the spam folder and the spelling of the address. Then <a href="${ACCOUNT}">request another link</a>.</p>`;
  return { status: 200, title: 'Check your inbox', body };
}

/** Makes the page of a link. Programs that follow links see only this page; a person has to click the button. */
export function enterPage(token: string, email: string): Page {
  const body = html`<p>This signs you in to the account of <strong>${email}</strong>.</p>
<form method="post" action="${ACCOUNT_ENTER}">
  <input type="hidden" name="token" value="${token}">
  <p><button>Sign in</button></p>
</form>`;
  return { status: 200, title: 'Sign in', body, headers: formHeaders(undefined) };
}

/** Makes the page of a link that is unknown, used or expired. It does not say which. */
export function deadLinkPage(): Page {
  const body = html`<p>A link works once, within ${LINK_MINUTES} minutes. This one was used, has expired, or was not copied completely.</p>
<p><a href="${ACCOUNT}">Request another link</a></p>`;
  return { status: 410, title: 'This link no longer works', body };
}

/**
 * Makes the account page.
 *
 * @param error what was wrong with the form that was sent
 * @param typed the fields of that form
 */
export function accountPage(state: AccountState, error?: FormError, typed = NOTHING): Page {
  const { session } = state;
  const body = html`${describeError(error)}
${describeAccount(state)}
${sessionForm(session, ACCOUNT_LEAVE, html`<button class="quiet">Sign out</button>`)}
<p class="small muted" data-session-key hidden>The <a href="/games">pages of games</a> in this tab use this account until you sign out.</p>
<nav class="collections" aria-label="On this page"><a href="#keys">Keys</a> <a href="#links">Addresses</a> <a href="#membership">Membership</a> <a href="#alerts">Alerts</a> <a href="#requests">Game requests</a>
  <a href="#sessions">Sessions</a> <a href="#events">What happened</a> <a href="#delete">Delete</a></nav>
${keysSection(state, typed)}
${readAddressesSection(state, typed)}
${membershipSection(state)}
${alertsSection(state, typed)}
${requestsSection(state, typed)}
${sessionsSection(state)}
${eventsSection(state)}
<h2 id="delete">Delete</h2>
<p><a href="${ACCOUNT_DELETE}">Delete the account</a></p>`;
  return {
    status: error?.status ?? 200,
    title: 'Your account',
    body,
    headers: formHeaders(error),
    width: 'wide',
    islands: ['account'],
  };
}

function describeAccount({ session: { account }, tier, usage }: AccountState): Html {
  const until =
    tier === 'pro' && account.pro_until !== null ? html` until ${showTime(account.pro_until)}` : undefined;
  return html`<p>${account.email}</p>
<dl class="facts">
<div><dt>tier${until}</dt><dd>${tier === 'pro' ? 'Pro' : 'Free'}</dd></div>
${describeRequests(tier, usage)}
</dl>`;
}

function describeRequests(tier: AccountState['tier'], usage: AccountState['usage']): Html {
  const { limits } = TIERS[tier];
  if (!limits || !usage) return html`<div><dt>requests</dt><dd>No caps</dd></div>`;
  return html`<div><dt>requests in the last 60 seconds</dt><dd>${usage.minute.used} of ${limits.minute}</dd></div>
<div><dt>requests today (UTC)</dt><dd>${usage.day.used} of ${limits.day}</dd></div>`;
}

/** Makes the page that shows a new key once. */
export function keyPage({ key, prefix, replaced }: NewKey): Page {
  const old =
    replaced &&
    html`<p>It replaces <code>${replaced.prefix}…</code>, which works until ${showTime(replaced.revoked_at ?? '')}.</p>`;
  const body = html`<pre><code>${key}</code></pre>
<p><strong>Copy it now: it is not shown again.</strong> It works immediately. It begins with <code>${prefix}</code>.</p>
${old}
<p><a href="${ACCOUNT}#keys">Back to the account</a></p>`;
  return { status: 200, title: 'Your new key', body };
}

/** Makes the page that shows the address of a feed once. */
export function feedPage(address: string): Page {
  const body = html`<pre><code>${address}</code></pre>
<p><strong>Copy it now: it is not shown again.</strong> Anyone who knows it can read the feed. An earlier address no longer works.</p>
<p><a href="${ACCOUNT}#alerts">Back to the account</a></p>`;
  return { status: 200, title: 'The address of your feed', body };
}

/** Makes the page that asks for confirmation before an account is deleted: its email address has to be typed. */
export function deletePage(session: Session, error?: FormError): Page {
  const { email } = session.account;
  const confirm = html`<p><label for="email">Type <strong>${email}</strong> to confirm</label><br>
    <input type="email" id="email" name="email" autocomplete="off" maxlength="254" required${describedBy(error)}></p>
  <p><button>Delete the account</button></p>`;
  const body = html`${describeError(error)}
<p>This deletes the account with its keys, read-only addresses, usage, game requests, alerts, sessions and the log of what happened. Keys and addresses stop working at once.
  The gateway also forgets its memberships. To end a membership, go to its platform. Only the numbers of requests, mails and downloads stay for
  at most a day, under keyed hashes and without your address, so that caps cannot be reset.</p>
${sessionForm(session, ACCOUNT_DELETE, confirm)}
<p><a href="${ACCOUNT}">Back to the account</a></p>`;
  return {
    status: error?.status ?? 200,
    title: 'Delete the account',
    body,
    headers: formHeaders(error),
    islands: ['account'],
  };
}

/** Makes the page that is shown after an account was deleted. */
export function deletedPage(): Page {
  const body = html`<p>All data of the account has been deleted. The numbers of your requests, mails and downloads, without your address, follow within a day.</p>`;
  return { status: 200, title: 'Account deleted', body };
}
