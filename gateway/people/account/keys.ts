// The tab with the keys of an account, and the page of one key.
import { type BrowserTerms, isEnding, type Key } from '../../access/account.ts';
import * as options from '../../access/key-options.ts';
import { type Html, html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import { accountById, toIso } from '../../store/accounts.ts';
import { issueKey, type KeyFields, liveKeysOf, revokeKey, setFields } from '../../store/keys.ts';
import type { Sql } from '../../store/sql.ts';
import { ACCOUNT, KEEP_MS, MAX_KEYS } from '../sign-up.ts';
import { type FieldOf, type Page, secretPage, showTime, submit } from '../web.ts';
import { type AccountPage, BACK, buttonForm, fieldsForm, postForm, scrollable, type Visit } from './visit.ts';

const KEY = '/account/key';
const ISSUE = '/account/keys/issue';
const ISSUE_BROWSER = '/account/keys/issue-browser';
const REVOKE = '/account/keys/revoke';
const SET = '/account/keys/set';
const ROTATE = '/account/keys/rotate';

export const keysTab: AccountPage = {
  path: ACCOUNT,
  label: 'Keys',
  async show(visit) {
    const keys = await liveKeysOf(visit.store, visit.account.id);
    const rows = keys.map((key) => {
      const { prefix, name, browser } = key;
      const revoke = { name: 'prefix', value: prefix, label: 'Revoke', about: prefix };
      return html`<tr><td><code>${prefix}…</code>${name !== undefined && html`<br>${name}`}
        ${browser && html`<br>browser key for ${browser.origins.join(', ')}`}</td>
        <td>${showTime(key.created_at)}${key.revoked_at !== null && html`<br>${describeEnd(key)}`}</td>
        <td><a href="${pathOf(prefix)}" aria-label="Change ${prefix}">Change</a> ${buttonForm(REVOKE, revoke)}</td></tr>`;
    });
    return html`<h2 id="keys">Keys</h2>
      ${scrollable('Keys', ['Key', 'Created', ''], rows, html`<p>You have no working key.</p>`)}
      ${hasRoom(keys) ? issueForms(visit) : html`<p>An account may have ${MAX_KEYS} keys. Revoke one to get a new one.</p>`}`;
  },
  forms: {
    [ISSUE]: (visit) => issue(visit, { name: options.readKeyName(visit.typed('key_name')) }),
    [ISSUE_BROWSER](visit) {
      const now = visit.store.now();
      const day = visit.typed('browser_expires');
      const name = options.readKeyName(visit.typed('browser_name'));
      const expires_at = options.readBrowserEnd(day === '' ? undefined : readDay(day, now), now);
      return issue(visit, { name, expires_at, browser: options.readBrowserTerms(browserFields(visit)) });
    },
    async [REVOKE](visit) {
      await changeKey(visit, ({ prefix }, sql) => revokeKey(sql, prefix, visit.actor));
      visit.services.log.info('a key was revoked on the account page', { key: visit.typed('prefix') });
    },
  },
};

/** The page of the key that the query names. */
export const keyPage: AccountPage = {
  path: KEY,
  address: (visit) => pathOf(visit.typed('prefix')),
  async show(visit) {
    const key = await findOwn(visit, visit.store);
    if (key) return showKey(visit, key);
    const body = html`<p>This account has no such key, or the key has ended.</p>${BACK}`;
    return { status: 404, title: 'No such key', body };
  },
  forms: {
    async [SET](visit) {
      await changeKey(visit, (key, sql) => setFields(sql, key, readOptions(visit, key), visit.actor));
      visit.services.log.info('a key was changed on the account page', { key: visit.typed('prefix') });
    },
    async [ROTATE](visit) {
      const made = await changeKey(visit, async (old, sql) => {
        if ((await liveKeysOf(sql, old.account)).filter(isEnding).length < options.MAX_ENDING)
          return await options.rotate(sql, old, KEEP_MS, visit.actor);
        throw new InputError(
          `${options.MAX_ENDING} replaced keys of the account still work: revoke one of them first`,
        );
      });
      const { prefix: key } = made.issued.key;
      const { prefix: replaced, revoked_at } = made.replaced;
      visit.services.log.info('a key was rotated on the account page', { key, replaced });
      const rest = html`<p>It replaces <code>${replaced}…</code>, which works until ${showTime(revoked_at ?? '')}.</p>`;
      return newKeyPage(made.key, key, rest);
    },
  },
};

const pathOf = (prefix: string) => `${KEY}?${new URLSearchParams({ prefix })}`;

/** Keys that are due to end do not count. */
const hasRoom = (keys: readonly Key[]) => keys.filter((key) => !isEnding(key)).length < MAX_KEYS;

/** Issues a key, and makes the page that shows it. */
async function issue({ store, services, account, actor }: Visit, chosen: KeyFields): Promise<Page> {
  const made = await store.transaction(async (sql) => {
    // A new key would create a deleted account again.
    if (!(await accountById(sql, account.id))) throw new InputError('this account no longer exists');
    if (hasRoom(await liveKeysOf(sql, account.id))) return await issueKey(sql, account.email, actor, chosen);
    throw new InputError('the account has the maximum number of keys: revoke one first');
  });
  const { prefix } = made.issued.key;
  services.log.info('a key was issued on the account page', { key: prefix });
  return newKeyPage(made.key, prefix);
}

function newKeyPage(key: string, prefix: string, rest?: Html): Page {
  const about = html`<p>It works immediately. It begins with <code>${prefix}</code>.</p>${rest}`;
  return secretPage('Your new key', key, about, ACCOUNT);
}

/** Finds the working key of the account that a form or address names. */
async function findOwn(visit: Visit, sql: Sql): Promise<Key | undefined> {
  const keys = await liveKeysOf(sql, visit.account.id);
  return keys.find(({ prefix }) => prefix === visit.typed('prefix'));
}

/** Changes the key that a form names. @throws InputError if the account has no such working key */
async function changeKey<T>(visit: Visit, change: (key: Key, sql: Sql) => Promise<T>): Promise<T> {
  return await visit.store.transaction(async (sql) => {
    const key = await findOwn(visit, sql);
    if (key === undefined) throw new InputError('that is not a key of this account');
    return await change(key, sql);
  });
}

/** Reads the form with the options of a key: an empty field removes what was set. */
function readOptions(visit: Visit, key: Key): KeyFields {
  const now = visit.store.now();
  const name = options.readKeyName(visit.typed('key_name'));
  const browser = key.browser && options.readBrowserTerms(browserFields(visit), key.browser);
  const chosen = { name, ...(browser && { browser }) };
  const day = visit.typed('key_expires').trim();
  // The field holds only a day. If it was not changed, the expiry keeps its time of day, which an operator may have set.
  if (day === dayOf(key)) return chosen;
  const expires = day === '' ? null : readDay(day, now);
  const end = expires === null ? undefined : toIso(expires);
  return { ...chosen, expires_at: browser ? options.readBrowserEnd(expires, now) : end };
}

const dayOf = ({ expires_at = '' }: Key) => expires_at.slice(0, '2030-05-01'.length);

const browserFields = ({ fields }: Visit) => ({
  origins: fields.get('browser_origins'),
  minute: fields.get('browser_minute'),
  day: fields.get('browser_day'),
});

/** @returns the start of the day, in ms since 1970 */
function readDay(day: string, now: number): number {
  const expires = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // A day that its month does not have becomes another one.
  if (expires > now && toIso(expires).startsWith(day)) return expires;
  throw new InputError('choose a day after today, such as 2031-01-31');
}

function describeEnd(key: Key): Html {
  if (key.revoked_at === null) return html`does not expire`;
  return html`${isEnding(key) ? 'replaced, ends' : 'expires'} ${showTime(key.revoked_at)}`;
}

const nameField = (id: string, label: string, value?: string): FieldOf => ({
  id,
  label,
  value,
  more: { maxlength: options.MAX_NAME_CHARS },
});
const dayField = (id: string, rest: string, value?: string): FieldOf => ({
  id,
  label: `Expires at the beginning of this day (UTC), ${rest}`,
  type: 'date',
  value,
});
const WITHIN = `at most ${options.MAX_BROWSER_DAYS} days from now`;

function issueForms(visit: Visit): Html {
  const fields = [nameField('key_name', 'Name of the new key, if you want one')];
  const browserForm = [
    nameField('browser_name', 'Name, if you want one'),
    ...termFields(),
    dayField('browser_expires', `${WITHIN}; after ${options.DEFAULT_BROWSER_DAYS} days, if empty`),
  ];
  return html`${fieldsForm(visit, ISSUE, { fields, button: 'New key' })}
    <h3 id="browser-keys">Browser key</h3>
    <p>A key that a page on your site may contain: it works only in requests from pages of the origins that you list, for
    reading. It has its own limits, on the free tier at most half of the account's, and its requests also count for the account. Every visitor can read it, so it shows neither your email
    address nor what you follow. It counts as one of the ${MAX_KEYS} keys.</p>
    <details${visit.fields.has('browser_origins') && html` open`}><summary>Make a browser key</summary>
    ${fieldsForm(visit, ISSUE_BROWSER, { fields: browserForm, button: 'New browser key' })}</details>`;
}

/** The fields for the origins and limits of a browser key. @param terms the current values; absent for a new key */
function termFields({
  origins,
  limits = options.DEFAULT_BROWSER_LIMITS,
}: Partial<BrowserTerms> = {}): FieldOf[] {
  const limit = (name: 'minute' | 'day', when: string): FieldOf => ({
    id: `browser_${name}`,
    label: `Its requests in ${when}, at most`,
    type: 'number',
    value: limits[name],
    more: { min: 1, max: options.MAX_BROWSER_LIMITS[name] },
  });
  const label = html`Origins of the pages that may use the key, such as <code>https://example.org</code>: up to
    ${options.MAX_ORIGINS}`;
  return [
    { id: 'browser_origins', label, type: 'textarea', value: origins?.join('\n') },
    limit('minute', 'any 60 seconds'),
    limit('day', 'a UTC day'),
  ];
}

function showKey(visit: Visit, key: Key): Page {
  const { browser } = key;
  const fields = [
    nameField('key_name', 'Name', key.name),
    dayField('key_expires', browser ? WITHIN : 'never, if empty', dayOf(key)),
    ...(browser ? termFields(browser) : []),
  ];
  const prefix = html`<input type="hidden" name="prefix" value="${key.prefix}">`;
  const revoke = html`${prefix}<p>The key stops working at once. <button type="submit" class="danger">Revoke</button></p>`;
  const body = html`<p>${browser && 'The browser key '}<code>${key.prefix}…</code>, created ${showTime(key.created_at)},
    ${describeEnd(key)}.</p>
    ${fieldsForm(visit, SET, { fields, button: 'Save', hidden: prefix })}
    <h2>Replace</h2>
    <p>You get a new key with the same name${browser && ', origins and limits'}. If this key expires, the new one expires
    after as long a time. This key works for one more day, or until you revoke it.</p>
    ${postForm(ROTATE, html`${prefix}${submit('Replace the key')}`)}
    <h2>Revoke</h2>
    ${postForm(REVOKE, revoke)}${BACK}`;
  return { title: key.name === undefined ? 'Your key' : `Your key: ${key.name}`, body };
}
