import * as assert from 'uvu/assert';
import { createKey } from '../../../../gateway/access/api-key.ts';
import { findKey, issueKey } from '../../../../gateway/store/accounts/accounts.ts';
import { listKeys } from '../../../../gateway/key-uses/list-keys.ts';
import { type Ended, runCommand } from '../../../support/command.ts';
import { ALL_DRIVERS, onEachDriver, type StoreContext } from '../on-each-store.ts';

const EMAIL = 'ada@example.org';

async function keys(address: string, ...args: string[]): Promise<Ended> {
  const ended = await runCommand('gateway', ['keys', ...args, '--store', address, '--json']);
  assert.is(ended.code, 0, ended.stderr);
  return ended;
}

onEachDriver<StoreContext>(
  'accounts shared by several processes',
  (test, all, makePlace) => {
    all.before.each(async (context) => {
      context.place = await makePlace();
      context.store = await context.place.open();
    });
    all.after.each(async ({ place, store }) => {
      await store.close();
      await place.remove();
    });

    test('several processes that issue keys to the same new email address create one account', async ({
      place,
      store,
    }) => {
      const processes = [1, 2, 3].map(() => keys(place.address, 'issue', EMAIL));
      await issueKey(store, { ...createKey(), email: EMAIL, now: Date.now() });
      await Promise.all(processes);
      const issued = await listKeys(store);
      assert.is(issued.length, 4);
      assert.is(new Set(issued.map(({ account }) => account.id)).size, 1);
    });

    test('a key that another process revokes is revoked here at once', async ({ place, store }) => {
      const { prefix, hash } = createKey();
      await issueKey(store, { prefix, hash, email: EMAIL, now: Date.now() });
      assert.is((await findKey(store, hash))?.key.revoked_at, null);
      const { stdout } = await keys(place.address, 'revoke', prefix);
      const { revoked_at } = JSON.parse(stdout) as { revoked_at: string };
      assert.type(revoked_at, 'string');
      assert.is((await findKey(store, hash))?.key.revoked_at, revoked_at);
    });
  },
  ALL_DRIVERS,
);
