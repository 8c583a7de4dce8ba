import type { JSX } from 'preact';
import { isEnding, type Key } from '../../access/account.ts';
import { MAX_BROWSER_DAYS, MAX_NAME_CHARS } from '../../access/key-options.ts';
import { liveKeysOf } from '../../store/keys.ts';
import type { Store } from '../../store/sql.ts';
import type { Session } from '../accounts/session.ts';
import { ErrorMessage, type FormError, formHeaders } from '../web/form-error.tsx';
import type { Page } from '../web/page.tsx';
import { Time } from '../web/show-time.tsx';
import { ACCOUNT, FORMS } from './addresses.ts';
import { BrowserFields } from './sections/browser-key-fields.tsx';
import { Field, type Fields, SessionForm } from './sections/session-form.tsx';

/** The names of the fields with a key's options. */
export const KEY_FIELDS = {
  name: 'key_name',
  expires: 'key_expires',
  /** The day that the page showed. */
  expiresBefore: 'key_expires_before',
} as const;

/** For how long a replaced key may continue to work. */
export const KEEP_CHOICES = [
  { value: '24h', hours: 24, label: 'for one day' },
  { value: '1h', hours: 1, label: 'for one hour' },
  { value: '7d', hours: 168, label: 'for seven days' },
  { value: '0s', hours: 0, label: 'no longer: it ends now' },
] as const;

/** A form that was sent, and what was wrong with it. */
interface Sent {
  error?: FormError;
  typed?: Fields;
}

const DAY_CHARS = '2030-05-01'.length;

/** Makes the page of one key of an account, with the forms that change it. */
export async function showKey(
  session: Session,
  prefix: string,
  { store }: { store: Store },
  sent: Sent = {},
): Promise<Page> {
  const keys = await liveKeysOf(store, session.account.id);
  const key = keys.find((each) => each.prefix === prefix);
  return key ? pageOf(session, key, sent) : noSuchKey();
}

function noSuchKey(): Page {
  const body = (
    <>
      <p>This account has no such key, or the key has ended.</p>
      {BACK}
    </>
  );
  return { status: 404, title: 'No such key', body };
}

const BACK = (
  <p>
    <a href={`${ACCOUNT}#keys`}>Back to the account</a>
  </p>
);

function pageOf(session: Session, key: Key, { error, typed }: Sent): Page {
  const prefix = <input type="hidden" name="prefix" value={key.prefix} />;
  const body = (
    <>
      <ErrorMessage error={error} />
      <p>
        {key.browser && 'The browser key '}
        <code>{key.prefix}…</code>, created <Time at={key.created_at} />, <KeyEnd {...key} />.
      </p>
      <SessionForm session={session} action={FORMS.setKey}>
        {prefix}
        <OptionFields of={key} typed={typed} />
      </SessionForm>
      <h2>Replace</h2>
      <p>
        You get a new key with the same name{key.browser && ', origins and caps'}. If this key expires, the
        new one expires after as long a time.
      </p>
      <SessionForm session={session} action={FORMS.rotateKey}>
        {prefix}
        <KeepField />
      </SessionForm>
      <h2>Revoke</h2>
      <SessionForm session={session} action={FORMS.revokeKey}>
        {prefix}
        <p>
          The key stops working at once.{' '}
          <button type="submit" class="danger">
            Revoke
          </button>
        </p>
      </SessionForm>
      {BACK}
    </>
  );
  const title = key.name === undefined ? 'Your key' : `Your key: ${key.name}`;
  return { status: error?.status ?? 200, title, body, headers: formHeaders(error) };
}

/** When a key ends. */
export function KeyEnd(key: Key): JSX.Element {
  if (key.revoked_at === null) return <>does not expire</>;
  return (
    <>
      {isEnding(key) ? 'replaced, ends' : 'expires'} <Time at={key.revoked_at} />
    </>
  );
}

function OptionFields({ of: key, typed }: { of: Key; typed: Fields | undefined }): JSX.Element {
  const day = key.expires_at?.slice(0, DAY_CHARS) ?? '';
  const typedOr = (field: string, value = '') => typed?.get(field) ?? value;
  const { name, expires, expiresBefore } = KEY_FIELDS;
  const end = key.browser ? `at most ${MAX_BROWSER_DAYS} days from now` : 'never, if empty';
  return (
    <>
      <input type="hidden" name={expiresBefore} value={day} />
      <Field
        label="Name"
        type="text"
        id="key-name"
        name={name}
        value={typedOr(name, key.name)}
        maxlength={MAX_NAME_CHARS}
      />
      <Field
        label={`Expires at the beginning of this day (UTC); ${end}`}
        type="date"
        id="key-expires"
        name={expires}
        value={typedOr(expires, day)}
      />
      {key.browser && <BrowserFields terms={key.browser} typed={typed} />}
      <p>
        <button type="submit">Save</button>
      </p>
    </>
  );
}

function KeepField(): JSX.Element {
  return (
    <>
      <p>
        <label for="keep">This key continues to work</label>
        <br />
        <select id="keep" name="keep">
          {KEEP_CHOICES.map(({ value, label }) => (
            <option value={value}>{label}</option>
          ))}
        </select>
      </p>
      <p>
        <button type="submit">Replace the key</button>
      </p>
    </>
  );
}
