import { contentOf } from '../../../support/store-content.ts';
import * as assert from 'uvu/assert';
import { accountByEmail } from '../../../../gateway/people/accounts/account-records.ts';
import { deleteAccount, exportAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import { onEachDriver } from '../../store/on-each-store.ts';
import { keyOn, type SignupWorld, startSignup, tokenIn } from './world.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

onEachDriver<{ world: SignupWorld }>('links', (test, all, makePlace) => {
  all.before.each(async (context) => {
    context.world ??= await startSignup({ makePlace });
  });
  all.after(({ world }) => world?.stop());

  test('a link shows one key when its button is clicked, and none when it is only followed', async ({
    world,
  }) => {
    const link = await world.askForLink('ann@example.org');
    for (let visit = 0; visit < 3; visit++) {
      const page = await world.get(link);
      assert.equal([page.status, keyOn(page.text)], [200, undefined]);
    }
    assert.is(
      await accountByEmail(world.gateway.store, 'ann@example.org'),
      undefined,
      'nothing is changed yet',
    );

    const { status, text, headers } = await world.post('/signup/key', { token: tokenIn(link) });
    assert.is(status, 200);
    assert.equal([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'no-referrer']);
    const me = await world.gateway.ask('/api/me', { key: keyOn(text) ?? '' });
    assert.equal([me.status, me.json<{ tier: string }>().tier], [200, 'free']);

    for (const page of [await world.get(link), await world.post('/signup/key', { token: tokenIn(link) })]) {
      assert.equal([page.status, keyOn(page.text)], [410, undefined]);
      assert.match(page.text, /Request another link/);
    }
  });

  test('a link is valid for 30 minutes', async ({ world }) => {
    const link = await world.askForLink('ben@example.org');
    world.gateway.clock.now += 30 * MINUTE - 1;
    assert.is((await world.get(link)).status, 200);
    world.gateway.clock.now += 1;
    assert.is((await world.get(link)).status, 410);
    assert.is((await world.post('/signup/key', { token: tokenIn(link) })).status, 410);
  });

  test('only one of many simultaneous clicks gets a key', async ({ world }) => {
    const token = tokenIn(await world.askForLink('cem@example.org'));
    const clicks = Array.from({ length: 20 }, () => world.post('/signup/key', { token }));
    const pages = await Promise.all(clicks);
    assert.equal(pages.map(({ status }) => status).sort(), [200, ...Array(19).fill(410)]);
    assert.is((await accountByEmail(world.gateway.store, 'cem@example.org'))?.keys.length, 1);
  });

  test('another link of an email address gives another key of the same account, also in another spelling', async ({
    world,
  }) => {
    const keys: string[] = [];
    for (const email of ['Ada@Bücher.example', ' ada@xn--bcher-kva.example ']) {
      const page = await world.post('/signup/key', { token: tokenIn(await world.askForLink(email)) });
      keys.push(keyOn(page.text) ?? '');
    }
    const record = await accountByEmail(world.gateway.store, 'ada@xn--bcher-kva.example');
    assert.equal(record?.keys.length, 2);
    for (const key of keys) assert.is((await world.gateway.ask('/api/me', { key })).status, 200);
  });

  test('a sixth key replaces the oldest, which works for another day', async ({ world }) => {
    const { gateway } = world;
    const keys: string[] = [];
    for (let count = 0; count < 6; count++) {
      gateway.clock.now += DAY;
      const link = await world.askForLink('eve@example.org');
      const announcesEnd = (await world.get(link)).text.includes('will stop working in one day');
      assert.is(announcesEnd, count === 5);
      keys.push(keyOn((await world.post('/signup/key', { token: tokenIn(link) })).text) ?? '');
    }
    const statuses = () =>
      Promise.all(keys.map(async (key) => (await gateway.ask('/api/me', { key })).status));
    assert.equal(await statuses(), [200, 200, 200, 200, 200, 200]);
    gateway.clock.now += DAY;
    assert.equal(await statuses(), [401, 200, 200, 200, 200, 200]);
  });

  test('a new key can end all other keys of the account', async ({ world }) => {
    const redeem = async (fields: Record<string, string>) => {
      const token = tokenIn(await world.askForLink('fay@example.org'));
      return keyOn((await world.post('/signup/key', { token, ...fields })).text) ?? '';
    };
    const seen = await redeem({});
    assert.is((await world.gateway.ask('/api/me', { key: seen })).status, 200);
    const fresh = await redeem({ end: 'others' });
    while ((await world.gateway.ask('/api/me', { key: seen })).status !== 401);
    assert.is((await world.gateway.ask('/api/me', { key: fresh })).status, 200);
  });

  test('an export lists unused links, and deletion makes them invalid', async ({ world }) => {
    const { store } = world.gateway;
    const used = tokenIn(await world.askForLink('ida@example.org'));
    await world.post('/signup/key', { token: used });
    const waiting = await world.askForLink('ida@example.org');
    const other = await world.askForLink('jon@example.org');
    const created_at = new Date(world.gateway.clock.now).toISOString();
    const kept = (await exportAccount(store, 'ida@example.org')) as { links: object[] };
    assert.equal(kept.links, [{ purpose: 'signup', created_at }]);
    assert.ok(await deleteAccount(store, 'ida@example.org'));
    assert.is((await world.get(waiting)).status, 410);
    assert.is((await world.get(other)).status, 200);

    assert.equal(await exportAccount(store, 'jon@example.org'), {
      account: null,
      links: [{ purpose: 'signup', created_at }],
      memberships: [],
    });
    assert.is(await deleteAccount(store, 'jon@example.org'), true);
    assert.is((await world.get(other)).status, 410);
    assert.is(await deleteAccount(store, 'jon@example.org'), false);
  });

  test('the store contains neither tokens of links nor the keys that they gave', async ({ world }) => {
    const waiting = tokenIn(await world.askForLink('hal@example.org'));
    const used = tokenIn(await world.askForLink('gus@example.org'));
    const key = keyOn((await world.post('/signup/key', { token: used })).text) ?? '';
    const kept = await contentOf(world.gateway.store);
    assert.ok(kept.includes('hal@example.org'), 'the test reads what the store holds');
    for (const secret of [waiting, used, key]) assert.not.ok(kept.includes(secret));
  });
});
