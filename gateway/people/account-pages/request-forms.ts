import { type Account, tierAt } from '../../access/account.ts';
import type { Supporter } from '../game-requests/game-request.ts';
import { addRequest, supportRequest, withdrawSupport } from '../game-requests/requests.ts';
import type { AccountForm } from './account-form.ts';
import { FORMS } from './addresses.ts';
import type { AccountServices } from './handle-session.ts';
import type { Fields } from './sections/session-form.tsx';

/** Makes the forms for game requests. */
export function requestForms({ store, follower, now }: AccountServices): AccountForm[] {
  const supporterOf = (account: Account): Supporter => {
    const at = now();
    const { games } = follower.catalog.viewAt(at, tierAt(account, at));
    return { account: account.id, seen: games, now: at };
  };
  const form = (
    path: string,
    change: (supporter: Supporter, fields: Fields) => Promise<unknown>,
  ): AccountForm => ({
    path,
    section: 'requests',
    change: ({ account }, fields) => change(supporterOf(account), fields),
  });
  const idIn = (fields: Fields) => fields.get('id') ?? '';
  return [
    form(FORMS.askForGame, (supporter, fields) =>
      addRequest(store, { ...supporter, name: fields.get('name') ?? '', link: fields.get('link') ?? '' }),
    ),
    form(FORMS.supportRequest, (supporter, fields) =>
      supportRequest(store, { ...supporter, id: idIn(fields) }),
    ),
    form(FORMS.withdrawSupport, ({ account }, fields) =>
      withdrawSupport(store, { id: idIn(fields), account }),
    ),
  ];
}
