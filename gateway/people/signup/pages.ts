import { TERMS } from '../../lib/about.ts';
import type { Key } from '../../plans/account.ts';
import { emailField } from '../mail/email-field.ts';
import { LINK_MINUTES } from '../mail/one-time-link.ts';
import { describeTime } from '../web/describe-time.ts';
import { describeError, type FormError, formHeaders } from '../web/form-error.ts';
import { html } from '../web/html.ts';
import type { Page } from '../web/page.ts';
import { type LinkOffer, MOST_KEYS, type Redeemed } from './links.ts';

/** Where the form is, and where links lead. */
export const SIGNUP = '/signup';
export const SIGNUP_KEY = '/signup/key';

/**
 * The form for an address.
 *
 * @param typed what was typed before
 * @param error what was wrong with it
 */
export function formPage(typed = '', error?: FormError): Page {
  const body = html`${describeError(error)}
<p>A key is free. Type your e-mail address, and a mail brings a link to your key. If you have an account, the link brings another key of it.</p>
<form method="post" action="${SIGNUP}" novalidate>
  ${emailField('E-mail address', typed, error)}
  <p><button>Send the link</button></p>
</form>
<p>The address is kept with your account, and nobody else gets it. The <a href="${TERMS}">terms of use</a> apply.</p>`;
  return { status: error?.status ?? 200, title: 'Get a key', body, headers: formHeaders(error) };
}

/** Where nobody can sign up. */
export function closedPage(): Page {
  const body = html`<p>This gateway gives no keys by e-mail. Ask whoever runs it for one.</p>`;
  return { status: 404, title: 'There is no sign-up here', body };
}

/** What follows a form, whether or not the address has an account. */
export function sentPage(email: string): Page {
  const body = html`<p>A mail is on its way to <strong>${email}</strong>. Open the link in it within ${LINK_MINUTES} minutes to see your key.</p>
<p>If it does not come, look where spam goes, and see whether the address is right; then <a href="${SIGNUP}">ask again</a>.</p>`;
  return { status: 200, title: 'Look into your mail', body };
}

/** Where a link leads: programs that follow links only see this, a person has to click. */
export function offerPage(token: string, { email, keys, replaced }: LinkOffer): Page {
  const room = replaced
    ? html`<p>There are ${MOST_KEYS} keys of this address, the most there may be: the oldest, <code>${replaced.prefix}…</code>, will work for one more day.</p>`
    : undefined;
  const choice =
    keys.length > 0
      ? html`<p><input type="checkbox" id="end" name="end" value="others"> <label for="end">End my other keys at once, because somebody else may have seen one: ${listKeys(keys)}</label></p>`
      : undefined;
  const body = html`<p>This makes a key for <strong>${email}</strong> and shows it, this once.</p>
${room}
<form method="post" action="${SIGNUP_KEY}">
  <input type="hidden" name="token" value="${token}">
  ${choice}
  <p><button>Show my key</button></p>
</form>`;
  return { status: 200, title: 'Your key is ready', body, headers: formHeaders(undefined) };
}

/** The key, this once. */
export function keyPage({ key, prefix, ended }: Redeemed, publicUrl: string): Page {
  const ends = ended.map(
    (old) => html`<li><code>${old.prefix}…</code> works until ${describeTime(old.revoked_at ?? '')}.</li>
`,
  );
  const body = html`<pre><code>${key}</code></pre>
<p><strong>Keep it now: it is not shown again.</strong> It works from this moment on; its name is <code>${prefix}</code>.</p>
<p>Send it in the header <code>X-API-Key</code>:</p>
<pre><code>curl -H 'X-API-Key: ${key}' ${publicUrl}/api/games</code></pre>
${
  ends.length > 0
    ? html`<ul>
${ends}</ul>`
    : undefined
}
<p><a href="/openapi.json">Every address, parameter and answer</a></p>`;
  return { status: 200, title: 'Your key', body };
}

/** Where a link leads that is none, that was used, or that is too old; nobody is told which. */
export function deadLinkPage(): Page {
  const body = html`<p>A link works once, within ${LINK_MINUTES} minutes. This one was used, or is too old, or was not copied whole.</p>
<p><a href="${SIGNUP}">Ask for another</a></p>`;
  return { status: 410, title: 'This link does not work any more', body };
}

function listKeys(keys: readonly Key[]) {
  return keys.map(
    ({ prefix, created_at }, index) =>
      html`${index > 0 ? ', ' : ''}<code>${prefix}…</code> of ${describeTime(created_at)}`,
  );
}
