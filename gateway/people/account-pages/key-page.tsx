import type { JSX } from 'preact';
import { isEnding, type Key } from '../../access/account.ts';
import { MAX_NETWORKS } from '../../key-terms/shared/networks.ts';
import type { Store } from '../../store/store.ts';
import { MAX_BROWSER_DAYS } from '../../key-terms/shared/browser-terms.ts';
import { MAX_NAME_CHARS } from '../../key-terms/shared/key-changes.ts';
import type { KeyUse } from '../../key-uses/key-uses.ts';
import type { Session } from '../accounts/session.ts';
import { ErrorMessage, type FormError, formHeaders } from '../web/form-error.tsx';
import type { Page } from '../web/page.tsx';
import { Time } from '../web/show-time.tsx';
import { ACCOUNT, FORMS } from './addresses.ts';
import { BrowserFields } from './sections/browser-key-fields.tsx';
import { readOwnKeys, type UsedKey } from './keys.ts';
import { Field, type Fields, SessionForm } from './sections/session-form.tsx';

/** The names of the fields with a key's options. */
export const KEY_FIELDS = {
  name: 'key_name',
  expires: 'key_expires',
  /** The day that the page showed. */
  expiresBefore: 'key_expires_before',
  networks: 'key_networks',
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

/** Makes the page of one key of an account, with its use and the forms that change it. */
export async function showKey(
  session: Session,
  prefix: string,
  { store, now }: { store: Store; now: () => number },
  sent: Sent = {},
): Promise<Page> {
  const keys = await readOwnKeys(store, session.account, now());
  const used = keys.find(({ key }) => key.prefix === prefix);
  return used ? pageOf(session, used, sent) : noSuchKey();
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

function pageOf(session: Session, { key, use }: UsedKey, { error, typed }: Sent): Page {
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
        You get a new key with the same name{key.browser && ', origins, caps'} and networks. If this key
        expires, the new one expires after as long a time.
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
      <h2>Use</h2>
      <Use use={use} />
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
  const { name, expires, expiresBefore, networks } = KEY_FIELDS;
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
      <p>
        <label for="key-networks">
          Networks that may use the key: up to {MAX_NETWORKS} IP addresses and CIDR ranges; all, if empty
        </label>
        <br />
        <textarea id="key-networks" name={networks} rows={4}>
          {typedOr(networks, key.networks?.join('\n'))}
        </textarea>
      </p>
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

function Use({ use }: { use: KeyUse | undefined }): JSX.Element {
  if (use === undefined) return <p>The key was not used yet. Its use is shown here within two minutes.</p>;
  return (
    <>
      <p>
        Last used in the hour from <Time at={use.at} />, from the network <code>{use.network}</code>.
      </p>
      <table>
        <tr>
          <th scope="col">Day (UTC)</th>
          <th scope="col">Requests</th>
        </tr>
        {Object.entries(use.days)
          .reverse()
          .map(([day, count]) => (
            <tr>
              <td>{day}</td>
              <td>{count}</td>
            </tr>
          ))}
      </table>
    </>
  );
}
