// The tab with the keys of an account, and the page of one key.
import { type Account, type BrowserTerms, isEnding, type Key } from '../../access/account.ts';
import {
  DEFAULT_BROWSER_DAYS,
  DEFAULT_BROWSER_LIMITS,
  type KeyOptions,
  keyFields,
  MAX_BROWSER_DAYS,
  MAX_BROWSER_LIMITS,
  MAX_ENDING,
  MAX_NAME_CHARS,
  MAX_ORIGINS,
  mayRotate,
  readBrowserEnd,
  readBrowserTerms,
  readKeyName,
  rotate,
  setKeyOptions,
} from '../../access/key-options.ts';
import { InputError } from '../../http/problem.ts';
import { type Html, html } from '../../http/html.ts';
import { accountById } from '../../store/accounts.ts';
import { issueKey, liveKeysOf, revokeKey } from '../../store/keys.ts';
import type { Sql } from '../../store/sql.ts';
import { MAX_KEYS } from '../sign-up.ts';
import { code, type Fields, field, type Page, showTime, submit } from '../web.ts';
import { ACCOUNT } from './sign-in.ts';
import { type Form, scrollable, sessionForm, type Tab, type Visit } from './visit.ts';

/** Enough for a list of origins. */
const MAX_FORM_BYTES = 16 * 1024;
const HOUR_MS = 3_600_000;
const DATE = /^\d{4}-\d\d-\d\d$/;
const BACK = html`<p><a href="${ACCOUNT}">Back to the account</a></p>`;

/** The paths of the forms. */
const ISSUE = '/account/keys/issue';
const ISSUE_BROWSER = '/account/keys/issue-browser';
const REVOKE = '/account/keys/revoke';
const SET = '/account/keys/set';
const ROTATE = '/account/keys/rotate';

/** For how long a replaced key may continue to work. */
const KEEP_CHOICES = [
  { value: '24h', hours: 24, label: 'for one day' },
  { value: '1h', hours: 1, label: 'for one hour' },
  { value: '7d', hours: 168, label: 'for seven days' },
  { value: '0s', hours: 0, label: 'no longer: it ends now' },
] as const;

const prefixOf = ({ fields }: Visit) => fields.get('prefix') ?? '';

/** The forms on the page of a key. */
const place: Form['place'] = {
  path: (visit) => keyPath(prefixOf(visit)),
  show: (visit) => showKey(visit, prefixOf(visit)),
};

export const keysTab: Tab = {
  path: ACCOUNT,
  label: 'Keys',
  async show(visit) {
    const keys = await liveKeysOf(visit.services.store, visit.session.account.id);
    const rows = keys.map((key) => keyRow(visit, key));
    return html`<h2 id="keys">Keys</h2>
      ${rows.length > 0 ? scrollable('Keys', ['Key', 'Created', ''], rows) : html`<p>You have no working key.</p>`}
      ${hasRoom(keys) ? issueForms(visit) : html`<p>An account may have ${MAX_KEYS} keys. Revoke one to get a new one.</p>`}`;
  },
  forms: {
    [ISSUE]: { apply: async (visit) => await issue(visit, { name: readName(visit.fields, 'key_name') }) },
    [ISSUE_BROWSER]: {
      maxBytes: MAX_FORM_BYTES,
      async apply(visit) {
        const { fields, services } = visit;
        const now = services.store.now();
        const day = fields.get('browser_expires') ?? '';
        const name = readName(fields, 'browser_name');
        const expires = readBrowserEnd(day === '' ? undefined : readDay(day, now), now);
        return await issue(visit, { name, expires, browser: readBrowserTerms(browserFields(fields)) });
      },
    },
    [REVOKE]: {
      async apply(visit) {
        const { services, actor } = visit;
        await changeKey(visit, ({ prefix }, sql) => revokeKey(sql, prefix, actor));
        services.log.info('a key was revoked on the account page', { key: prefixOf(visit) });
        return undefined;
      },
    },
    [SET]: {
      place,
      maxBytes: MAX_FORM_BYTES,
      async apply(visit) {
        const { services, actor } = visit;
        await changeKey(visit, (key, sql) => setKeyOptions(sql, key.prefix, readOptions(visit, key), actor));
        services.log.info('a key was changed on the account page', { key: prefixOf(visit) });
        return undefined;
      },
    },
    [ROTATE]: {
      place,
      async apply(visit) {
        const keep = KEEP_CHOICES.find(({ value }) => value === visit.fields.get('keep'));
        const expected = KEEP_CHOICES.map(({ value }) => value).join(', ');
        if (keep === undefined)
          throw new InputError(`the form does not say how long the old key works; expected ${expected}`);
        const made = await changeKey(visit, async ({ prefix, account }, sql) => {
          if (await mayRotate(sql, account))
            return await rotate(sql, prefix, keep.hours * HOUR_MS, visit.actor);
          throw new InputError(
            `${MAX_ENDING} replaced keys of the account still work: revoke one of them first`,
          );
        });
        if (made === undefined) throw notOwnKey();
        const { prefix } = made.issued.key;
        visit.services.log.info('a key was rotated on the account page', {
          key: prefix,
          replaced: prefixOf(visit),
        });
        return newKeyPage(made.key, prefix, made.replaced);
      },
    },
  },
};

