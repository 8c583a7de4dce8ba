import { TIERS } from '../../plans/tiers.ts';
import type { Session } from '../accounts/session.ts';
import { emailField } from '../mail/email-field.ts';
import { LINK_MINUTES } from '../mail/one-time-link.ts';
import { SIGNUP } from '../signup/pages.ts';
import { describeTime } from '../web/describe-time.ts';
import { describedBy, describeError, type FormError, formHeaders } from '../web/form-error.ts';
import { type Html, html } from '../web/html.ts';
import type { Page } from '../web/page.ts';
import type { AccountState } from './account-state.ts';
import { ACCOUNT, ACCOUNT_DELETE, ACCOUNT_ENTER, ACCOUNT_LEAVE } from './addresses.ts';
import { alertsSection } from './alerts-section.ts';
import { keysSection } from './keys-section.ts';
import { requestsSection } from './requests-section.ts';
import { type Fields, sessionForm } from './session-form.ts';

const NOTHING: Fields = new Map();

/** The form for an address, for who is not signed in. */
export function signInPage(typed = '', error?: FormError): Page {
  const body = html`${describeError(error)}
<p>Type the e-mail address of your account, and a mail brings a link to it.</p>
<form method="post" action="${ACCOUNT}" novalidate>
  ${emailField('E-mail address', typed, error)}
  <p><button>Send the link</button></p>
</form>
<p>No account yet? <a href="${SIGNUP}">Get a key</a>.</p>`;
  return { status: error?.status ?? 200, title: 'Your account', body, headers: formHeaders(error) };
}

/** Where there is no account page. */
export function closedPage(): Page {
  const body = html`<p>This gateway has no pages of accounts. Ask whoever runs it about yours.</p>`;
  return { status: 404, title: 'There is no account page here', body };
}

/** What follows the form, whether or not the address has an account. */
export function sentPage(email: string): Page {
  const body = html`<p>A mail is on its way to <strong>${email}</strong>. Open the link in it within ${LINK_MINUTES} minutes, in the browser that you want to
  be signed in.</p>
<p>If it does not come, look where spam goes, and see whether the address is right; then <a href="${ACCOUNT}">ask again</a>.</p>`;
  return { status: 200, title: 'Look into your mail', body };
}

/** Where a link leads: programs that follow links only see this, a person has to click. */
export function enterPage(token: string, email: string): Page {
  const body = html`<p>This signs you in to the account of <strong>${email}</strong>.</p>
<form method="post" action="${ACCOUNT_ENTER}">
  <input type="hidden" name="token" value="${token}">
  <p><button>Sign in</button></p>
</form>`;
  return { status: 200, title: 'Sign in', body, headers: formHeaders(undefined) };
}

/** Where a link leads that is none, that was used, or that is too old; nobody is told which. */
export function deadLinkPage(): Page {
  const body = html`<p>A link works once, within ${LINK_MINUTES} minutes. This one was used, or is too old, or was not copied whole.</p>
<p><a href="${ACCOUNT}">Ask for another</a></p>`;
  return { status: 410, title: 'This link does not work any more', body };
}

/**
 * The account page.
 *
 * @param error what was wrong with a form of it that was sent, and what was typed there
 */
export function accountPage(state: AccountState, error?: FormError, typed = NOTHING): Page {
  const { session } = state;
  const body = html`${describeError(error)}
<nav><a href="#keys">Keys</a> · <a href="#requests">Requests for games</a> · <a href="#alerts">Alerts</a></nav>
${describeAccount(state)}
${sessionForm(session, ACCOUNT_LEAVE, html`<button>Sign out</button>`)}
${keysSection(state)}
${requestsSection(state, typed)}
${alertsSection(state, typed)}
<h2>Leaving</h2>
<p><a href="${ACCOUNT_DELETE}">Delete the account</a></p>`;
  return { status: error?.status ?? 200, title: 'Your account', body, headers: formHeaders(error) };
}

function describeAccount({ session: { account }, tier, usage }: AccountState): Html {
  const until =
    tier === 'pro' && account.pro_until !== null
      ? html` until ${describeTime(account.pro_until)}`
      : undefined;
  return html`<table>
<tr><th scope="row">E-mail address<td>${account.email}
<tr><th scope="row">Tier<td>${tier === 'pro' ? 'Pro' : 'free'}${until}
<tr><th scope="row">Requests<td>${describeRequests(tier, usage)}
</table>`;
}

function describeRequests(tier: AccountState['tier'], usage: AccountState['usage']): string {
  const { limits } = TIERS[tier];
  if (!limits || !usage) return 'no caps';
  return `${usage.minute.used} of ${limits.minute} in the last 60 seconds, ${usage.day.used} of ${limits.day} today (UTC)`;
}

/** A key, this once. */
export function keyPage({ key, prefix }: { key: string; prefix: string }): Page {
  const body = html`<pre><code>${key}</code></pre>
<p><strong>Keep it now: it is not shown again.</strong> It works from this moment on; its name is <code>${prefix}</code>.</p>
<p><a href="${ACCOUNT}#keys">Back to the account</a></p>`;
  return { status: 200, title: 'Your new key', body };
}

/** The address of a feed, this once. */
export function feedPage(address: string): Page {
  const body = html`<pre><code>${address}</code></pre>
<p><strong>Keep it now: it is not shown again.</strong> Whoever knows it can read the feed; one before it is good for nothing now.</p>
<p><a href="${ACCOUNT}#alerts">Back to the account</a></p>`;
  return { status: 200, title: 'The address of your feed', body };
}

/** Asks whether an account is to be deleted: its address has to be typed. */
export function deletePage(session: Session, error?: FormError): Page {
  const { email } = session.account;
  const confirm = html`<p><label for="email">Type <strong>${email}</strong> if you are sure</label><br>
    <input type="email" id="email" name="email" autocomplete="off" maxlength="254" required${describedBy(error)}></p>
  <p><button>Delete the account</button></p>`;
  const body = html`${describeError(error)}
<p>This deletes the account with its keys, which stop working at once, what it has used, what it asked for, and what it follows.
  Memberships that platforms told of are forgotten here; end them there.</p>
${sessionForm(session, ACCOUNT_DELETE, confirm)}
<p><a href="${ACCOUNT}">Back to the account</a></p>`;
  return { status: error?.status ?? 200, title: 'Delete the account', body, headers: formHeaders(error) };
}

/** What follows. */
export function deletedPage(): Page {
  const body = html`<p>Nothing of the account is left.</p>
<p><a href="/">To the first page</a></p>`;
  return { status: 200, title: 'The account is deleted', body };
}
