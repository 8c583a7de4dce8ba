import type { AddressTerms } from '../../../core/plans/account.ts';
import { addressPath, describeTerms } from '../../../core/plans/address-terms.ts';
import { MAX_ADDRESSES } from '../accounts/addresses.ts';
import { MAX_NAME_CHARS } from '../../../shared/key-terms/key-changes.ts';
import { showTime } from '../web/describe-time.ts';
import { type Html, html } from '../web/html.ts';
import type { Page } from '../web/page.ts';
import type { AccountState } from './account-state.ts';
import { ACCOUNT, FORMS } from './addresses.ts';
import { scrollable } from './scrollable.ts';
import { type Fields, sessionForm } from './session-form.ts';

/** The names of the fields of a read-only address. */
export const READ_ADDRESS_FIELDS = { name: 'link_name', target: 'link_target' } as const;

/** Makes the section about read-only addresses, with a button to revoke each, and a form for another. */
export function readAddressesSection({ session, addresses }: AccountState, typed: Fields): Html {
  const rows = addresses.map(({ prefix, name, created_at, address }) => {
    const button = html`<button name="prefix" value="${prefix}" aria-label="Revoke ${prefix}">Revoke</button>`;
    const revoke = sessionForm(session, FORMS.revokeAddress, button);
    return html`<tr><td><code>${prefix}…</code>${name === undefined ? undefined : html`<br>${name}`}<td>${address && describeTerms(address)}<td>${showTime(created_at)}<td>${revoke}
`;
  });
  const table = html`<table>
<tr><th scope="col">Address<th scope="col">What it serves<th scope="col">Created<td>
${rows}</table>`;
  return html`<h2 id="links">Read-only addresses</h2>
<p>For tools that can send no header, such as a spreadsheet: an address that serves one query, or all rows of one game (for Pro also the history of its characters), to everyone who knows it. What is read counts on the
  caps of this account.</p>
${rows.length > 0 ? scrollable('Read-only addresses', table) : undefined}
${rows.length < MAX_ADDRESSES ? makeForm(session, typed) : html`<p>An account may have ${MAX_ADDRESSES} of them. Revoke one to make another.</p>`}`;
}

function makeForm(session: AccountState['session'], typed: Fields): Html {
  const { name, target } = READ_ADDRESS_FIELDS;
  return sessionForm(
    session,
    FORMS.makeAddress,
    html`<p><label for="${target}">The query, as <code>/api/genshin-impact/characters.csv?element=Pyro</code>, or only the game, as <code>genshin-impact</code></label><br>
    <input type="text" id="${target}" name="${target}" value="${typed.get(target)}" maxlength="2100" required></p>
  <p><label for="${name}">What it is for, if you want to note it</label><br>
    <input type="text" id="${name}" name="${name}" value="${typed.get(name)}" maxlength="${MAX_NAME_CHARS}"></p>
  <p><button>New read-only address</button></p>`,
  );
}

/** Makes the page that shows a new address once, with what to paste into spreadsheets. */
export function readAddressPage(publicUrl: string, token: string, terms: AddressTerms): Page {
  const address = publicUrl + addressPath(token, terms);
  const whole = html`<p>This is the roster as CSV. The address works with every list of ${terms.game}, and with parameters: replace what follows <code>/${terms.game}/</code>.</p>`;
  const body = html`<pre><code>${address}</code></pre>
<p><strong>Copy it now: it is not shown again.</strong> Anyone who knows it can read what it serves. It works immediately, until you revoke it.</p>
${terms.query === undefined ? whole : undefined}
<h2>Google Sheets</h2>
<pre><code>${toSheets(address)}</code></pre>
<h2>Excel and Power BI</h2>
<p>Get data, From other sources, Blank query, Advanced editor:</p>
<pre><code>${toPowerQuery(address)}</code></pre>
<p><a href="${ACCOUNT}#links">Back to the account</a></p>`;
  return { status: 200, title: 'Your new read-only address', body };
}

/** Returns the formula that imports CSV into Google Sheets. */
function toSheets(address: string): string {
  return `=IMPORTDATA("${address}")`;
}

/** Returns the Power Query program that imports CSV. */
function toPowerQuery(address: string): string {
  return `let
  Source = Csv.Document(Web.Contents("${address}"), [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),
  Rows = Table.PromoteHeaders(Source, [PromoteAllScalars = true])
in
  Rows`;
}
