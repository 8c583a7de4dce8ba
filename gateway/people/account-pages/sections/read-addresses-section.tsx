import type { JSX } from 'preact';
import { addressPath, type AddressTerms, describeTerms } from '../../../access/account.ts';
import { MAX_NAME_CHARS } from '../../../access/key-options.ts';
import { MAX_ADDRESSES } from '../../../store/keys.ts';
import { Code } from '../../web/code.tsx';
import type { Page } from '../../web/page.tsx';
import { Time } from '../../web/show-time.tsx';
import type { AccountState } from '../account-state.ts';
import { ACCOUNT, FORMS } from '../addresses.ts';
import { Scrollable } from './scrollable.tsx';
import { Field, type Fields, SessionForm } from './session-form.tsx';

/** The names of the fields of a read-only address. */
export const READ_ADDRESS_FIELDS = { name: 'link_name', target: 'link_target' } as const;

/** The section about read-only addresses, with a button to revoke each, and a form for another. */
export function ReadAddressesSection(props: { state: AccountState; typed: Fields }): JSX.Element {
  const { session, addresses } = props.state;
  return (
    <>
      <h2 id="links">Read-only addresses</h2>
      <p>
        For tools that can send no header, such as a spreadsheet: an address that serves one query, or all
        rows of one game (for Pro also the history of its characters), to everyone who knows it. What is read
        counts on the caps of this account.
      </p>
      {addresses.length > 0 && (
        <Scrollable label="Read-only addresses" head={['Address', 'What it serves', 'Created', '']}>
          {addresses.map((address) => (
            <AddressRow session={session} row={address} />
          ))}
        </Scrollable>
      )}
      {addresses.length < MAX_ADDRESSES ? (
        <AddressForm session={session} typed={props.typed} />
      ) : (
        <p>An account may have {MAX_ADDRESSES} of them. Revoke one to make another.</p>
      )}
    </>
  );
}

function AddressRow(props: {
  session: AccountState['session'];
  row: AccountState['addresses'][number];
}): JSX.Element {
  const { prefix, name, created_at, address } = props.row;
  return (
    <tr>
      <td>
        <code>{prefix}…</code>
        {name !== undefined && (
          <>
            <br />
            {name}
          </>
        )}
      </td>
      <td>{address && describeTerms(address)}</td>
      <td>
        <Time at={created_at} />
      </td>
      <td>
        <SessionForm session={props.session} action={FORMS.revokeAddress}>
          <button type="submit" name="prefix" value={prefix} aria-label={`Revoke ${prefix}`}>
            Revoke
          </button>
        </SessionForm>
      </td>
    </tr>
  );
}

function AddressForm(props: { session: AccountState['session']; typed: Fields }): JSX.Element {
  const { name, target } = READ_ADDRESS_FIELDS;
  const { session, typed } = props;
  const query = (
    <>
      The query, as <code>/api/genshin-impact/characters.csv?element=Pyro</code>, or only the game, as{' '}
      <code>genshin-impact</code>
    </>
  );
  return (
    <SessionForm session={session} action={FORMS.makeAddress}>
      <Field
        label={query}
        type="text"
        id={target}
        name={target}
        value={typed.get(target)}
        maxlength={2100}
        required
      />
      <Field
        label="What it is for, if you want to note it"
        type="text"
        id={name}
        name={name}
        value={typed.get(name)}
        maxlength={MAX_NAME_CHARS}
      />
      <p>
        <button type="submit">New read-only address</button>
      </p>
    </SessionForm>
  );
}

/** Makes the page that shows a new address once, with what to paste into spreadsheets. */
export function readAddressPage(publicUrl: string, token: string, terms: AddressTerms): Page {
  const address = publicUrl + addressPath(token, terms);
  const body = (
    <>
      <Code text={address} />
      <p>
        <strong>Copy it now: it is not shown again.</strong> Anyone who knows it can read what it serves. It
        works immediately, until you revoke it.
      </p>
      {terms.query === undefined && (
        <p>
          This is the roster as CSV. The address works with every list of {terms.game}, and with parameters:
          replace what follows <code>/{terms.game}/</code>.
        </p>
      )}
      <h2>Google Sheets</h2>
      <Code text={toSheets(address)} />
      <h2>Excel and Power BI</h2>
      <p>Get data, From other sources, Blank query, Advanced editor:</p>
      <Code text={toPowerQuery(address)} />
      <p>
        <a href={`${ACCOUNT}#links`}>Back to the account</a>
      </p>
    </>
  );
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
