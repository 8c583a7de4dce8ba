import * as assert from 'uvu/assert';
import { InputError } from '../../../../gateway/http/problem.ts';
import { accountByEmail, grantTier } from '../../../../gateway/people/accounts/account-records.ts';
import { ALL_SEEN, asSeen } from '../../../../gateway/people/game-requests/game-request.ts';
import {
  addRequest,
  decideRequest,
  findRequest,
  listRequests,
  MAX_SUPPORTED,
  supportRequest,
  withdrawSupport,
} from '../../../../gateway/people/game-requests/requests.ts';
import { deleteAccount, exportAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import type { Store } from '../../../../gateway/store/sql.ts';
import { issueKey } from '../../../support/harness.ts';
import { recordsIn } from '../../../support/store-content.ts';
import { onEachStore, type StoreContext } from '../../store/on-each-store.ts';

interface Context extends StoreContext {
  /** Ids of accounts: one with Pro, two free. */
  pro: string;
  ada: string;
  bob: string;
}

const NOW = Date.parse('2030-05-01T10:00:00Z');
const SEEING = { seen: ALL_SEEN, now: NOW };

onEachStore<Context>(
  'game requests',
  () => NOW,
  (test, all) => {
    all.before.each(async (context) => {
      context.pro = await openAccount(context.store, 'pro');
      context.ada = await openAccount(context.store, 'free', 'ada@example.org');
      context.bob = await openAccount(context.store, 'free', 'bob@example.org');
    });

    test('two requests for the same page become one with two supporters', async ({ store, ada, bob }) => {
      const first = await ask(store, ada, 'Blue Archive', 'blue');
      const second = await ask(store, bob, 'BLUE ARCHIVE!', 'blue?utm_source=x');
      assert.is(second.id, first.id);
      assert.equal([second.name, second.supporters], ['Blue Archive', [ada, bob]]);
      assert.equal((await ask(store, ada, 'Blue Archive', 'blue')).supporters, [ada, bob], 'once each');
      assert.is((await ask(store, bob, 'Other', 'other')).id, '2');
    });

    test('they are ranked by the current tiers, then by supporters, then by age', async (context) => {
      const { store, ada, bob, pro } = context;
      await ask(store, ada, 'Old', 'old');
      const popular = await ask(store, bob, 'Popular', 'popular');
      await supportRequest(store, { id: popular.id, account: ada, ...SEEING });
      await ask(store, pro, 'Paid', 'paid');
      const names = async () => (await listRequests(store, NOW)).map(({ request }) => request.name);
      assert.equal(await names(), ['Paid', 'Popular', 'Old']);
      await grantTier(store, 'pro@example.org', { tier: 'pro', pro_until: new Date(NOW).toISOString() });
      assert.equal(await names(), ['Popular', 'Old', 'Paid']);
      await withdrawSupport(store, { id: popular.id, account: ada });
      await withdrawSupport(store, { id: popular.id, account: ada });
      assert.equal(await names(), ['Old', 'Popular', 'Paid']);
    });

    test('a declined or done request refuses new supporters, and says why', async ({ store, ada, bob }) => {
      const { id } = await ask(store, ada, 'Gone', 'gone');
      await decideRequest(store, { id, status: 'declined', note: 'it is shut down', now: NOW + 1 });
      assert.match(
        await refusal(supportRequest(store, { id, account: bob, ...SEEING })),
        /is declined: it is shut down/,
      );
      const accepted = await decideRequest(store, { id, status: 'accepted', now: NOW + 2 });
      assert.equal(
        [accepted.note, accepted.changed_at],
        ['it is shut down', new Date(NOW + 2).toISOString()],
      );
      assert.match(await refusal(decideRequest(store, { id, status: 'done', now: NOW })), /has no game yet/);
      const done = await decideRequest(store, { id, status: 'done', game: 'gone', now: NOW });
      assert.equal([done.status, done.game], ['done', 'gone']);
      assert.match(
        await refusal(supportRequest(store, { id: '9', account: bob, ...SEEING })),
        /request 9 does not exist/,
      );
    });

    test('until an account sees its game, a request that is done looks accepted', async (context) => {
      const { store, ada, bob } = context;
      const { id } = await ask(store, ada, 'Secret', 'secret');
      await decideRequest(store, { id, status: 'done', game: 'secret', now: NOW });
      const seen = new Set(['other']);
      const request = await findRequest(store, id);
      assert.ok(request);
      assert.equal([asSeen(request, seen).status, asSeen(request, seen).game], ['accepted', null]);
      assert.equal(asSeen(request, new Set(['secret'])), request);
      const joined = await supportRequest(store, { id, account: bob, seen, now: NOW });
      assert.equal(joined.supporters, [ada, bob]);
      assert.is((await recordsIn(store, 'game-request-notice:')).length, 2);
      for (let n = 1; n < MAX_SUPPORTED; n++) await ask(store, ada, `Game ${n}`, String(n));
      const more = { account: ada, seen, name: 'More', link: 'https://example.org/more', now: NOW };
      assert.match(await refusal(addRequest(store, more)), /can support at most 20 open requests/);
    });

    test('an account can support only a limited number of open requests', async ({ store, ada }) => {
      for (let n = 0; n < MAX_SUPPORTED; n++) await ask(store, ada, `Game ${n}`, String(n));
      assert.match(
        await refusal(ask(store, ada, 'One more', 'more')),
        /can support at most 20 open requests/,
      );
      assert.is(await findRequest(store, String(MAX_SUPPORTED + 1)), undefined);
      await decideRequest(store, { id: '1', status: 'declined', now: NOW });
      await ask(store, ada, 'One more', 'more');
    });

    test('deleting an account removes its support, but not the request', async ({ store, ada, bob }) => {
      const { id } = await ask(store, ada, 'Blue Archive', 'blue');
      await supportRequest(store, { id, account: bob, ...SEEING });
      const exported = (await exportAccount(store, 'ada@example.org')) as { game_requests: string[] };
      assert.equal(exported.game_requests, [id]);
      await deleteAccount(store, 'ada@example.org');
      assert.equal((await findRequest(store, id))?.supporters, [bob]);
    });

    test('no support is lost when many accounts add requests at once', async ({ store, ada, bob, pro }) => {
      const asked = [ada, bob, pro].flatMap((account) =>
        ['blue', 'other', 'third'].map((page) => ask(store, account, page, page)),
      );
      await Promise.all(asked);
      const listed = await listRequests(store, NOW);
      assert.equal(
        listed.map(({ request }) => [...request.supporters].sort()),
        listed.map(() => [ada, bob, pro].sort()),
      );
      assert.is(listed.length, 3);
    });
  },
);

async function openAccount(
  store: Store,
  tier: 'free' | 'pro',
  email = `${tier}@example.org`,
): Promise<string> {
  await issueKey(store, tier, email);
  return (await accountByEmail(store, email))?.account.id ?? '';
}

async function ask(store: Store, account: string, name: string, page: string) {
  return await addRequest(store, { account, name, link: `https://example.org/${page}`, ...SEEING });
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  assert.instance(error, InputError);
  return (error as InputError).message;
}
