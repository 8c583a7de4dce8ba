import { type AccountForm, AccountFormError } from './account-form.ts';
import { FORMS } from './addresses.ts';
import type { AccountServices } from './handle-session.ts';
import { issueOwnKey, revokeOwnKey } from './keys.ts';
import { keyPage } from './pages.ts';

/** Makes the forms for keys. */
export function keyForms({ store, log, now }: AccountServices): AccountForm[] {
  return [
    {
      path: FORMS.issueKey,
      section: 'keys',
      async reveal({ account }) {
        const issued = await issueOwnKey(store, account, now());
        if (!issued)
          throw new AccountFormError(400, 'the account has the maximum number of keys: revoke one first');
        log.info('a key was issued on the account page', { key: issued.prefix });
        return keyPage(issued);
      },
    },
    {
      path: FORMS.revokeKey,
      section: 'keys',
      async change({ account }, fields) {
        const prefix = fields.get('prefix') ?? '';
        const isRevoked = await revokeOwnKey(store, account, { prefix, now: now() });
        if (!isRevoked) throw new AccountFormError(400, 'that is not a key of this account');
        log.info('a key was revoked on the account page', { key: prefix });
      },
    },
  ];
}
