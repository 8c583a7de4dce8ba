import { DEFAULT_BROWSER_DAYS, MAX_BROWSER_DAYS } from '../../../shared/key-terms/browser-terms.ts';
import { MAX_NAME_CHARS } from '../../../shared/key-terms/key-changes.ts';
import type { Session } from '../accounts/session.ts';
import { MAX_KEYS } from '../signup/links.ts';
import { showTime } from '../web/describe-time.ts';
import { type Html, html } from '../web/html.ts';
import type { AccountState } from './account-state.ts';
import { FORMS, keyPath } from './addresses.ts';
import { BROWSER_FIELDS, browserFields } from './browser-key-fields.ts';
import { describeEnd, KEY_FIELDS } from './key-page.ts';
import { hasRoom, type UsedKey } from './keys.ts';
import { scrollable } from './scrollable.ts';
import { type Fields, sessionForm } from './session-form.ts';
import { usageChart } from './usage-chart.ts';

/** Makes the section about keys, with a page and a button to revoke each, and a form for another. */
export function keysSection(state: AccountState, typed: Fields): Html {
  const { session, keys } = state;
  const rows = keys.map((used) => describeKey(state, used));
  const table =
    keys.length > 0
      ? scrollable(
          'Keys',
          html`<table>
<tr><th scope="col">Key<th scope="col">Created<th scope="col">Last used<th scope="col">Requests today<th scope="col">Last 30 days<td>
${rows}</table>`,
        )
      : html`<p>You have no working key.</p>`;
  const fields = html`<p><label for="key-name">Name of the new key, if you want one</label><br>
    <input type="text" id="key-name" name="${KEY_FIELDS.name}" value="${typed.get(KEY_FIELDS.name)}" maxlength="${MAX_NAME_CHARS}"></p>
  <p><button>New key</button></p>`;
  const issue = hasRoom(keys.map(({ key }) => key))
    ? html`${sessionForm(session, FORMS.issueKey, fields)}
${browserKeyForm(session, typed)}`
    : html`<p>An account may have ${MAX_KEYS} keys. Revoke one to get a new one.</p>`;
  return html`<h2 id="keys">Keys</h2>
${table}
${issue}`;
}

function browserKeyForm(session: Session, typed: Fields): Html {
  const { name, expires } = BROWSER_FIELDS;
  const fields = html`<p><label for="${name}">Name, if you want one</label><br>
    <input type="text" id="${name}" name="${name}" value="${typed.get(name)}" maxlength="${MAX_NAME_CHARS}"></p>
  ${browserFields(undefined, typed)}<p><label for="${expires}">Expires at the beginning of this day (UTC), at most ${MAX_BROWSER_DAYS} days from now; after ${DEFAULT_BROWSER_DAYS} days, if empty</label><br>
    <input type="date" id="${expires}" name="${expires}" value="${typed.get(expires)}"></p>
  <p><button>New browser key</button></p>`;
  return html`<h3 id="browser-keys">Browser key</h3>
<p>A key that a page on your site may contain: it works only in requests from pages of the origins that you list, for reading, and has caps of its own within those of
  the account. Every visitor can read it, so it shows neither your email address nor what you follow. It counts as one of the ${MAX_KEYS} keys.</p>
<details${typed.size > 0 ? ' open' : ''}><summary>Make a browser key</summary>
${sessionForm(session, FORMS.issueBrowserKey, fields)}</details>`;
}

function describeKey({ session, today }: AccountState, { key, use }: UsedKey): Html {
  const { prefix, name, browser } = key;
  const origins = browser && html`<br>browser key for ${browser.origins.join(', ')}`;
  const button = html`<button name="prefix" value="${prefix}" aria-label="Revoke ${prefix}">Revoke</button>`;
  const link = html`<a href="${keyPath(prefix)}" aria-label="Change ${prefix}">Change</a>`;
  const last = use ? html`${showTime(use.at)}<br>${use.network}` : html`not yet`;
  const end = key.revoked_at === null ? undefined : html`<br>${describeEnd(key)}`;
  return html`<tr><td><code>${prefix}…</code>${name === undefined ? undefined : html`<br>${name}`}${origins}<td>${showTime(key.created_at)}${end}<td>${last}<td>${use?.days[today] ?? 0}<td>${usageChart(use, today)}<td>${link} ${sessionForm(session, FORMS.revokeKey, button)}
`;
}