/** Returns the path of the page of a key. */
function keyPath(prefix: string): string {
  return `/account/key?${new URLSearchParams({ prefix })}`;
}

/** Whether an account may have one more key. Keys that are due to end do not count. */
function hasRoom(keys: readonly Key[]): boolean {
  return keys.filter((key) => !isEnding(key)).length < MAX_KEYS;
}

/** Issues a key, and makes the page that shows it. */
async function issue({ services, session, actor }: Visit, options: KeyOptions): Promise<Page> {
  const made = await services.store.transaction(async (sql) => {
    const { id, email }: Account = session.account;
    // A new key would create a deleted account again.
    const isThere = (await accountById(sql, id)) !== undefined;
    if (isThere && hasRoom(await liveKeysOf(sql, id)))
      return await issueKey(sql, email, actor, keyFields(options));
    throw new InputError('the account has the maximum number of keys: revoke one first');
  });
  const { prefix } = made.issued.key;
  services.log.info('a key was issued on the account page', { key: prefix });
  return newKeyPage(made.key, prefix);
}

/** Changes the key that a form names. @throws InputError if it is not a key of the account that works */
async function changeKey<T>(visit: Visit, change: (key: Key, sql: Sql) => Promise<T>): Promise<T> {
  return await visit.services.store.transaction(async (sql) => {
    const keys = await liveKeysOf(sql, visit.session.account.id);
    const key = keys.find(({ prefix }) => prefix === prefixOf(visit));
    if (key === undefined) throw notOwnKey();
    return await change(key, sql);
  });
}

function notOwnKey(): InputError {
  return new InputError('that is not a key of this account');
}

function readName(fields: Fields, name: string): string {
  const read = readKeyName(fields.get(name) ?? '');
  if (read !== undefined) return read;
  throw new InputError(`the name of a key has at most ${MAX_NAME_CHARS} characters in one line`);
}

/** Reads the form with the options of a key: an empty field removes what was set. */
function readOptions({ fields, services }: Visit, key: Key): KeyOptions {
  const now = services.store.now();
  const name = readName(fields, 'key_name');
  const day = (fields.get('key_expires') ?? '').trim();
  // The field has a day only. One that was not changed keeps the time of the expiry, which an operator may have set.
  const isSame = day === (fields.get('key_expires_before') ?? '');
  const expires = day === '' ? null : isSame ? undefined : readDay(day, now);
  if (!key.browser) return { name, ...(!isSame && expires !== undefined && { expires }) };
  const browser = readBrowserTerms(browserFields(fields), key.browser);
  return { name, browser, ...(!isSame && { expires: readBrowserEnd(expires, now) }) };
}

function browserFields(fields: Fields) {
  return {
    origins: fields.get('browser_origins'),
    minute: fields.get('browser_minute'),
    day: fields.get('browser_day'),
  };
}

/** @returns the beginning of the day, ms since 1970 */
function readDay(day: string, now: number): number {
  const expires = DATE.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (expires > now) return expires;
  throw new InputError('the key must end on a day after today, such as 2031-01-31, or on none');
}

function keyRow(visit: Visit, key: Key): Html {
  const { prefix, name, browser } = key;
  const button = html`<button type="submit" name="prefix" value="${prefix}" aria-label="Revoke ${prefix}">Revoke</button>`;
  return html`<tr><td><code>${prefix}…</code>${name !== undefined && html`<br>${name}`}
    ${browser && html`<br>browser key for ${browser.origins.join(', ')}`}</td>
    <td>${showTime(key.created_at)}${key.revoked_at !== null && html`<br>${describeEnd(key)}`}</td>
    <td><a href="${keyPath(prefix)}" aria-label="Change ${prefix}">Change</a> ${sessionForm(visit, REVOKE, button)}</td></tr>`;
}

/** When a key ends. */
function describeEnd(key: Key): Html {
  if (key.revoked_at === null) return html`does not expire`;
  return html`${isEnding(key) ? 'replaced, ends' : 'expires'} ${showTime(key.revoked_at)}`;
}

