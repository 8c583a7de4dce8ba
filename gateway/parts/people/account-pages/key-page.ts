import { isEnding, type Key } from '../../../core/plans/account.ts';
import { MAX_NETWORKS } from '../../../shared/key-terms/networks.ts';
import type { Store } from '../../../core/store/store.ts';
import { MAX_BROWSER_DAYS } from '../../../shared/key-terms/browser-terms.ts';
import { MAX_NAME_CHARS } from '../../../shared/key-terms/key-changes.ts';
import type { KeyUse } from '../../../core/accounts/key-uses.ts';
import type { Session } from '../accounts/session.ts';
import { showTime } from '../web/describe-time.ts';
import { describeError, type FormError, formHeaders } from '../web/form-error.ts';
import { type Html, html } from '../web/html.ts';
import type { Page } from '../web/page.ts';
import { ACCOUNT, FORMS } from './addresses.ts';
import { browserFields } from './browser-key-fields.ts';
import { readOwnKeys, type UsedKey } from './keys.ts';
import { type Fields, sessionForm } from './session-form.ts';

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
  const body = html`<p>This account has no such key, or the key has ended.</p>
<p><a href="${ACCOUNT}#keys">Back to the account</a></p>`;
  return { status: 404, title: 'No such key', body };
}

function pageOf(session: Session, { key, use }: UsedKey, { error, typed }: Sent): Page {
  const prefix = html`<input type="hidden" name="prefix" value="${key.prefix}">`;
  const body = html`${describeError(error)}
<p>${key.browser ? 'The browser key ' : undefined}<code>${key.prefix}…</code>, created ${showTime(key.created_at)}, ${describeEnd(key)}.</p>
${sessionForm(session, FORMS.setKey, html`${prefix}${optionFields(key, typed)}`)}
<h2>Replace</h2>
<p>You get a new key with the same name${key.browser ? ', origins, caps' : undefined} and networks. If this key expires, the new one expires after as long a time.</p>
${sessionForm(session, FORMS.rotateKey, html`${prefix}${keepField()}`)}
<h2>Revoke</h2>
${sessionForm(session, FORMS.revokeKey, html`${prefix}<p>The key stops working at once. <button>Revoke</button></p>`)}
<h2>Use</h2>
${describeUse(use)}
<p><a href="${ACCOUNT}#keys">Back to the account</a></p>`;
  const title = key.name === undefined ? 'Your key' : `Your key: ${key.name}`;
  return { status: error?.status ?? 200, title, body, headers: formHeaders(error) };
}

/** Describes when a key ends. */
export function describeEnd(key: Key): Html {
  if (key.revoked_at === null) return html`does not expire`;
  return html`${isEnding(key) ? 'replaced, ends' : 'expires'} ${showTime(key.revoked_at)}`;
}

function optionFields(key: Key, typed: Fields | undefined): Html {
  const day = key.expires_at?.slice(0, DAY_CHARS) ?? '';
  const shown = (field: string, value = '') => typed?.get(field) ?? value;
  return html`<input type="hidden" name="${KEY_FIELDS.expiresBefore}" value="${day}">
  <p><label for="key-name">Name</label><br>
    <input type="text" id="key-name" name="${KEY_FIELDS.name}" value="${shown(KEY_FIELDS.name, key.name)}" maxlength="${MAX_NAME_CHARS}"></p>
  <p><label for="key-expires">Expires at the beginning of this day (UTC); ${key.browser ? `at most ${MAX_BROWSER_DAYS} days from now` : 'never, if empty'}</label><br>
    <input type="date" id="key-expires" name="${KEY_FIELDS.expires}" value="${shown(KEY_FIELDS.expires, day)}"></p>
  <p><label for="key-networks">Networks that may use the key: up to ${MAX_NETWORKS} IP addresses and CIDR ranges; all, if empty</label><br>
    <textarea id="key-networks" name="${KEY_FIELDS.networks}" rows="4">${shown(KEY_FIELDS.networks, key.networks?.join('\n'))}</textarea></p>
  ${key.browser && browserFields(key.browser, typed)}<p><button>Save</button></p>`;
}

function keepField(): Html {
  const options = KEEP_CHOICES.map(({ value, label }) => html`<option value="${value}">${label}</option>`);
  return html`<p><label for="keep">This key continues to work</label><br>
    <select id="keep" name="keep">${options}</select></p>
  <p><button>Replace the key</button></p>`;
}

function describeUse(use: KeyUse | undefined): Html {
  if (use === undefined)
    return html`<p>The key was not used yet. Its use is shown here within two minutes.</p>`;
  const days = Object.entries(use.days).reverse();
  const rows = days.map(
    ([day, count]) => html`<tr><td>${day}<td>${count}
`,
  );
  return html`<p>Last used in the hour from ${showTime(use.at)}, from the network <code>${use.network}</code>.</p>
<table>
<tr><th scope="col">Day (UTC)<th scope="col">Requests
${rows}</table>`;
}
