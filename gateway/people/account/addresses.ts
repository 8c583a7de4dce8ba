// The tab with the read-only addresses of an account.
import { type AddressTerms, addressPath, describeTerms } from '../../access/account.ts';
import { MAX_NAME_CHARS, readKeyName } from '../../access/key-options.ts';
import { html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import { addressesOf, MAX_ADDRESSES, makeAddress, removeAddress } from '../../store/keys.ts';
import { checkAddressTerms, readAddressTerms } from '../read-address-terms.ts';
import { code, type Page, secretPage, showTime } from '../web.ts';
import { type AccountPage, buttonForm, fieldsForm, scrollable } from './visit.ts';

const PATH = '/account/addresses';
const MAKE = '/account/links/make';
const REVOKE = '/account/links/revoke';

const FIELDS = [
  {
    id: 'link_target',
    label: html`The query, as <code>/api/genshin-impact/characters.csv?element=Pyro</code>, or only the game, as
      <code>genshin-impact</code>`,
    more: { maxlength: 2100, required: true },
  },
  { id: 'link_name', label: 'What it is for, if you want to note it', more: { maxlength: MAX_NAME_CHARS } },
] as const;

export const addressesTab: AccountPage = {
  path: PATH,
  label: 'Addresses',
  async show(visit) {
    const addresses = await addressesOf(visit.store, visit.account.id);
    const rows = addresses.map(({ prefix, name, created_at, address }) => {
      const revoke = { name: 'prefix', value: prefix, label: 'Revoke', about: prefix };
      return html`<tr><td><code>${prefix}…</code>${name !== undefined && html`<br>${name}`}</td>
        <td>${address && describeTerms(address)}</td><td>${showTime(created_at)}</td>
        <td>${buttonForm(REVOKE, revoke)}</td></tr>`;
    });
    const full = html`<p>An account may have ${MAX_ADDRESSES} of them. Revoke one to make another.</p>`;
    const make = fieldsForm(visit, MAKE, { fields: FIELDS, button: 'New read-only address' });
    return html`<h2 id="links">Read-only addresses</h2>
      <p>For tools that can send no header, such as a spreadsheet: an address that serves one query, or all rows of one game
      (for Pro also the history of its characters), to everyone who knows it. What is read counts on the limits of this
      account.</p>
      ${scrollable('Read-only addresses', ['Address', 'What it serves', 'Created', ''], rows)}
      ${rows.length < MAX_ADDRESSES ? make : full}`;
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
      return newAddressPage(publicUrl() + addressPath(made.token, terms), terms);
    },
    async [REVOKE]({ typed, services, store, account, actor }) {
      const prefix = typed('prefix');
      const revoked = await store.transaction((sql) => removeAddress(sql, prefix, account.id, actor));
      if (!revoked) throw new InputError('that is not a read-only address of this account');
      services.log.info('a read-only address was revoked on the account page', { address: prefix });
    },
  },
};

/** Shows a new address once, with what to paste into spreadsheets. */
function newAddressPage(address: string, { game, query }: AddressTerms): Page {
  const powerQuery = `let
  Source = Csv.Document(Web.Contents("${address}"), [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),
  Rows = Table.PromoteHeaders(Source, [PromoteAllScalars = true])
in
  Rows`;
  const rest = html`<p>Anyone who knows it can read what it serves. It works immediately, until you revoke it.</p>
    ${
      query === undefined &&
      html`<p>This is the roster as CSV. The address works with every list of ${game}, and with parameters: replace
      what follows <code>/${game}/</code>.</p>`
    }
    <h2>Google Sheets</h2>${code(`=IMPORTDATA("${address}")`)}
    <h2>Excel and Power BI</h2><p>Get data, From other sources, Blank query, Advanced editor:</p>${code(powerQuery)}`;
  return secretPage('Your new read-only address', address, rest, PATH);
}
