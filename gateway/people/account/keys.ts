// The tab with the keys of an account, and the page of one key.
import { type BrowserTerms, isEnding, type Key } from '../../access/account.ts';
import * as options from '../../access/key-options.ts';
import { type Html, html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import { accountById } from '../../store/accounts.ts';
import { issueKey, liveKeysOf, revokeKey } from '../../store/keys.ts';
import type { Sql } from '../../store/sql.ts';
import { MAX_KEYS } from '../sign-up.ts';
import { code, field, type Page, showTime, submit } from '../web.ts';
import { ACCOUNT } from './sign-in.ts';
import { type AccountPage, scrollable, sessionForm, type Visit } from './visit.ts';

const KEY = '/account/key';
const ISSUE = '/account/keys/issue';
const ISSUE_BROWSER = '/account/keys/issue-browser';
const REVOKE = '/account/keys/revoke';
const SET = '/account/keys/set';
const ROTATE = '/account/keys/rotate';

const HOUR_MS = 3_600_000;
const BACK = html`<p><a href="${ACCOUNT}">Back to the account</a></p>`;

/** How long a replaced key may continue to work, in hours. */
const KEEP_CHOICES = new Map<string, [hours: number, label: string]>([
  ['24h', [24, 'for one day']],
  ['1h', [1, 'for one hour']],
  ['7d', [168, 'for seven days']],
  ['0s', [0, 'no longer: it ends now']],
]);

export const keysTab: AccountPage = {
  path: ACCOUNT,
  label: 'Keys',
  async show(visit) {
    const keys = await liveKeysOf(visit.store, visit.account.id);
    const rows = keys.map((key) => {
      const { prefix, name, browser } = key;
      const button = html`<button type="submit" name="prefix" value="${prefix}" aria-label="Revoke ${prefix}">Revoke</button>`;
      return html`<tr><td><code>${prefix}…</code>${name !== undefined && html`<br>${name}`}
        ${browser && html`<br>browser key for ${browser.origins.join(', ')}`}</td>
        <td>${showTime(key.created_at)}${key.revoked_at !== null && html`<br>${describeEnd(key)}`}</td>
        <td><a href="${pathOf(prefix)}" aria-label="Change ${prefix}">Change</a> ${sessionForm(visit, REVOKE, button)}</td></tr>`;
    });
    return html`<h2 id="keys">Keys</h2>
      ${scrollable('Keys', ['Key', 'Created', ''], rows, html`<p>You have no working key.</p>`)}
      ${hasRoom(keys) ? issueForms(visit) : html`<p>An account may have ${MAX_KEYS} keys. Revoke one to get a new one.</p>`}`;
  },
  forms: {
    [ISSUE]: (visit) => issue(visit, { name: readName(visit.typed('key_name')) }),
    [ISSUE_BROWSER](visit) {
      const now = visit.store.now();
      const day = visit.typed('browser_expires');
      const name = readName(visit.typed('browser_name'));
      const expires = options.readBrowserEnd(day === '' ? undefined : readDay(day, now), now);
      return issue(visit, { name, expires, browser: options.readBrowserTerms(browserFields(visit)) });
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
    const keys = await liveKeysOf(visit.store, visit.account.id);
    const key = keys.find(({ prefix }) => prefix === visit.typed('prefix'));
    if (key) return showKey(visit, key);
    const body = html`<p>This account has no such key, or the key has ended.</p>${BACK}`;
    return { status: 404, title: 'No such key', body };
  },
  forms: {
    async [SET](visit) {
      await changeKey(visit, (key, sql) =>
        options.setKeyOptions(sql, key.prefix, readOptions(visit, key), visit.actor),
      );
      visit.services.log.info('a key was changed on the account page', { key: visit.typed('prefix') });
    },
    async [ROTATE](visit) {
      const [hours] = KEEP_CHOICES.get(visit.typed('keep')) ?? [];
      const expected = [...KEEP_CHOICES.keys()].join(', ');
      if (hours === undefined)
        throw new InputError(`the form does not say how long the old key works; expected ${expected}`);
      const made = await changeKey(visit, async ({ prefix, account }, sql) => {
        if (await options.mayRotate(sql, account))
          return await options.rotate(sql, prefix, hours * HOUR_MS, visit.actor);
        throw new InputError(
          `${options.MAX_ENDING} replaced keys of the account still work: revoke one of them first`,
        );
      });
      if (made === undefined) throw notOwnKey();
      const { prefix: key } = made.issued.key;
      visit.services.log.info('a key was rotated on the account page', {
        key,
        replaced: visit.typed('prefix'),
      });
      return newKeyPage(made.key, key, made.replaced);
    },
  },
};

const pathOf = (prefix: string) => `${KEY}?${new URLSearchParams({ prefix })}`;

/** Keys that are due to end do not count. */
const hasRoom = (keys: readonly Key[]) => keys.filter((key) => !isEnding(key)).length < MAX_KEYS;

/** Issues a key, and makes the page that shows it. */
async function issue({ store, services, account, actor }: Visit, chosen: options.KeyOptions): Promise<Page> {
  const made = await store.transaction(async (sql) => {
    // A new key would create a deleted account again.
    const isThere = (await accountById(sql, account.id)) !== undefined;
    if (isThere && hasRoom(await liveKeysOf(sql, account.id)))
      return await issueKey(sql, account.email, actor, options.keyFields(chosen));
    throw new InputError('the account has the maximum number of keys: revoke one first');
  });
  const { prefix } = made.issued.key;
  services.log.info('a key was issued on the account page', { key: prefix });
  return newKeyPage(made.key, prefix);
}

/** Changes the key that a form names. @throws InputError if the account has no such working key */
async function changeKey<T>(visit: Visit, change: (key: Key, sql: Sql) => Promise<T>): Promise<T> {
  return await visit.store.transaction(async (sql) => {
    const keys = await liveKeysOf(sql, visit.account.id);
    const key = keys.find(({ prefix }) => prefix === visit.typed('prefix'));
    if (key === undefined) throw notOwnKey();
    return await change(key, sql);
  });
}

const notOwnKey = () => new InputError('that is not a key of this account');

function readName(text: string): string {
  const read = options.readKeyName(text);
  if (read !== undefined) return read;
  throw new InputError(`the name of a key has at most ${options.MAX_NAME_CHARS} characters in one line`);
}

/** Reads the form with the options of a key: an empty field removes what was set. */
function readOptions(visit: Visit, key: Key): options.KeyOptions {
  const now = visit.store.now();
  const name = readName(visit.typed('key_name'));
  const day = visit.typed('key_expires').trim();
  // The field holds only a day. If it was not changed, the expiry keeps its time of day, which an operator may have set.
  const isSame = day === visit.typed('key_expires_before');
  const expires = day === '' ? null : isSame ? undefined : readDay(day, now);
  if (!key.browser) return { name, ...(!isSame && expires !== undefined && { expires }) };
  const browser = options.readBrowserTerms(browserFields(visit), key.browser);
  return { name, browser, ...(!isSame && { expires: options.readBrowserEnd(expires, now) }) };
}

const browserFields = ({ fields }: Visit) => ({
  origins: fields.get('browser_origins'),
  minute: fields.get('browser_minute'),
  day: fields.get('browser_day'),
});

/** @returns the start of the day, in ms since 1970 */
function readDay(day: string, now: number): number {
  const expires = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (expires > now) return expires;
  throw new InputError('the key must end on a day after today, such as 2031-01-31, or on none');
}

function describeEnd(key: Key): Html {
  if (key.revoked_at === null) return html`does not expire`;
  return html`${isEnding(key) ? 'replaced, ends' : 'expires'} ${showTime(key.revoked_at)}`;
}

function issueForms(visit: Visit): Html {
  const { fields } = visit;
  const named = (id: string, label: string) =>
    field({ label, id, value: fields.get(id), more: { maxlength: options.MAX_NAME_CHARS } });
  const expiry = `Expires at the beginning of this day (UTC), at most ${options.MAX_BROWSER_DAYS} days from now; after ${options.DEFAULT_BROWSER_DAYS} days, if empty`;
  const day = fields.get('browser_expires');
  const browserForm = html`${named('browser_name', 'Name, if you want one')}${originFields(visit)}
    ${field({ label: expiry, id: 'browser_expires', type: 'date', value: day })}${submit('New browser key')}`;
  return html`${sessionForm(visit, ISSUE, html`${named('key_name', 'Name of the new key, if you want one')}${submit('New key')}`)}
    <h3 id="browser-keys">Browser key</h3>
    <p>A key that a page on your site may contain: it works only in requests from pages of the origins that you list, for
    reading. It has its own limits, and its requests also count for the account. Every visitor can read it, so it shows neither your email
    address nor what you follow. It counts as one of the ${MAX_KEYS} keys.</p>
    <details${fields.size > 1 && html` open`}><summary>Make a browser key</summary>
    ${sessionForm(visit, ISSUE_BROWSER, browserForm)}</details>`;
}

/** The fields for the origins and limits of a browser key. @param terms the current values; undefined for a new key */
function originFields({ fields }: Visit, terms?: BrowserTerms): Html {
  const { limits = options.DEFAULT_BROWSER_LIMITS } = terms ?? {};
  const limit = (name: 'minute' | 'day', when: string) =>
    field({
      label: `Its requests in ${when}, at most`,
      ...{ id: `browser_${name}`, type: 'number', value: fields.get(`browser_${name}`) ?? limits[name] },
      more: { min: 1, max: options.MAX_BROWSER_LIMITS[name] },
    });
  return html`<p><label for="browser_origins">Origins of the pages that may use the key, such as
    <code>https://example.org</code>: up to ${options.MAX_ORIGINS}</label><br>
    <textarea id="browser_origins" name="browser_origins" rows="3" required>${
      fields.get('browser_origins') ?? terms?.origins.join('\n')
    }</textarea></p>${limit('minute', 'any 60 seconds')}${limit('day', 'a UTC day')}`;
}

function showKey(visit: Visit, key: Key): Page {
  const { fields } = visit;
  const { browser } = key;
  const prefix = html`<input type="hidden" name="prefix" value="${key.prefix}">`;
  const day = key.expires_at?.slice(0, '2030-05-01'.length) ?? '';
  const end = browser ? `at most ${options.MAX_BROWSER_DAYS} days from now` : 'never, if empty';
  const name = fields.get('key_name') ?? key.name;
  const label = `Expires at the beginning of this day (UTC); ${end}`;
  const expires = fields.get('key_expires') ?? day;
  const chosen = html`${prefix}<input type="hidden" name="key_expires_before" value="${day}">
    ${field({ label: 'Name', id: 'key_name', value: name, more: { maxlength: options.MAX_NAME_CHARS } })}
    ${field({ label, id: 'key_expires', type: 'date', value: expires })}
    ${browser && originFields(visit, browser)}${submit('Save')}`;
  const choices = [...KEEP_CHOICES].map(
    ([value, [, label]]) => html`<option value="${value}">${label}</option>`,
  );
  const keep = html`${prefix}<p><label for="keep">This key continues to work</label><br><select id="keep" name="keep">
    ${choices}</select></p>
    ${submit('Replace the key')}`;
  const revoke = html`${prefix}<p>The key stops working at once. <button type="submit" class="danger">Revoke</button></p>`;
  const body = html`<p>${browser && 'The browser key '}<code>${key.prefix}…</code>, created ${showTime(key.created_at)},
    ${describeEnd(key)}.</p>
    ${sessionForm(visit, SET, chosen)}
    <h2>Replace</h2>
    <p>You get a new key with the same name${browser && ', origins and limits'}. If this key expires, the new one expires
    after as long a time.</p>
    ${sessionForm(visit, ROTATE, keep)}
    <h2>Revoke</h2>
    ${sessionForm(visit, REVOKE, revoke)}${BACK}`;
  return { title: key.name === undefined ? 'Your key' : `Your key: ${key.name}`, body };
}

/** Shows a new key once. @param replaced the key that it replaces, with its end */
function newKeyPage(key: string, prefix: string, replaced?: Key): Page {
  const end =
    replaced &&
    html`<p>It replaces <code>${replaced.prefix}…</code>, which works until ${showTime(replaced.revoked_at ?? '')}.</p>`;
  const body = html`${code(key)}
    <p><strong>Copy it now: it is not shown again.</strong> It works immediately. It begins with <code>${prefix}</code>.</p>
    ${end}${BACK}`;
  return { title: 'Your new key', body };
}
