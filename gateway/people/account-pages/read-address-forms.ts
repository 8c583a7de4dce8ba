import { tierAt } from '../../access/account.ts';
import { MAX_NAME_CHARS, readKeyName } from '../../access/key-options.ts';
import { InputError } from '../../http/problem.ts';
import { makeAddress, MAX_ADDRESSES, removeAddress } from '../../store/keys.ts';
import { checkAddressTerms, readAddressTerms } from '../accounts/read-address-terms.ts';
import type { AccountForm } from './account-form.ts';
import { FORMS } from './addresses.ts';
import type { AccountServices } from './handle-session.ts';
import { READ_ADDRESS_FIELDS, readAddressPage } from './sections/read-addresses-section.tsx';

/** Enough for the query of an address, also percent-encoded. */
const MAX_FORM_BYTES = 16 * 1024;

/** Makes the forms for read-only addresses. */
export function readAddressForms(services: AccountServices): AccountForm[] {
  const { store, log, now, publicUrl, follower } = services;
  return [
    {
      path: FORMS.makeAddress,
      section: 'links',
      maxBytes: MAX_FORM_BYTES,
      async reveal({ account, network }, fields) {
        const terms = readAddressTerms(fields.get(READ_ADDRESS_FIELDS.target) ?? '');
        const view = follower.catalog.viewAt(now(), tierAt(account, now()));
        await checkAddressTerms(terms, view, services);
        const name = readKeyName(fields.get(READ_ADDRESS_FIELDS.name) ?? '');
        if (name === undefined)
          throw new InputError(`the note has at most ${MAX_NAME_CHARS} characters in one line`);
        const actor = { by: 'account', network } as const;
        const made = await store.transaction((sql) =>
          makeAddress(sql, account.id, { address: terms, name }, actor),
        );
        if (!made)
          throw new InputError(`the account has ${MAX_ADDRESSES} read-only addresses: revoke one first`);
        log.info('a read-only address was made on the account page', { address: made.record.prefix });
        return readAddressPage(publicUrl(), made.token, terms);
      },
    },
    {
      path: FORMS.revokeAddress,
      section: 'links',
      async change({ account, network }, fields) {
        const prefix = fields.get('prefix') ?? '';
        const actor = { by: 'account', network } as const;
        const revoked = await store.transaction((sql) => removeAddress(sql, prefix, account.id, actor));
        if (!revoked) throw new InputError('that is not a read-only address of this account');
        log.info('a read-only address was revoked on the account page', { address: prefix });
      },
    },
  ];
}
