import { TERMS } from '../../../core/lib/about.ts';
import type { Key } from '../../../core/plans/account.ts';
import { emailField } from '../mail/email-field.ts';
import { LINK_MINUTES } from '../mail/one-time-link.ts';
import { showTime } from '../web/describe-time.ts';
import { describeError, type FormError, formHeaders } from '../web/form-error.ts';
import { html } from '../web/html.ts';
import type { Page } from '../web/page.ts';
import { type LinkOffer, MAX_KEYS, type Redeemed } from './links.ts';

/** The paths of the form, and of the links in mails. */
export const SIGNUP = '/signup';
export const SIGNUP_KEY = '/signup/key';

/**
 * Makes the form for an email address.
 *
 * @param typed the value of the field
 * @param error what was wrong with it
 */
export function formPage(typed = '', error?: FormError): Page {
  const body = html`${describeError(error)}
<p>A key is free. Type your email address to get a link to your key by mail. If you already have an account, you get another key for it.</p>
<form method="post" action="${SIGNUP}" novalidate>
  ${emailField('Email address', typed, error)}
  <p><button>Send the link</button></p>
</form>
<p>The address is stored with your account and not shared with others. The <a href="${TERMS}">terms of use</a> apply.</p>`;
  return { status: error?.status ?? 200, title: 'Get a key', body, headers: formHeaders(error) };
}

/** Makes the page that replaces sign-up when it is off. */
export function closedPage(): Page {
  const body = html`<p>This gateway does not offer sign-up. Ask its operator for a key.</p>`;
  return { status: 404, title: 'No sign-up', body };
}

/** Makes the response to the form, whether or not the email address has an account. */
export function sentPage(email: string): Page {
  const body = html`<p>We sent a mail to <strong>${email}</strong>. Open the link in it within ${LINK_MINUTES} minutes to see your key.</p>
<p>If it does not arrive, check the spam folder and the spelling of the address. Then <a href="${SIGNUP}">request another link</a>.</p>`;
  return { status: 200, title: 'Check your inbox', body };
}

/** Makes the page of a link. Programs that follow links see only this page; a person has to click the button. */
export function offerPage(token: string, { email, keys, replaced }: LinkOffer): Page {
  const room = replaced
    ? html`<p>This address has ${MAX_KEYS} keys, which is the maximum. The oldest, <code>${replaced.prefix}…</code>, will stop working in one day.</p>`
    : undefined;
  const choice =
    keys.length > 0
      ? html`<p><input type="checkbox" id="end" name="end" value="others"> <label for="end">End my other keys now, because someone else may have seen one: ${listKeys(keys)}</label></p>`
      : undefined;
  const body = html`<p>This creates a key for <strong>${email}</strong> and shows it once.</p>
${room}
<form method="post" action="${SIGNUP_KEY}">
  <input type="hidden" name="token" value="${token}">
  ${choice}
  <p><button>Show my key</button></p>
</form>`;
  return { status: 200, title: 'Your key is ready', body, headers: formHeaders(undefined) };
}

/** Makes the page that shows the new key once. */
export function keyPage({ key, prefix, ended }: Redeemed, publicUrl: string): Page {
  const ends = ended.map(
    (old) => html`<li><code>${old.prefix}…</code> works until ${showTime(old.revoked_at ?? '')}.</li>
`,
  );
  const body = html`<pre><code data-new-key>${key}</code></pre>
<p><strong>Copy it now: it is not shown again.</strong> It works immediately. It begins with <code>${prefix}</code>.</p>
<p class="actions"><button type="button" class="with-script" data-try="/api/games">Send a first request</button> <a class="with-script" href="/games">Browse the games: this tab uses your key</a></p>
<pre class="first-response" tabindex="0" aria-label="The response" aria-live="polite" hidden></pre>
<p>Send it in the header <code>X-API-Key</code>:</p>
<pre><code>curl -H 'X-API-Key: ${key}' ${publicUrl}/api/games</code></pre>
${
  ends.length > 0
    ? html`<ul>
${ends}</ul>`
    : undefined
}
<p><a href="/openapi.json">All addresses, parameters and responses (OpenAPI)</a></p>`;
  return { status: 200, title: 'Your key', body, islands: ['account'] };
}

/** Makes the page of a link that is unknown, used or expired. It does not say which. */
export function deadLinkPage(): Page {
  const body = html`<p>A link works once, within ${LINK_MINUTES} minutes. This one was used, has expired, or was not copied completely.</p>
<p><a href="${SIGNUP}">Request another link</a></p>`;
  return { status: 410, title: 'This link no longer works', body };
}

function listKeys(keys: readonly Key[]) {
  return keys.map(
    ({ prefix, created_at }, index) =>
      html`${index > 0 ? ', ' : ''}<code>${prefix}…</code> of ${showTime(created_at)}`,
  );
}
