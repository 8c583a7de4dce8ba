import type { JSX } from 'preact';
import { TIERS } from '../../access/account.ts';
import type { Session } from '../accounts/session.ts';
import { EmailField } from '../mail/email-field.tsx';
import { LINK_MINUTES } from '../mail/one-time-link.ts';
import { SIGNUP } from '../signup/pages.tsx';
import { Code } from '../web/code.tsx';
import { describedBy, ErrorMessage, type FormError, formHeaders } from '../web/form-error.tsx';
import type { Page } from '../web/page.tsx';
import { Time } from '../web/show-time.tsx';
import type { AccountState } from './account-state.ts';
import { ACCOUNT, ACCOUNT_DELETE, ACCOUNT_ENTER, ACCOUNT_LEAVE } from './addresses.ts';
import type { NewKey } from './keys.ts';
import { AlertsSection } from './sections/alerts-section.tsx';
import { KeysSection } from './sections/keys-section.tsx';
import { MembershipSection } from './sections/membership-section.tsx';
import { ReadAddressesSection } from './sections/read-addresses-section.tsx';
import { RequestsSection } from './sections/requests-section.tsx';
import { EventsSection, SessionsSection } from './sections/security-sections.tsx';
import { Field, type Fields, SessionForm } from './sections/session-form.tsx';

const NOTHING: Fields = new Map();

/** Makes the form for an email address, for visitors who are not signed in. */
export function signInPage(typed = '', error?: FormError): Page {
  const body = (
    <>
      <ErrorMessage error={error} />
      <p>Type the email address of your account to get a link to it by mail.</p>
      <form method="post" action={ACCOUNT} noValidate>
        <EmailField label="Email address" typed={typed} error={error} />
        <details>
          <summary>Were too many mails requested?</summary>
          <p>Others may have requested them. The owner of one of the account's keys has separate limits.</p>
          <Field
            label="One of your keys"
            type="password"
            id="key"
            name="key"
            autocomplete="off"
            maxlength={64}
          />
        </details>
        <p>
          <button type="submit">Send the link</button>
        </p>
      </form>
      <p>
        No account yet? <a href={SIGNUP}>Get a key</a>.
      </p>
    </>
  );
  return { status: error?.status ?? 200, title: 'Your account', body, headers: formHeaders(error) };
}

/** Makes the page that replaces the account page when it is off. */
export function closedPage(): Page {
  const body = <p>This gateway has no account pages. Ask its operator about your account.</p>;
  return { status: 404, title: 'No account page', body };
}

/** Makes the response to the form, whether or not the email address has an account. */
export function sentPage(email: string): Page {
  const body = (
    <>
      <p>
        We sent a mail to <strong>{email}</strong>. Open the link in it within {LINK_MINUTES} minutes, in the
        browser that you want to use.
      </p>
      <p>
        If it does not arrive, check the spam folder and the spelling of the address. Then{' '}
        <a href={ACCOUNT}>request another link</a>.
      </p>
    </>
  );
  return { status: 200, title: 'Check your inbox', body };
}

/** Makes the page of a link. Programs that follow links see only this page; a person has to click the button. */
export function enterPage(token: string, email: string): Page {
  const body = (
    <>
      <p>
        This signs you in to the account of <strong>{email}</strong>.
      </p>
      <form method="post" action={ACCOUNT_ENTER}>
        <input type="hidden" name="token" value={token} />
        <p>
          <button type="submit">Sign in</button>
        </p>
      </form>
    </>
  );
  return { status: 200, title: 'Sign in', body, headers: formHeaders(undefined) };
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
        <a href={ACCOUNT}>Request another link</a>
      </p>
    </>
  );
  return { status: 410, title: 'This link no longer works', body };
}

const SECTIONS = [
  ['keys', 'Keys'],
  ['links', 'Addresses'],
  ['membership', 'Membership'],
  ['alerts', 'Alerts'],
  ['requests', 'Game requests'],
  ['sessions', 'Sessions'],
  ['events', 'What happened'],
  ['delete', 'Delete'],
] as const;

/**
 * Makes the account page.
 *
 * @param error what was wrong with the form that was sent
 * @param typed the fields of that form
 */
