// The tab with the read-only addresses of an account.
import { type AddressTerms, type Key, addressPath, describeTerms } from '../../access/account.ts';
import { MAX_NAME_CHARS, readKeyName } from '../../access/key-options.ts';
import { InputError } from '../../http/problem.ts';
import { type Html, html } from '../../http/html.ts';
import { addressesOf, MAX_ADDRESSES, makeAddress, removeAddress } from '../../store/keys.ts';
import { checkAddressTerms, readAddressTerms } from '../read-address-terms.ts';
import { code, field, type Page, showTime, submit } from '../web.ts';
import { scrollable, sessionForm, type Tab, type Visit } from './visit.ts';

const PATH = '/account/addresses';
const MAKE = '/account/links/make';
const REVOKE = '/account/links/revoke';
/** Enough for the query of an address, also percent-encoded. */
const MAX_FORM_BYTES = 16 * 1024;

export const addressesTab: Tab = {
  path: PATH,
  label: 'Addresses',
  async show(visit) {
    const addresses = await addressesOf(visit.services.store, visit.session.account.id);
    const rows = addresses.map((address) => addressRow(visit, address));
    const head = ['Address', 'What it serves', 'Created', ''];
    return html`<h2 id="links">Read-only addresses</h2>
      <p>For tools that can send no header, such as a spreadsheet: an address that serves one query, or all rows of one game
      (for Pro also the history of its characters), to everyone who knows it. What is read counts on the caps of this
      account.</p>
      ${rows.length > 0 && scrollable('Read-only addresses', head, rows)}
      ${
        rows.length < MAX_ADDRESSES
          ? makeForm(visit)
          : html`<p>An account may have ${MAX_ADDRESSES} of them. Revoke one to make another.</p>`
      }`;
  },
  forms: {
    [MAKE]: {
      maxBytes: MAX_FORM_BYTES,
      async apply({ fields, services, session: { account }, tier, actor }) {
        const { store, log, publicUrl, follower } = services;
        const terms = readAddressTerms(fields.get('link_target') ?? '');
        await checkAddressTerms(terms, follower.catalog.viewAt(services.now(), tier), services);
        const name = readKeyName(fields.get('link_name') ?? '');
        if (name === undefined)
          throw new InputError(`the note has at most ${MAX_NAME_CHARS} characters in one line`);
        const wanted = { address: terms, name };
        const made = await store.transaction((sql) => makeAddress(sql, account.id, wanted, actor));
        if (!made)
          throw new InputError(`the account has ${MAX_ADDRESSES} read-only addresses: revoke one first`);
        log.info('a read-only address was made on the account page', { address: made.record.prefix });
        return newAddressPage(publicUrl(), made.token, terms);
      },
    },
    [REVOKE]: {
      async apply({ fields, services: { store, log }, session: { account }, actor }) {
        const prefix = fields.get('prefix') ?? '';
        const revoked = await store.transaction((sql) => removeAddress(sql, prefix, account.id, actor));
        if (!revoked) throw new InputError('that is not a read-only address of this account');
        log.info('a read-only address was revoked on the account page', { address: prefix });
        return undefined;
      },
    },
  },
};

function addressRow(visit: Visit, { prefix, name, created_at, address }: Key): Html {
  const button = html`<button type="submit" name="prefix" value="${prefix}" aria-label="Revoke ${prefix}">Revoke</button>`;
  return html`<tr><td><code>${prefix}…</code>${name !== undefined && html`<br>${name}`}</td>
    <td>${address && describeTerms(address)}</td><td>${showTime(created_at)}</td>
    <td>${sessionForm(visit, REVOKE, button)}</td></tr>`;
}

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

/** Makes the page that shows a new address once, with what to paste into spreadsheets. */
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
