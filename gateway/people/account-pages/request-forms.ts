import { addRequest, supportRequest, withdrawSupport } from '../game-requests/requests.ts';
import type { AccountForm } from './account-form.ts';
import { FORMS } from './addresses.ts';
import type { AccountServices } from './handle-session.ts';
import type { Fields } from './session-form.ts';

/** Makes the forms for game requests. */
export function requestForms({ store, now }: AccountServices): AccountForm[] {
  const form = (
    path: string,
    change: (account: string, fields: Fields) => Promise<unknown>,
  ): AccountForm => ({
    path,
    section: 'requests',
    change: ({ account }, fields) => change(account.id, fields),
  });
  const idIn = (fields: Fields) => fields.get('id') ?? '';
  return [
    form(FORMS.askForGame, (account, fields) =>
      addRequest(store, {
        account,
        name: fields.get('name') ?? '',
        link: fields.get('link') ?? '',
        now: now(),
      }),
    ),
    form(FORMS.supportRequest, (account, fields) => supportRequest(store, { id: idIn(fields), account })),
    form(FORMS.withdrawSupport, (account, fields) => withdrawSupport(store, { id: idIn(fields), account })),
  ];
}
