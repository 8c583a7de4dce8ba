import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tier } from '../../../../gateway/access/account.ts';
import { accountByEmail, grantTier } from '../../../../gateway/people/accounts/account-records.ts';
import {
  changeFollows,
  readSecrets,
  readSubscription,
} from '../../../../gateway/people/alerts/subscription.ts';
import type { RankedRequest } from '../../../../gateway/people/game-requests/game-request.ts';
import {
  decideRequest,
  findRequest,
  listRequests,
} from '../../../../gateway/people/game-requests/requests.ts';
import { checkPageHeaders } from '../../../support/page-headers.ts';
import { keyOn } from '../signup/world.ts';
import { type BrowserPage, hiddenFields } from './browser.ts';
import { type AccountWorld, startAccounts } from './world.ts';

const LINK = 'https://play.google.com/store/apps/details?id=com.example';

const account = suite<{ world: AccountWorld }>('the account page');
account.before(async (context) => {
  context.world = await startAccounts();
});
account.after(({ world }) => world.stop());

/** Returns the text of a page. */
function plain({ text }: BrowserPage): string {
  return text
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

async function idOf({ gateway }: AccountWorld, email: string): Promise<string> {
  return (await accountByEmail(gateway.store, email))?.account.id ?? '';
}

account('shows the email address, the tier and the usage', async ({ world }) => {
  const { browser, key } = await world.signIn('ann@example.org');
  await world.gateway.ask('/api/games', { key });
  const free = plain(await browser.get('/account'));
  assert.match(
    free,
    /ann@example\.org tier Free requests in the last 60 seconds 1 of 10 requests today \(UTC\) 1 of 200 /,
  );
  assert.match(
    free,
    /Pro comes with a membership\. Join on Ko-fi \. .* under another email address, claim it \./,
  );
  const pro_until = '2027-01-31T00:00:00.000Z';
  await grantTier(world.gateway.store, 'ann@example.org', { tier: 'pro', pro_until });
  assert.match(
    plain(await browser.get('/account')),
    /tier until 2027-01-31 00:00 UTC Pro requests No caps.* Membership This account is Pro until 2027-01-31 00:00 UTC/,
  );
});

account('shows a new key once, and revokes a key at once', async ({ world }) => {
  const { browser, page, key } = await world.signIn('ben@example.org');
  const shown = await browser.submit(page, '/account/keys/issue');
  const fresh = keyOn(shown.text) ?? '';
  assert.equal([shown.status, shown.headers.get('cache-control')], [200, 'no-store']);
  assert.is((await world.gateway.ask('/api/me', { key: fresh })).status, 200);
  const list = await browser.get('/account');
  assert.is(keyOn(list.text), undefined);
  for (const each of [key, fresh]) assert.ok(list.text.includes(`<code>${each.slice(0, 12)}…</code>`));
  await browser.submit(list, '/account/keys/revoke', { prefix: key.slice(0, 12) });
  while ((await world.gateway.ask('/api/me', { key })).status !== 401);
  assert.is((await world.gateway.ask('/api/me', { key: fresh })).status, 200);
  const [keys = '', events = ''] = (await browser.get('/account')).text.split('id="events"');
  assert.equal([keys.includes(key.slice(0, 12)), events.includes(key.slice(0, 12))], [false, true]);
});

account('issues at most five keys', async ({ world }) => {
  const { browser, page } = await world.signIn('cem@example.org');
  const asked = Array.from({ length: 6 }, () =>
    browser.post('/account/keys/issue', hiddenFields(page, '/account/leave')),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.equal(statuses.sort(), [200, 200, 200, 200, 400, 400]);
  const full = await browser.get('/account');
  assert.match(plain(full), /An account may have 5 keys\. Revoke one/);
  assert.throws(() => hiddenFields(full, '/account/keys/issue'), /no form/);
});

account('does not revoke keys of another account', async ({ world }) => {
  const { key } = await world.signIn('dan@example.org');
  const { browser, page } = await world.signIn('eve@example.org');
  for (const prefix of [key.slice(0, 12), key, '', 'gdr_aaaaaaaa']) {
    const { status, text } = await browser.submit(page, '/account/keys/revoke', { prefix });
    assert.is(status, 400);
    assert.match(text, /role="alert" id="error">That is not a key of this account\./);
  }
  const record = await accountByEmail(world.gateway.store, 'dan@example.org');
  assert.equal(
    record?.keys.map(({ revoked_at }) => revoked_at),
    [null],
  );
});

account('lists game requests by rank, and adds and withdraws support', async ({ world }) => {
  const { store } = world.gateway;
  const free = await world.signIn('fay@example.org');
  const pro = await world.signIn('gus@example.org', 'pro');
  await free.browser.submit(free.page, '/account/requests/ask', { name: 'First Game', link: LINK });
  const other = `${LINK}2`;
  const listed = await pro.browser.submit(pro.page, '/account/requests/ask', {
    name: 'Pro Game',
    link: other,
  });
  assert.match(
    plain(listed),
    /Pro Game play\.google\.com open 1 Withdraw First Game play\.google\.com open 1 Support/,
  );
  const ranked = await listRequests(store, world.gateway.clock.now);
  const [mine = '', theirs = ''] = ranked.map(({ request }) => request.id);
  const joined = await pro.browser.submit(listed, '/account/requests/support', { id: theirs });
  assert.match(
    plain(joined),
    /First Game play\.google\.com open 2 Withdraw Pro Game play\.google\.com open 1/,
  );
  await pro.browser.submit(joined, '/account/requests/withdraw', { id: mine });
  assert.is(await findRequest(store, mine), undefined, 'it has no supporter left');
  await decideRequest(store, {
    id: theirs,
    status: 'declined',
    note: 'It is <b>gone</b>',
    now: world.gateway.clock.now,
  });
  const declined = await free.browser.get('/account');
  assert.match(declined.text, /declined<br\/>It is &lt;b>gone&lt;\/b><\/td><td>2<\/td><td><\/td>/);
  const late = await free.browser.post('/account/requests/support', {
    ...hiddenFields(declined, '/account/leave'),
    id: 'no-such',
  });
  assert.is(late.status, 400);
});

account('shows a game only when the view of the account has it', async () => {
  const world = await startAccounts();
  const { store, clock } = world.gateway;
  const names = { free: 'wes@example.org', pro: 'zoe@example.org' };
  const people = [await world.signIn(names.free), await world.signIn(names.pro, 'pro')] as const;
  try {
    for (const { browser, page } of people) {
      await browser.submit(page, '/account/requests/ask', { name: 'Wanted', link: LINK });
    }
    const [{ request }] = (await listRequests(store, clock.now)) as [RankedRequest];
    await decideRequest(store, { id: request.id, status: 'done', game: 'unborn', now: clock.now });
    for (const email of Object.values(names))
      await changeFollows(store, await idOf(world, email), { add: ['unborn'], remove: [] });
    const release = Date.parse('2026-08-01T00:00:00Z');
    const moments: [moment: number, free: boolean, pro: boolean][] = [
      [release - 1, false, false],
      [release, false, true],
      [release + 86_399_999, false, true],
      [release + 86_400_000, true, true],
    ];
    for (const [moment, free, pro] of moments) {
      clock.now = moment;
      for (const [tier, isVisible] of Object.entries({ free, pro })) {
        const email = names[tier as 'free' | 'pro'];
        const { page, key } = await world.signIn(email, tier as Tier);
        const shown = `${plain(page)} ${(await world.gateway.ask('/api/me', { key })).text}`;
        assert.is(/unborn/i.test(shown), isVisible, `${tier} ${moment - release}`);
        assert.is(/Wanted .* done/.test(shown), isVisible);
        assert.is(/Wanted .* accepted 2 Withdraw/.test(shown), !isVisible);
      }
    }
  } finally {
    await world.stop();
  }
});

account('accepts support for a request that is done while the account cannot see its game', async () => {
  const world = await startAccounts();
  const { store, clock } = world.gateway;
  try {
    const first = await world.signIn('wes@example.org');
    await first.browser.submit(first.page, '/account/requests/ask', { name: 'Wanted', link: LINK });
    const [{ request }] = (await listRequests(store, clock.now)) as [RankedRequest];
    await decideRequest(store, { id: request.id, status: 'done', game: 'unborn', now: clock.now });
    clock.now = Date.parse('2026-08-01T23:00:00Z');
    const { browser, page } = await world.signIn('yan@example.org');
    assert.match(plain(page), /Wanted .* accepted 1 Support/);
    const joined = await browser.submit(page, '/account/requests/support', { id: request.id });
    assert.match(plain(joined), /Wanted .* accepted 2 Withdraw/);
    const again = { name: 'Wanted', link: `${LINK}&hl=en` };
    assert.is((await browser.submit(joined, '/account/requests/ask', again)).status, 200);
  } finally {
    await world.stop();
  }
});

account('escapes names and links', async ({ world }) => {
  const { browser, page } = await world.signIn('hal@example.org');
  const name = '"><script>alert(1)</script>';
  const link = 'https://example.org/"onmouseover="alert(1)?a=\'<b>';
  const listed = await browser.submit(page, '/account/requests/ask', { name, link });
  assert.is(listed.status, 200);
  assert.match(listed.text, /&quot;>&lt;script>alert/);
  assert.not.match(listed.text, /<script>|"onmouseover|<b>/);
  const refused: [string, string][] = [
    ['Game', 'javascript:alert(1)'],
    ['Game', 'data:text/html,x'],
    ['Game', 'http://example.org/game'],
    ['', LINK],
    ['x'.repeat(101), LINK],
  ];
  for (const [wrongName, wrongLink] of refused) {
    const again = await browser.submit(listed, '/account/requests/ask', { name: wrongName, link: wrongLink });
    assert.is(again.status, 400, wrongLink);
    assert.match(again.text, /role="alert"/);
    assert.ok(again.text.includes(`name="link" value="${wrongLink}"`), 'the typed text is shown again');
    assert.not.match(again.text, /href="(javascript|data|http):/);
  }
});

account('sets the followed games, and ignores games that it does not show', async ({ world }) => {
  const { browser, page } = await world.signIn('ida@example.org', 'pro');
  const id = await idOf(world, 'ida@example.org');
  const { store } = world.gateway;
  assert.match(plain(page), /All games New games Star Rail Tiny Save/);
  assert.not.match(page.text, /Unborn/, 'it is embargoed');
  const path = '/account/alerts/follows';
  const chosen = await browser.submit(page, path, {
    'follow.star-rail': 'on',
    'follow.new_games': 'on',
    'follow.unborn': 'on',
  });
  assert.equal((await readSubscription(store, id)).follows, ['new_games', 'star-rail']);
  assert.match(chosen.text, /name="follow\.star-rail" checked\/>/);
  assert.not.match(chosen.text, /name="follow\.tiny-game" checked\/>/);
  await browser.submit(chosen, path, {});
  assert.equal((await readSubscription(store, id)).follows, []);
});

account('sets the channels of alerts, and shows them', async ({ world }) => {
  const { browser, page } = await world.signIn('jon@example.org', 'pro');
  const id = await idOf(world, 'jon@example.org');
  const { store } = world.gateway;
  const read = () => readSubscription(store, id);
  const on = await browser.submit(page, '/account/alerts/mail', { mail: 'on' });
  assert.is((await read()).mail, true);
  await browser.submit(on, '/account/alerts/mail', { mail: 'off' });
  assert.is((await read()).mail, false);

  const refused = await browser.submit(page, '/account/alerts/webhook', { url: 'http://192.168.0.1/x' });
  assert.is(refused.status, 400);
  assert.match(refused.text, /Webhooks cannot be sent to this address: [^<]+\./);
  assert.match(refused.text, /name="url" value="http:\/\/192\.168\.0\.1\/x"/);
  const url = 'https://jon.example.org/hooks?a=1&b="2"';
  const set = await browser.submit(page, '/account/alerts/webhook', { url });
  const secret = async () => (await readSecrets(store, id))?.current ?? 'none';
  const first = await secret();
  assert.ok(set.text.includes(first));
  await browser.submit(set, '/account/alerts/webhook/change', { change: 'secret' });
  assert.is.not(await secret(), first);
  assert.is((await browser.submit(set, '/account/alerts/webhook/change', { change: 'x' })).status, 400);
  await browser.submit(set, '/account/alerts/webhook/change', { change: 'remove' });
  assert.is((await read()).hooks.webhook, undefined);

  const feed = await browser.submit(page, '/account/alerts/feed');
  assert.match(feed.text, /<code>https:\/\/api\.example\.org\/feeds\/\w+<\/code>/);
  const hasFeed = await browser.get('/account');
  assert.not.match(hasFeed.text, /\/feeds\//);
  await browser.submit(hasFeed, '/account/alerts/feed/remove');
  assert.is((await read()).feed, null);
});

account('sends a limited number of tests', async ({ world }) => {
  const { browser, page } = await world.signIn('kim@example.org', 'pro');
  const nowhere = await browser.submit(page, '/account/alerts/test');
  assert.is(nowhere.status, 400);
  assert.match(nowhere.text, /before you send a test/);
  await browser.submit(page, '/account/alerts/mail', { mail: 'on' });
  const tests = [1, 2, 3, 4].map(() => browser.submit(page, '/account/alerts/test'));
  const statuses = (await Promise.all(tests)).map(({ status }) => status);
  assert.equal(statuses.sort(), [200, 200, 200, 429]);
});

account('keeps what an account follows when Pro ends, and refuses changes', async ({ world }) => {
  const { browser, page } = await world.signIn('lea@example.org', 'pro');
  const id = await idOf(world, 'lea@example.org');
  await browser.submit(page, '/account/alerts/follows', { 'follow.star-rail': 'on' });
  await grantTier(world.gateway.store, 'lea@example.org', { tier: 'free', pro_until: null });
  const lapsed = await browser.get('/account');
  assert.match(plain(lapsed), /kept until then: star-rail\./);
  const own = hiddenFields(page, '/account/leave');
  for (const path of ['follows', 'mail', 'webhook', 'webhook/change', 'feed', 'feed/remove', 'test']) {
    const fields = { ...own, mail: 'on', url: 'https://a.example.org' };
    const { status, text } = await browser.post(`/account/alerts/${path}`, fields);
    assert.is(status, 403, path);
    assert.match(text, /Alerts are for Pro, and this account is free\. Nothing was changed\./);
  }
  const { follows, mail, hooks, feed } = await readSubscription(world.gateway.store, id);
  assert.equal([follows, mail, hooks, feed], [['star-rail'], false, {}, null]);
});

account('is deleted with all its data when its email address is typed', async ({ world }) => {
  const { browser, key } = await world.signIn('mia@example.org', 'pro');
  const page = await browser.get('/account/delete');
  assert.match(page.text, /src="\/assets\/account\./, 'the script that forgets the key of the tab');
  const wrong = await browser.submit(page, '/account/delete', { email: 'other@example.org' });
  assert.is(wrong.status, 400);
  assert.match(wrong.text, /Nothing was deleted/);
  assert.is((await world.gateway.ask('/api/me', { key })).status, 200);
  const { status, text } = await browser.submit(page, '/account/delete', { email: ' Mia@Example.org ' });
  assert.is(status, 200);
  assert.match(text, /All data of the account has been deleted/);
  assert.is(browser.cookies.size, 0);
  assert.is(await accountByEmail(world.gateway.store, 'mia@example.org'), undefined);
  while ((await world.gateway.ask('/api/me', { key })).status !== 401);
  const late = await browser.post('/account/keys/issue', hiddenFields(page, '/account/delete'));
  assert.is(late.status, 403);
  assert.is(
    await accountByEmail(world.gateway.store, 'mia@example.org'),
    undefined,
    'the account is not created again',
  );
});

/** The paths of all forms of the account page. */
const FORMS = [
  'keys/issue',
  'keys/revoke',
  'requests/ask',
  'requests/support',
  'requests/withdraw',
  'alerts/follows',
  'alerts/mail',
  'alerts/webhook',
  'alerts/webhook/change',
  'alerts/feed',
  'alerts/feed/remove',
  'alerts/test',
  'leave',
  'delete',
];
account('accepts only forms that its own pages made for the session', async ({ world }) => {
  const { browser, page, key } = await world.signIn('ned@example.org', 'pro');
  const stranger = await world.signIn('oda@example.org', 'pro');
  const own = hiddenFields(page, '/account/leave').csrf_token ?? '';
  const foreign = hiddenFields(stranger.page, '/account/leave').csrf_token ?? '';
  const fields = {
    email: 'ned@example.org',
    mail: 'on',
    url: 'https://a.example.org',
    name: 'Game',
    link: LINK,
    change: 'remove',
  };
  const attack = { ...fields, prefix: key.slice(0, 12), id: '1', 'follow.star-rail': 'on' };
  const before = await listRequests(world.gateway.store, world.gateway.clock.now);
  for (const form of FORMS) {
    const path = `/account/${form}`;
    for (const csrf_token of ['', foreign, own.toUpperCase(), own.slice(1), `${own}0`]) {
      assert.is((await browser.post(path, { ...attack, csrf_token })).status, 403, `${form} ${csrf_token}`);
    }
    assert.is((await browser.post(path, attack)).status, 403, `${form} without`);
    for (const headers of [{ Origin: 'https://evil.example.net' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      assert.is(
        (await browser.post(path, { ...attack, csrf_token: own }, headers)).status,
        403,
        `${form} from elsewhere`,
      );
    }
    const nobody = await world.open().post(path, { ...attack, csrf_token: own });
    assert.is(nobody.status, 403, `${form} of nobody`);
    assert.match(nobody.text, /no longer signed in/);
  }
  const record = await accountByEmail(world.gateway.store, 'ned@example.org');
  assert.equal(
    record?.keys.map(({ revoked_at }) => revoked_at),
    [null],
  );
  const { follows, mail, hooks, feed } = await readSubscription(
    world.gateway.store,
    record?.account.id ?? '',
  );
  assert.equal([follows, mail, hooks, feed], [[], false, {}, null]);
  assert.equal(await listRequests(world.gateway.store, world.gateway.clock.now), before);
  assert.match((await browser.get('/account')).text, /ned@example\.org/);
});

account(
  'accepts 60 forms of an account in a minute, and then only the one that signs out until the next',
  async ({ world }) => {
    const { browser, page } = await world.signIn('sam@example.org');
    const send = () =>
      browser.post('/account/requests/withdraw', { ...hiddenFields(page, '/account/leave'), id: '1' });
    for (let form = 0; form < 60; form++) assert.is((await send()).status, 303);
    const { status, headers } = await send();
    assert.equal([status, headers.get('retry-after')], [429, '60']);
    world.gateway.clock.now += 60_000;
    assert.is((await send()).status, 303);
    for (let form = 1; form < 60; form++) await send();
    const { status: left } = await browser.post('/account/leave', hiddenFields(page, '/account/leave'));
    assert.is(left, 303);
    assert.not.match((await browser.get('/account')).text, /sam@example\.org/);
  },
);

account('refuses forms that are too large, and bodies that are not forms', async ({ world }) => {
  const { browser, page } = await world.signIn('pia@example.org', 'pro');
  const own = hiddenFields(page, '/account/leave');
  const big = (bytes: number) => ({ ...own, more: 'x'.repeat(bytes) });
  assert.is((await browser.post('/account/keys/issue', big(4096))).status, 413);
  assert.is((await browser.post('/account/alerts/follows', big(65_536))).status, 413);
  assert.is((await browser.post('/account/alerts/follows', big(60_000))).status, 303, 'many games');
  for (const path of ['/account/keys/issue', '/account/leave']) {
    const response = await fetch(world.gateway.address + path, {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    });
    assert.is(response.status, 415);
    assert.is((await browser.get(path)).status, 405);
  }
});

account(
  'sends every page without scripts, with headers that forbid caching and frames',
  async ({ world }) => {
    const { browser, page } = await world.signIn('quy@example.org', 'pro');
    const link = await world.askForLink(browser, 'quy@example.org');
    const pages = [
      page,
      await world.open().get('/account'),
      await browser.get(link),
      await browser.get('/account/delete'),
      await browser.submit(page, '/account/keys/issue'),
      await browser.submit(page, '/account/alerts/feed'),
      await browser.post('/account/leave', hiddenFields(page, '/account/leave')),
    ];
    for (const each of pages) checkPageHeaders(each);
  },
);

account.run();
