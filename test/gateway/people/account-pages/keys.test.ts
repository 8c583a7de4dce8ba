import * as assert from 'uvu/assert';
import { InputError } from '../../../../gateway/http/problem.ts';
import { issueOwnKey } from '../../../../gateway/people/account-pages/keys.ts';
import { accountByEmail } from '../../../../gateway/people/accounts/account-records.ts';
import { ALL_SEEN } from '../../../../gateway/people/game-requests/game-request.ts';
import { addRequest, listRequests } from '../../../../gateway/people/game-requests/requests.ts';
import { deleteAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import type { Store } from '../../../../gateway/store/sql.ts';
import { issueKey, NOON } from '../../../support/harness.ts';
import { onEachStore } from '../../store/on-each-store.ts';

onEachStore(
  'work that finishes after its account was deleted',
  () => NOON,
  (test) => {
    test('a new key does not create the account again', async ({ store }) => {
      const account = await openAndDelete(store);
      assert.is(await issueOwnKey(store, { account, network: '192.0.2.1' }), undefined);
      assert.is(await accountByEmail(store, 'ada@example.org'), undefined);
    });

    test('a game request is refused', async ({ store }) => {
      const { id } = await openAndDelete(store);
      const wish = { account: id, seen: ALL_SEEN, name: 'Game', link: 'https://example.org/game', now: NOON };
      const error: unknown = await addRequest(store, wish).catch((reason: unknown) => reason);
      assert.instance(error, InputError);
      assert.equal(await listRequests(store, NOON), []);
    });
  },
);

async function openAndDelete(store: Store) {
  await issueKey(store, 'free', 'ada@example.org');
  const record = await accountByEmail(store, 'ada@example.org');
  if (!record) throw new Error('expected an account');
  await deleteAccount(store, 'ada@example.org');
  return record.account;
}