export function accountPage(state: AccountState, error?: FormError, typed = NOTHING): Page {
  const body = (
    <>
      <ErrorMessage error={error} />
      <Account {...state} />
      <SessionForm session={state.session} action={ACCOUNT_LEAVE}>
        <button type="submit" class="quiet">
          Sign out
        </button>
      </SessionForm>
      <p class="small muted" data-session-key hidden>
        The <a href="/games">pages of games</a> in this tab use this account until you sign out.
      </p>
      <nav class="collections" aria-label="On this page">
        {SECTIONS.map(([id, title]) => (
          <>
            <a href={`#${id}`}>{title}</a>{' '}
          </>
        ))}
      </nav>
      <KeysSection state={state} typed={typed} />
      <ReadAddressesSection state={state} typed={typed} />
      <MembershipSection state={state} />
      <AlertsSection state={state} typed={typed} />
      <RequestsSection state={state} typed={typed} />
      <SessionsSection state={state} />
      <EventsSection state={state} />
      <h2 id="delete">Delete</h2>
      <p>
        <a href={ACCOUNT_DELETE}>Delete the account</a>
      </p>
    </>
  );
  return {
    status: error?.status ?? 200,
    title: 'Your account',
    body,
    headers: formHeaders(error),
    width: 'wide',
    islands: ['account'],
  };
}

function Account({ session: { account }, tier, usage }: AccountState): JSX.Element {
  const { limits } = TIERS[tier];
  return (
    <>
      <p>{account.email}</p>
      <dl class="facts">
        <div>
          <dt>
            tier
            {tier === 'pro' && account.pro_until !== null && (
              <>
                {' '}
                until <Time at={account.pro_until} />
              </>
            )}
          </dt>
          <dd>{tier === 'pro' ? 'Pro' : 'Free'}</dd>
        </div>
        {limits && usage ? (
          <>
            <Fact name="requests in the last 60 seconds" value={`${usage.minute.used} of ${limits.minute}`} />
            <Fact name="requests today (UTC)" value={`${usage.day.used} of ${limits.day}`} />
          </>
        ) : (
          <Fact name="requests" value="No caps" />
        )}
      </dl>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Makes the page that shows a new key once. */
export function keyPage({ key, prefix, replaced }: NewKey): Page {
  const body = (
    <>
      <Code text={key} />
      <p>
        <strong>Copy it now: it is not shown again.</strong> It works immediately. It begins with{' '}
        <code>{prefix}</code>.
      </p>
      {replaced && (
        <p>
          It replaces <code>{replaced.prefix}…</code>, which works until{' '}
          <Time at={replaced.revoked_at ?? ''} />.
        </p>
      )}
      <p>
        <a href={`${ACCOUNT}#keys`}>Back to the account</a>
      </p>
    </>
  );
  return { status: 200, title: 'Your new key', body };
}

/** Makes the page that shows the address of a feed once. */
export function feedPage(address: string): Page {
  const body = (
    <>
      <Code text={address} />
      <p>
        <strong>Copy it now: it is not shown again.</strong> Anyone who knows it can read the feed. An earlier
        address no longer works.
      </p>
      <p>
        <a href={`${ACCOUNT}#alerts`}>Back to the account</a>
      </p>
    </>
  );
  return { status: 200, title: 'The address of your feed', body };
}

/** Makes the page that asks for confirmation before an account is deleted: its email address has to be typed. */
export function deletePage(session: Session, error?: FormError): Page {
  const label = (
    <>
      Type <strong>{session.account.email}</strong> to confirm
    </>
  );
  const body = (
    <>
      <ErrorMessage error={error} />
      <p>
        This deletes the account with its keys, read-only addresses, usage, game requests, alerts, sessions
        and the log of what happened. Keys and addresses stop working at once. The gateway also forgets its
        memberships. To end a membership, go to its platform. Only the numbers of requests, mails and
        downloads stay for at most a day, under keyed hashes and without your address, so that caps cannot be
        reset.
      </p>
      <SessionForm session={session} action={ACCOUNT_DELETE}>
        <Field
          label={label}
          type="email"
          id="email"
          name="email"
          autocomplete="off"
          maxlength={254}
          required
          {...describedBy(error)}
        />
        <p>
          <button type="submit" class="danger">
            Delete the account
          </button>
        </p>
      </SessionForm>
      <p>
        <a href={ACCOUNT}>Back to the account</a>
      </p>
    </>
  );
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
  const body = (
    <p>
      All data of the account has been deleted. The numbers of your requests, mails and downloads, without
      your address, follow within a day.
    </p>
  );
  return { status: 200, title: 'Account deleted', body };
}
