import { InputError } from '../../http/problem.ts';
import { transact } from '../../store/records.ts';
import { endSessions } from '../accounts/session.ts';
import { recordEvent } from '../audit/audit-log.ts';
import type { AccountForm } from './account-form.ts';
import { ALL_SESSIONS, FORMS } from './addresses.ts';
import type { AccountServices } from './handle-session.ts';

/** Makes the form that ends one session of the account, or all of them. */
export function sessionForms({ store }: AccountServices): AccountForm[] {
  return [
    {
      path: FORMS.endSessions,
      section: 'sessions',
      async change({ account, network }, fields) {
        const id = fields.get('id') ?? '';
        const isAll = id === ALL_SESSIONS;
        await transact(store, async (transaction) => {
          const ended = await endSessions(transaction, account.id, isAll ? undefined : id);
          if (ended === 0) throw new InputError('that session has ended already');
          const event = isAll ? 'sessions.ended' : 'session.ended';
          const actor = { by: 'account', network } as const;
          await recordEvent(transaction, { account: account.id, event, actor });
        });
      },
    },
  ];
}
