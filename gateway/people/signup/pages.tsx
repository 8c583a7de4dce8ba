import type { JSX } from 'preact';
import type { Key } from '../../access/account.ts';
import { TERMS } from '../../http/problem.ts';
import { EmailField } from '../mail/email-field.tsx';
import { LINK_MINUTES } from '../mail/one-time-link.ts';
import { Code } from '../web/code.tsx';
import { ErrorMessage, type FormError, formHeaders } from '../web/form-error.tsx';
import type { Page } from '../web/page.tsx';
import { Time } from '../web/show-time.tsx';
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
  const body = (
    <>
      <ErrorMessage error={error} />
      <p>
        A key is free. Type your email address to get a link to your key by mail. If you already have an
        account, you get another key for it.
      </p>
      <form method="post" action={SIGNUP} noValidate>
        <EmailField label="Email address" typed={typed} error={error} />
        <p>
          <button type="submit">Send the link</button>
        </p>
      </form>
      <p>
        The address is stored with your account and not shared with others. The{' '}
        <a href={TERMS}>terms of use</a> apply.
      </p>
    </>
  );
  return { status: error?.status ?? 200, title: 'Get a key', body, headers: formHeaders(error) };
}

/** Makes the page that replaces sign-up when it is off. */
export function closedPage(): Page {
  const body = <p>This gateway does not offer sign-up. Ask its operator for a key.</p>;
  return { status: 404, title: 'No sign-up', body };
}

/** Makes the response to the form, whether or not the email address has an account. */
export function sentPage(email: string): Page {
  const body = (
    <>
      <p>
        We sent a mail to <strong>{email}</strong>. Open the link in it within {LINK_MINUTES} minutes to see
        your key.
      </p>
      <p>
        If it does not arrive, check the spam folder and the spelling of the address. Then{' '}
        <a href={SIGNUP}>request another link</a>.
      </p>
    </>
  );
  return { status: 200, title: 'Check your inbox', body };
}

/** Makes the page of a link. Programs that follow links see only this page; a person has to click the button. */
export function offerPage(token: string, { email, keys, replaced }: LinkOffer): Page {
  const body = (
    <>
      <p>
        This creates a key for <strong>{email}</strong> and shows it once.
      </p>
      {replaced && (
        <p>
          This address has {MAX_KEYS} keys, which is the maximum. The oldest, <code>{replaced.prefix}…</code>,
          will stop working in one day.
        </p>
      )}
      <form method="post" action={SIGNUP_KEY}>
        <input type="hidden" name="token" value={token} />
        {keys.length > 0 && (
          <p>
            <input type="checkbox" id="end" name="end" value="others" />{' '}
            <label for="end">
              End my other keys now, because someone else may have seen one: <KeyList keys={keys} />
            </label>
          </p>
        )}
        <p>
          <button type="submit">Show my key</button>
        </p>
      </form>
    </>
  );
  return { status: 200, title: 'Your key is ready', body, headers: formHeaders(undefined) };
}

/** Makes the page that shows the new key once. */
export function keyPage({ key, prefix, ended }: Redeemed, publicUrl: string): Page {
  const body = (
    <>
      <pre class="wrapped">
        <code data-new-key>{key}</code>
      </pre>
      <p>
        <strong>Copy it now: it is not shown again.</strong> It works immediately. It begins with{' '}
        <code>{prefix}</code>.
      </p>
      <p class="actions">
        <button type="button" class="with-script" data-try="/api/games">
          Send a first request
        </button>{' '}
        <a class="with-script" href="/games">
          Browse the games: this tab uses your key
        </a>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre class="first-response" tabIndex={0} aria-live="polite" hidden />
      <p>
        Send it in the header <code>X-API-Key</code>:
      </p>
      <Code text={`curl -H 'X-API-Key: ${key}' ${publicUrl}/api/games`} />
      {ended.length > 0 && (
        <ul>
          {ended.map((old) => (
            <li>
              <code>{old.prefix}…</code> works until <Time at={old.revoked_at ?? ''} />.
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href="/openapi.json">All addresses, parameters and responses (OpenAPI)</a>
      </p>
    </>
  );
  return { status: 200, title: 'Your key', body, islands: ['account'] };
}

/** Makes the page of a link that is unknown, used or expired. It does not say which. */
export function deadLinkPage(): Page {
  const body = (
    <>
      <p>
        A link works once, within {LINK_MINUTES} minutes. This one was used, has expired, or was not copied
        completely.
      </p>
      <p>
        <a href={SIGNUP}>Request another link</a>
      </p>
    </>
  );
  return { status: 410, title: 'This link no longer works', body };
}

function KeyList({ keys }: { keys: readonly Key[] }): JSX.Element {
  return (
    <>
      {keys.map(({ prefix, created_at }, index) => (
        <>
          {index > 0 && ', '}
          <code>{prefix}…</code> of <Time at={created_at} />
        </>
      ))}
    </>
  );
}