function issueForms(visit: Visit): Html {
  const { fields } = visit;
  const named = (id: string, label: string) =>
    field({ label, id, value: fields.get(id), more: { maxlength: MAX_NAME_CHARS } });
  const expiry = `Expires at the beginning of this day (UTC), at most ${MAX_BROWSER_DAYS} days from now; after ${DEFAULT_BROWSER_DAYS} days, if empty`;
  const day = fields.get('browser_expires');
  return html`${sessionForm(visit, ISSUE, html`${named('key_name', 'Name of the new key, if you want one')}${submit('New key')}`)}
    <h3 id="browser-keys">Browser key</h3>
    <p>A key that a page on your site may contain: it works only in requests from pages of the origins that you list, for
    reading, and has caps of its own within those of the account. Every visitor can read it, so it shows neither your email
    address nor what you follow. It counts as one of the ${MAX_KEYS} keys.</p>
    <details${fields.size > 0 && html` open`}><summary>Make a browser key</summary>
    ${sessionForm(
      visit,
      ISSUE_BROWSER,
      html`${named('browser_name', 'Name, if you want one')}${originFields(fields)}
        ${field({ label: expiry, id: 'browser_expires', type: 'date', value: day })}${submit('New browser key')}`,
    )}</details>`;
}

/** The fields with the origins and caps of a browser key. @param terms what the key has; undefined for a new one */
function originFields(fields: Fields, terms?: BrowserTerms): Html {
  const { limits = DEFAULT_BROWSER_LIMITS } = terms ?? {};
  const cap = (name: 'minute' | 'day', when: string) =>
    field({
      label: `Its requests in ${when}, at most`,
      ...{ id: `browser_${name}`, type: 'number', value: fields.get(`browser_${name}`) ?? limits[name] },
      more: { min: 1, max: MAX_BROWSER_LIMITS[name] },
    });
  return html`<p><label for="browser_origins">Origins of the pages that may use the key, such as
    <code>https://example.org</code>: up to ${MAX_ORIGINS}</label><br>
    <textarea id="browser_origins" name="browser_origins" rows="3" required>${
      fields.get('browser_origins') ?? terms?.origins.join('\n')
    }</textarea></p>${cap('minute', 'any 60 seconds')}${cap('day', 'a UTC day')}`;
}

/** Makes the page of one key of an account, with the forms that change it. */
export async function showKey(visit: Visit, prefix: string): Promise<Page> {
  const keys = await liveKeysOf(visit.services.store, visit.session.account.id);
  const key = keys.find((each) => each.prefix === prefix);
  if (key) return keyPage(visit, key);
  const body = html`<p>This account has no such key, or the key has ended.</p>${BACK}`;
  return { status: 404, title: 'No such key', body };
}

function keyPage(visit: Visit, key: Key): Page {
  const { fields } = visit;
  const { browser } = key;
  const prefix = html`<input type="hidden" name="prefix" value="${key.prefix}">`;
  const day = key.expires_at?.slice(0, '2030-05-01'.length) ?? '';
  const end = browser ? `at most ${MAX_BROWSER_DAYS} days from now` : 'never, if empty';
  const options = html`${prefix}<input type="hidden" name="key_expires_before" value="${day}">
    ${field({ label: 'Name', id: 'key_name', value: fields.get('key_name') ?? key.name, more: { maxlength: MAX_NAME_CHARS } })}
    ${field({
      label: `Expires at the beginning of this day (UTC); ${end}`,
      ...{ id: 'key_expires', type: 'date', value: fields.get('key_expires') ?? day },
    })}${browser && originFields(fields, browser)}${submit('Save')}`;
  const keep = html`${prefix}<p><label for="keep">This key continues to work</label><br><select id="keep" name="keep">
    ${KEEP_CHOICES.map(({ value, label }) => html`<option value="${value}">${label}</option>`)}</select></p>
    ${submit('Replace the key')}`;
  const revoke = html`${prefix}<p>The key stops working at once. <button type="submit" class="danger">Revoke</button></p>`;
  const body = html`<p>${browser && 'The browser key '}<code>${key.prefix}…</code>, created ${showTime(key.created_at)},
    ${describeEnd(key)}.</p>
    ${sessionForm(visit, SET, options)}
    <h2>Replace</h2>
    <p>You get a new key with the same name${browser && ', origins and caps'}. If this key expires, the new one expires
    after as long a time.</p>
    ${sessionForm(visit, ROTATE, keep)}
    <h2>Revoke</h2>
    ${sessionForm(visit, REVOKE, revoke)}${BACK}`;
  return { title: key.name === undefined ? 'Your key' : `Your key: ${key.name}`, body };
}

/** Makes the page that shows a new key once. @param replaced the key that it replaces, with its end */
function newKeyPage(key: string, prefix: string, replaced?: Key): Page {
  const body = html`${code(key)}
    <p><strong>Copy it now: it is not shown again.</strong> It works immediately. It begins with <code>${prefix}</code>.</p>
    ${
      replaced &&
      html`<p>It replaces <code>${replaced.prefix}…</code>, which works until ${showTime(replaced.revoked_at ?? '')}.</p>`
    }${BACK}`;
  return { title: 'Your new key', body };
}
