import type { JSX } from 'preact';
import type { Key } from '../../../access/account.ts';
import { DEFAULT_BROWSER_DAYS, MAX_BROWSER_DAYS, MAX_NAME_CHARS } from '../../../access/key-options.ts';
import type { Session } from '../../accounts/session.ts';
import { MAX_KEYS } from '../../signup/links.ts';
import { Time } from '../../web/show-time.tsx';
import type { AccountState } from '../account-state.ts';
import { FORMS, keyPath } from '../addresses.ts';
import { KEY_FIELDS, KeyEnd } from '../key-page.tsx';
import { hasRoom } from '../keys.ts';
import { BROWSER_FIELDS, BrowserFields } from './browser-key-fields.tsx';
import { Scrollable } from './scrollable.tsx';
import { Field, type Fields, SessionForm } from './session-form.tsx';

/** The section about keys, with a page and a button to revoke each, and a form for another. */
export function KeysSection({ state, typed }: { state: AccountState; typed: Fields }): JSX.Element {
  const { session, keys } = state;
  return (
    <>
      <h2 id="keys">Keys</h2>
      {keys.length > 0 ? (
        <Scrollable label="Keys" head={['Key', 'Created', '']}>
          {keys.map((key) => (
            <KeyRow session={session} of={key} />
          ))}
        </Scrollable>
      ) : (
        <p>You have no working key.</p>
      )}
      {hasRoom(keys) ? (
        <>
          <SessionForm session={session} action={FORMS.issueKey}>
            <Field
              label="Name of the new key, if you want one"
              type="text"
              id="key-name"
              name={KEY_FIELDS.name}
              value={typed.get(KEY_FIELDS.name)}
              maxlength={MAX_NAME_CHARS}
            />
            <p>
              <button type="submit">New key</button>
            </p>
          </SessionForm>
          <BrowserKeyForm session={session} typed={typed} />
        </>
      ) : (
        <p>An account may have {MAX_KEYS} keys. Revoke one to get a new one.</p>
      )}
    </>
  );
}

function BrowserKeyForm({ session, typed }: { session: Session; typed: Fields }): JSX.Element {
  const { name, expires } = BROWSER_FIELDS;
  const expiry = `Expires at the beginning of this day (UTC), at most ${MAX_BROWSER_DAYS} days from now; after ${DEFAULT_BROWSER_DAYS} days, if empty`;
  return (
    <>
      <h3 id="browser-keys">Browser key</h3>
      <p>
        A key that a page on your site may contain: it works only in requests from pages of the origins that
        you list, for reading, and has caps of its own within those of the account. Every visitor can read it,
        so it shows neither your email address nor what you follow. It counts as one of the {MAX_KEYS} keys.
      </p>
      <details open={typed.size > 0}>
        <summary>Make a browser key</summary>
        <SessionForm session={session} action={FORMS.issueBrowserKey}>
          <Field
            label="Name, if you want one"
            type="text"
            id={name}
            name={name}
            value={typed.get(name)}
            maxlength={MAX_NAME_CHARS}
          />
          <BrowserFields typed={typed} />
          <Field label={expiry} type="date" id={expires} name={expires} value={typed.get(expires)} />
          <p>
            <button type="submit">New browser key</button>
          </p>
        </SessionForm>
      </details>
    </>
  );
}

function KeyRow({ session, of: key }: { session: Session; of: Key }): JSX.Element {
  const { prefix, name, browser } = key;
  return (
    <tr>
      <td>
        <code>{prefix}…</code>
        {name !== undefined && (
          <>
            <br />
            {name}
          </>
        )}
        {browser && (
          <>
            <br />
            browser key for {browser.origins.join(', ')}
          </>
        )}
      </td>
      <td>
        <Time at={key.created_at} />
        {key.revoked_at !== null && (
          <>
            <br />
            <KeyEnd {...key} />
          </>
        )}
      </td>
      <td>
        <a href={keyPath(prefix)} aria-label={`Change ${prefix}`}>
          Change
        </a>{' '}
        <SessionForm session={session} action={FORMS.revokeKey}>
          <button type="submit" name="prefix" value={prefix} aria-label={`Revoke ${prefix}`}>
            Revoke
          </button>
        </SessionForm>
      </td>
    </tr>
  );
}
