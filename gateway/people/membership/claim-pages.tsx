import { type Account, tierAt } from '../../access/account.ts';
import { EmailField } from '../mail/email-field.tsx';
import type { Mail } from '../mail/mailer.ts';
import { describedBy, ErrorMessage, type FormError, formHeaders } from '../web/form-error.tsx';
import type { Page } from '../web/page.tsx';
import { CLAIM_MS } from './claim.ts';

/** The paths of the form, and of the form for the code. */
export const CLAIM = '/claim';
export const CLAIM_CODE = '/claim/code';

const CLAIM_MINUTES = CLAIM_MS / 60_000;

/**
 * Makes the form for a key and the email address of a membership. A key that was typed is not shown again.
 *
 * @param typed the email address that was typed
 * @param error what was wrong
 */
export function claimPage(typed = '', error?: FormError): Page {
  const body = (
    <>
      <ErrorMessage error={error} />
      <p>
        A membership makes the account with the same email address Pro. If your account has another email
        address, claim the membership here. You get a code by mail to the email address of the membership.
      </p>
      <form method="post" action={CLAIM} noValidate>
        <p>
          <label for="key">One of your keys</label>
          <br />
          <input
            type="password"
            id="key"
            name="key"
            autocomplete="off"
            maxlength={64}
            required
            {...describedBy(error)}
          />
        </p>
        <EmailField label="Email address of the membership" typed={typed} error={error} />
        <p>
          <button type="submit">Send the code</button>
        </p>
      </form>
    </>
  );
  return { status: error?.status ?? 200, title: 'Claim a membership', body, headers: formHeaders(error) };
}

/** Makes the response to the form, whether or not the email address has a membership. @param account the account's id */
export function codePage(account: string, error?: FormError): Page {
  const body = (
    <>
      <ErrorMessage error={error} />
      <p>
        We sent a mail to the email address of the membership. Type the code in it within {CLAIM_MINUTES}{' '}
        minutes.
      </p>
      <form method="post" action={CLAIM_CODE}>
        <input type="hidden" name="account" value={account} />
        <p>
          <label for="code">Code</label>
          <br />
          <input
            id="code"
            name="code"
            autocomplete="one-time-code"
            maxlength={32}
            required
            {...describedBy(error)}
          />
        </p>
        <p>
          <button type="submit">Claim the membership</button>
        </p>
      </form>
      <p>
        If it does not arrive, <a href={CLAIM}>request another code</a>.
      </p>
    </>
  );
  return { status: error?.status ?? 200, title: 'Type the code', body, headers: formHeaders(error) };
}

/** Makes the page that is shown after a claim succeeded. @param now ms since 1970 */
export function claimedPage(account: Account, now: number): Page {
  const until = account.pro_until === null ? '' : ` until ${account.pro_until.slice(0, 10)}`;
  const state =
    tierAt(account, now) === 'pro'
      ? `which is Pro${until}. Your keys do not change.`
      : 'but it is not paid for now. Once it is, your account is Pro.';
  const body = <p>The membership belongs to your account, {state}</p>;
  return { status: 200, title: 'The membership is yours', body };
}

/** Makes the page of a code that no claim waits for. */
export function goneClaimPage(): Page {
  const body = (
    <>
      <p>A code works once, within {CLAIM_MINUTES} minutes, and may be mistyped a few times.</p>
      <p>
        <a href={CLAIM}>Request another code</a>
      </p>
    </>
  );
  return { status: 410, title: 'This code no longer works', body };
}

/**
 * Writes the mail to the email address of a membership. An address without a membership gets a mail too: the page must take the same time,
 * and the owner of the address should know.
 *
 * @param to as returned by `readEmail`
 * @param code undefined if the email address has no membership
 */
export function claimMail(to: string, code: string | undefined): Mail {
  const text =
    code === undefined
      ? 'However, this email address has no membership. It may have another\naddress, or the platform may not have reported it yet.\n'
      : `The code is

    ${code}

It works once, within ${CLAIM_MINUTES} minutes.
`;
  return {
    to,
    subject: 'Your Game Data Read API membership',
    text: `Someone, probably you, wants to use the membership of this email
address with a Game Data Read API account of another email address.

${text}
If it was not you, ignore this mail: nothing happens without a code. Do
not give a code to anyone.
`,
  };
}
