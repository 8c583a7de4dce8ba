import { type Account, tierAt } from '../../plans/account.ts';
import { emailField } from '../mail/email-field.ts';
import type { Mail } from '../mail/mailer.ts';
import { describedBy, describeError, type FormError, formHeaders } from '../web/form-error.ts';
import { html } from '../web/html.ts';
import type { Page } from '../web/page.ts';
import { CLAIM_MS } from './claim.ts';

/** Where the form is, and where its code is typed. */
export const CLAIM = '/claim';
export const CLAIM_CODE = '/claim/code';

const CLAIM_MINUTES = CLAIM_MS / 60_000;

/**
 * The form for a key and the address of a membership. A key that was typed is not shown again.
 *
 * @param typed the address that was typed before
 * @param error what was wrong
 */
export function claimPage(typed = '', error?: FormError): Page {
  const body = html`${describeError(error)}
<p>A membership makes the account of its own e-mail address Pro. If your keys are of another address, claim it for them here: a mail to the address of
  the membership brings a code.</p>
<form method="post" action="${CLAIM}" novalidate>
  <p><label for="key">One of your keys</label><br>
    <input type="password" id="key" name="key" autocomplete="off" maxlength="64" required${describedBy(error)}></p>
  ${emailField('E-mail address of the membership', typed, error)}
  <p><button>Send the code</button></p>
</form>`;
  return { status: error?.status ?? 200, title: 'Claim a membership', body, headers: formHeaders(error) };
}

/** What follows the form, whether or not the address has a membership. @param account its id */
export function codePage(account: string, error?: FormError): Page {
  const body = html`${describeError(error)}
<p>A mail is on its way to the address of the membership. Type the code in it within ${CLAIM_MINUTES} minutes.</p>
<form method="post" action="${CLAIM_CODE}">
  <input type="hidden" name="account" value="${account}">
  <p><label for="code">Code</label><br>
    <input id="code" name="code" autocomplete="one-time-code" maxlength="32" required${describedBy(error)}></p>
  <p><button>Claim the membership</button></p>
</form>
<p>If no mail comes, <a href="${CLAIM}">ask again</a>.</p>`;
  return { status: error?.status ?? 200, title: 'Type the code', body, headers: formHeaders(error) };
}

/** @param now ms since 1970 */
export function claimedPage(account: Account, now: number): Page {
  const until = account.pro_until === null ? '' : ` until ${account.pro_until.slice(0, 10)}`;
  const body =
    tierAt(account, now) === 'pro'
      ? html`<p>The membership belongs to your account, which is Pro${until}. Your keys stay as they are.</p>`
      : html`<p>The membership belongs to your account. It is not paid for at present; once it is, your account is Pro.</p>`;
  return { status: 200, title: 'The membership is yours', body };
}

/** There is no claim that waits for this code. */
export function goneClaimPage(): Page {
  const body = html`<p>A code works once, within ${CLAIM_MINUTES} minutes, and may be mistyped a few times.</p>
<p><a href="${CLAIM}">Ask for another</a></p>`;
  return { status: 410, title: 'This code does not work any more', body };
}

/**
 * The mail to the address of a membership. Who has none there gets a mail too, so that the page takes as long, and he knows.
 *
 * @param to as `readEmail` gives it
 * @param code undefined where the address has no membership
 */
export function claimMail(to: string, code: string | undefined): Mail {
  const text =
    code === undefined
      ? 'There is no membership under this address, though: it may be another\none, or the platform has not told of it yet.\n'
      : `The code is

    ${code}

It works once, within ${CLAIM_MINUTES} minutes.
`;
  return {
    to,
    subject: 'Your Game Data Read API membership',
    text: `Somebody, probably you, wants to use the membership of this address
with a Game Data Read API account of another address.

${text}
If it was not you, there is nothing to do: without a code nothing
happens, and nobody needs it from you.
`,
  };
}
