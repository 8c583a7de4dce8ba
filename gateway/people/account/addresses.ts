// The tab with the read-only addresses of an account.
import { type AddressTerms, addressPath, describeTerms } from '../../access/account.ts';
import { MAX_NAME_CHARS, readKeyName } from '../../access/key-options.ts';
import { type Html, html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import { addressesOf, MAX_ADDRESSES, makeAddress, removeAddress } from '../../store/keys.ts';
import { checkAddressTerms, readAddressTerms } from '../read-address-terms.ts';
import { code, field, type Page, showTime, submit } from '../web.ts';
import { type AccountPage, scrollable, sessionForm, type Visit } from './visit.ts';

const PATH = '/account/addresses';
const MAKE = '/account/links/make';
const REVOKE = '/account/links/revoke';

export const addressesTab: AccountPage = {
  path: PATH,
  label: 'Addresses',
  async show(visit) {
    const addresses = await addressesOf(visit.store, visit.account.id);
    const rows = addresses.map(({ prefix, name, created_at, address }) => {
      const button = html`<button type="submit" name="prefix" value="${prefix}" aria-label="Revoke ${prefix}">Revoke</button>`;
      return html`<tr><td><code>${prefix}…</code>${name !== undefined && html`<br>${name}`}</td>
        <td>${address && describeTerms(address)}</td><td>${showTime(created_at)}</td>
        <td>${sessionForm(visit, REVOKE, button)}</td></tr>`;
    });
    const full = html`<p>An account may have ${MAX_ADDRESSES} of them. Revoke one to make another.</p>`;
    return html`<h2 id="links">Read-only addresses</h2>
      <p>For tools that can send no header, such as a spreadsheet: an address that serves one query, or all rows of one game
      (for Pro also the history of its characters), to everyone who knows it. What is read counts on the limits of this
      account.</p>
      ${scrollable('Read-only addresses', ['Address', 'What it serves', 'Created', ''], rows)}
      ${rows.length < MAX_ADDRESSES ? makeForm(visit) : full}`;
  },
  forms: {
    async [MAKE]({ typed, services, store, account, tier, actor }) {
      const { log, publicUrl, follower } = services;
      const terms = readAddressTerms(typed('link_target'));
      await checkAddressTerms(terms, follower.catalog.viewAt(services.now(), tier), services);
      const name = readKeyName(typed('link_name'));
      if (name === undefined)
        throw new InputError(`the note has at most ${MAX_NAME_CHARS} characters in one line`);
      const wanted = { address: terms, name };
      const made = await store.transaction((sql) => makeAddress(sql, account.id, wanted, actor));
      if (!made)
        throw new InputError(`the account has ${MAX_ADDRESSES} read-only addresses: revoke one first`);
      log.info('a read-only address was made on the account page', { address: made.record.prefix });
      return newAddressPage(publicUrl(), made.token, terms);
    },
    async [REVOKE]({ typed, services, store, account, actor }) {
      const prefix = typed('prefix');
      const revoked = await store.transaction((sql) => removeAddress(sql, prefix, account.id, actor));
      if (!revoked) throw new InputError('that is not a read-only address of this account');
      services.log.info('a read-only address was revoked on the account page', { address: prefix });
    },
  },
};

function makeForm(visit: Visit): Html {
  const { fields } = visit;
  const query = html`The query, as <code>/api/genshin-impact/characters.csv?element=Pyro</code>, or only the game, as
    <code>genshin-impact</code>`;
  const target = { maxlength: 2100, required: true } as const;
  const content = html`${field({ label: query, id: 'link_target', value: fields.get('link_target'), more: target })}
    ${field({
      label: 'What it is for, if you want to note it',
      ...{ id: 'link_name', value: fields.get('link_name'), more: { maxlength: MAX_NAME_CHARS } },
    })}${submit('New read-only address')}`;
  return sessionForm(visit, MAKE, content);
}

/** Shows a new address once, with what to paste into spreadsheets. */
function newAddressPage(publicUrl: string, token: string, terms: AddressTerms): Page {
  const address = publicUrl + addressPath(token, terms);
  const powerQuery = `let
  Source = Csv.Document(Web.Contents("${address}"), [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),
  Rows = Table.PromoteHeaders(Source, [PromoteAllScalars = true])
in
  Rows`;
  const body = html`${code(address)}
    <p><strong>Copy it now: it is not shown again.</strong> Anyone who knows it can read what it serves. It works
    immediately, until you revoke it.</p>
    ${
      terms.query === undefined &&
      html`<p>This is the roster as CSV. The address works with every list of ${terms.game}, and with parameters: replace
      what follows <code>/${terms.game}/</code>.</p>`
    }
    <h2>Google Sheets</h2>${code(`=IMPORTDATA("${address}")`)}
    <h2>Excel and Power BI</h2><p>Get data, From other sources, Blank query, Advanced editor:</p>${code(powerQuery)}
    <p><a href="${PATH}">Back to the account</a></p>`;
  return { title: 'Your new read-only address', body };
}
