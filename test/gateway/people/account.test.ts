import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readKey } from '../../../gateway/access/api-key.ts';
import { readSubscription } from '../../../gateway/people/alerts/channels.ts';
import { decideRequest, listRequests } from '../../../gateway/people/requests.ts';
import { readLog } from '../../../gateway/store/audit.ts';
import { findKey, listKeys } from '../../../gateway/store/keys.ts';
import { accountByEmail, grantTier, idOf } from '../../support/accounts.ts';
import { sendPlainly } from '../../support/plain-request.ts';
import { until } from '../../support/until.ts';
import { checkPageHeaders } from '../site/page-headers.ts';
import { secretOf } from './alerts/world.ts';
import { alertOn, hiddenFields, keyOn, plain } from './browser.ts';
import { PUBLIC_URL, startWorld, type World } from './world.ts';

const LINK = 'https://play.google.com/store/apps/details?id=com.example';
const HOOK = 'https://hooks.example.org/in?token=hidden';
const HOUR = 3_600_000;

const account = suite<{ world: World }>('the account page');
account.before(async (context) => {
  context.world = await startWorld();
});
account.after(({ world }) => world.stop());

const statusOf = async ({ gateway }: World, key: string) => (await gateway.ask('/api/me', { key })).status;

account(
  'shows the email address on each of its tabs, and the tier and the usage after the keys',
  async ({ world }) => {
    const { browser, key } = await world.signIn('ann@example.org');
    await world.gateway.ask('/api/games', { key });
    const free = /Tier Free Requests in the last 60 seconds 1 of 10 Requests today \(UTC\) 1 of 200 /;
    for (const tab of ['', '/addresses', '/alerts', '/requests', '/security']) {
      const page = await browser.get(`/account${tab}`);
      assert.match(plain(page), 'ann@example.org');
      assert.is(free.test(plain(page)), tab === '');
      assert.match(page.text, `<a href="/account${tab}" aria-current="page">`);
      checkPageHeaders(page);
    }
    const joining =
      /Pro comes with a membership\. Join on Ko-fi \. .* under another email address, claim it \./;
    assert.match(plain(await browser.get('/account')), joining);
    const pro_until = '2027-01-31T00:00:00.000Z';
    await grantTier(world.gateway.store, 'ann@example.org', { tier: 'pro', pro_until });
    assert.match(
      plain(await browser.get('/account')),
      /Tier until 2027-01-31 00:00 UTC Pro Requests No limits This account is Pro until 2027-01-31 00:00 UTC/,
    );
  },
);

account('shows a new key once, and revokes a key at once', async ({ world }) => {
  const { browser, key } = await world.signIn('ben@example.org');
  const shown = await browser.submit('/account/keys/issue');
  const fresh = keyOn(shown) ?? '';
  assert.equal([shown.status, shown.headers.get('cache-control')], [200, 'no-store']);
  assert.is(await statusOf(world, fresh), 200);
  const list = await browser.get('/account');
  assert.is(keyOn(list), undefined);
  for (const each of [key, fresh]) assert.ok(list.text.includes(`<code>${each.slice(0, 12)}…</code>`));
  const left = await browser.submit('/account/keys/revoke', { prefix: key.slice(0, 12) });
  await until(async () => (await statusOf(world, key)) === 401);
  assert.is(await statusOf(world, fresh), 200);
  assert.not.ok(left.text.includes(key.slice(0, 12)));
  const events = await browser.get('/account/security');
  assert.match(plain(events), new RegExp(`You revoked a key: ${key.slice(0, 12)}`));
});

account('says what is wrong with a name, a day or a field', async ({ world }) => {
  const { browser } = await world.signIn('ivy@example.org');
  for (const [form, fields, expected] of [
    ['keys/issue', { key_name: '👨‍👩‍👧' }, /or has invisible ones/],
    [
      'keys/issue-browser',
      { browser_origins: 'https://a.example', browser_expires: '2026-06-31' },
      /hoose a day/,
    ],
    ['links/revoke', { prefix: 'gdt_\0' }, /expected UTF-8 without NUL/],
  ] as const) {
    const { status, text } = await browser.post(`/account/${form}`, fields);
    assert.equal([status, expected.test(text)], [400, true], form);
  }
});

account('issues at most five keys', async ({ world }) => {
  const { browser } = await world.signIn('cem@example.org');
  const asked = Array.from({ length: 6 }, () => browser.post('/account/keys/issue', {}));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.equal(statuses.sort(), [200, 200, 200, 200, 400, 400]);
  const full = await browser.get('/account');
  assert.match(plain(full), /An account may have 5 keys\. Revoke one/);
  assert.throws(() => hiddenFields(full, '/account/keys/issue'), /no form/);
});

account(
  'replaces a key: both work until the old one ends, and at most five old ones do',
  async ({ world }) => {
    const { browser, key } = await world.signIn('dan@example.org');
    const pageOf = (each: string) => browser.get(`/account/key?prefix=${each.slice(0, 12)}`);
    const set = { key_name: 'bot' };
    const named = await browser.submit('/account/keys/set', set, await pageOf(key));
    assert.match(named.text, /<h1>Your key: bot<\/h1>/);
    const shown = await browser.submit('/account/keys/rotate', {}, named);
    assert.match(shown.text, new RegExp(`It replaces <code>${key.slice(0, 12)}…</code>, which works until`));
    let last = keyOn(shown) ?? '';
    assert.equal([await statusOf(world, key), await statusOf(world, last)], [200, 200]);
    const list = await browser.get('/account');
    assert.match(list.text, /bot.*<br>replaced, ends <time[^>]*>2026-06-02 12:00 UTC/s);
    for (let count = 1; count < 5; count++) {
      const next = await browser.submit('/account/keys/rotate', {}, await pageOf(last));
      last = keyOn(next) ?? '';
    }
    const refused = await browser.submit('/account/keys/rotate', {}, await pageOf(last));
    assert.equal(
      [refused.status, alertOn(refused)],
      [400, '5 replaced keys of the account still work: revoke one of them first.'],
    );
    world.gateway.clock.now += 24 * HOUR;
    assert.equal([await statusOf(world, key), await statusOf(world, last)], [401, 200]);
    world.gateway.clock.now -= 24 * HOUR;
  },
);

account('a key that expires within a day counts as replaced too, and is replaced once', async ({ world }) => {
  const { browser, key } = await world.signIn('eve@example.org');
  const pageOf = (each: string) => browser.get(`/account/key?prefix=${each.slice(0, 12)}`);
  const rotate = async (each: string) => await browser.submit('/account/keys/rotate', {}, await pageOf(each));
  await browser.submit('/account/keys/set', { key_expires: '2026-06-02' }, await pageOf(key));
  let last = keyOn(await rotate(key)) ?? '';
  assert.match(alertOn(await rotate(key)) ?? '', /was replaced already/);
  for (let count = 1; count < 5; count++) last = keyOn(await rotate(last)) ?? '';
  assert.match(alertOn(await rotate(last)) ?? '', /^5 replaced keys of the account still work/);
});

account('neither shows nor changes keys of another account', async ({ world }) => {
  const { key } = await world.signIn('fay@example.org');
  const { browser, key: own } = await world.signIn('gus@example.org');
  const shown = await browser.get(`/account/key?prefix=${own.slice(0, 12)}`);
  for (const prefix of [key.slice(0, 12), key, '', 'gdr_aaaaaaaa', '"><script>']) {
    const foreign = await browser.get(`/account/key?${new URLSearchParams({ prefix })}`);
    assert.equal([foreign.status, foreign.text.includes('<script>')], [404, false]);
    for (const [action, status] of [
      ['set', 404],
      ['rotate', 404],
      ['revoke', 400],
    ] as const) {
      const sent = await browser.submit(`/account/keys/${action}`, { prefix }, shown);
      assert.is(sent.status, status, `${action} ${prefix}`);
    }
  }
  const found = (await findKey(world.gateway.store, readKey(key)?.hash ?? ''))?.key;
  assert.equal([found?.name, found?.revoked_at], [undefined, null]);
});

account('makes browser keys, and never turns an ordinary key into one', async ({ world }) => {
  const { browser, key } = await world.signIn('hal@example.org');
  const typed = { browser_origins: 'https://example.org', browser_minute: '5', browser_name: 'site' };
  const made = keyOn(await browser.submit('/account/keys/issue-browser', typed)) ?? '';
  const { browser: terms } = (await findKey(world.gateway.store, readKey(made)?.hash ?? ''))?.key ?? {};
  assert.equal(terms, { origins: ['https://example.org'], limits: { minute: 5, day: 100 } });
  const wrong = await browser.submit('/account/keys/issue-browser', { browser_origins: 'example.org/<b>' });
  assert.is(wrong.status, 400);
  assert.match(wrong.text, /<details open>.*example\.org\/&lt;b&gt;<\/textarea>/s);
  const page = await browser.get(`/account/key?prefix=${key.slice(0, 12)}`);
  await browser.submit('/account/keys/set', typed, page);
  assert.is((await findKey(world.gateway.store, readKey(key)?.hash ?? ''))?.key.browser, undefined);
});

account(
  'shows a read-only address once, with what to paste into spreadsheets, and revokes it',
  async ({ world }) => {
    const { browser } = await world.signIn('kim@example.org');
    const make = (link_target: string, link_name = '') =>
      browser.submit('/account/links/make', { link_target, link_name });
    for (const [target, expected] of [
      ['Not a game', 'is neither a game nor a query'],
      ['genshin', 'here is no game'],
      ['/api/star-rial/characters.csv', 'did you mean'],
      ['/api/star-rail/bannrs.csv', 'tar-rail has no dataset'],
      [`gdr_${'a'.repeat(32)}`, 'gdr_aaaaaaaa…&quot; is neither'],
      ['/api/star-rail/characters.csv?elment=Pyro', 'did you mean'],
    ] as const) {
      const refused = await make(target);
      assert.is(refused.status, 400, target);
      assert.match(alertOn(refused) ?? '', expected);
      assert.ok(refused.text.includes(`value="${target}"`), 'the typed text is shown again');
    }
    const shown = await make('/api/star-rail/characters.csv?element=Pyro&limit=2', 'team <b>');
    const [address = ''] = /https:\/\/api\.example\.org\/t\/gdt_[^<"&]*/.exec(shown.text) ?? [];
    const [, token = ''] = /(gdt_[a-z2-7]{32})/.exec(address) ?? [];
    assert.ok(shown.text.includes(`=IMPORTDATA(&quot;${address}&amp;limit=2&quot;)`), shown.text);
    assert.ok(shown.text.includes(`Web.Contents(&quot;${address}&amp;limit=2&quot;)`));
    assert.is(shown.headers.get('cache-control'), 'no-store');
    const path = `/t/${token}/star-rail/characters.csv?element=Pyro&limit=2`;
    assert.is((await world.gateway.ask(path, { key: null })).status, 200);
    const list = await browser.get('/account/addresses');
    assert.not.ok(list.text.includes(token));
    assert.match(
      list.text,
      /<br>team &lt;b&gt;<\/td>\s*<td>star-rail\/characters\.csv\?element=Pyro&amp;limit=2<\/td>/,
    );
    const { browser: other } = await world.signIn('lea@example.org');
    const prefix = token.slice(0, 12);
    assert.is((await other.post('/account/links/revoke', { prefix })).status, 400);
    await browser.submit('/account/links/revoke', { prefix });
    await until(async () => (await world.gateway.ask(path, { key: null })).status === 403);
  },
);

account('lists game requests by rank, and adds and withdraws support', async ({ world }) => {
  const { store } = world.gateway;
  const { browser: free } = await world.signIn('moe@example.org');
  const { browser: pro } = await world.signIn('nia@example.org', 'pro');
  await free.submit('/account/requests/ask', { name: 'First Game', link: LINK });
  const listed = await pro.submit('/account/requests/ask', { name: 'Pro Game', link: `${LINK}2` });
  const both = /Pro Game play\.google\.com open 1 Withdraw First Game play\.google\.com open 1 Support/;
  assert.match(plain(listed), both);
  const [mine = '', theirs = ''] = (await listRequests(store)).map(({ id }) => id);
  const joined = await pro.submit('/account/requests/support', { id: theirs });
  assert.match(
    plain(joined),
    /First Game play\.google\.com open 2 Withdraw Pro Game play\.google\.com open 1/,
  );
  await pro.submit('/account/requests/withdraw', { id: mine });
  assert.equal(
    (await listRequests(store)).map(({ id }) => id),
    [theirs],
    'one has no supporter left',
  );
  await decideRequest(store, theirs, { status: 'declined', note: 'It is <b>gone</b>' });
  const declined = await free.get('/account/requests');
  assert.match(declined.text, /declined<br>It is &lt;b&gt;gone&lt;\/b&gt;<\/td>\s*<td>2<\/td>\s*<td><\/td>/);
  assert.is((await free.post('/account/requests/support', { id: 'no-such' })).status, 400);
});

account('escapes names and links of requests, and refuses links to no public page', async ({ world }) => {
  const { browser } = await world.signIn('ole@example.org');
  const name = '"><script>alert(1)</script>';
  const link = 'https://example.org/"onmouseover="alert(1)?a=\'<b>';
  const listed = await browser.submit('/account/requests/ask', { name, link });
  assert.is(listed.status, 200);
  assert.match(listed.text, /&quot;&gt;&lt;script&gt;alert/);
  assert.not.match(listed.text, /<script>|"onmouseover|<b>/);
  for (const [wrongName, wrongLink] of [
    ['Game', 'javascript:alert(1)'],
    ['Game', 'data:text/html,x'],
    ['Game', 'http://example.org/game'],
    ['', LINK],
    ['x'.repeat(101), LINK],
  ] as const) {
    const again = await browser.submit('/account/requests/ask', { name: wrongName, link: wrongLink });
    assert.is(again.status, 400, wrongLink);
    assert.ok(again.text.includes(`name="link" value="${wrongLink}"`), 'the typed text is shown again');
    assert.not.match(again.text, /href="(javascript|data|http):/);
  }
});

account('sets the followed games, and ignores games that it does not show', async ({ world }) => {
  const { browser } = await world.signIn('ida@example.org', 'pro');
  const id = await idOf(world.gateway.store, 'ida@example.org');
  const page = await browser.get('/account/alerts');
  assert.match(plain(page), /All games New games Star Rail Tiny Save/);
  const path = '/account/alerts/follows';
  const follow = { 'follow.star-rail': 'on', 'follow.new_games': 'on', 'follow.unborn': 'on' };
  const chosen = await browser.submit(path, follow);
  const read = async () => (await readSubscription(world.gateway.store, id)).follows;
  assert.equal(await read(), ['new_games', 'star-rail']);
  assert.match(chosen.text, /name="follow\.star-rail" checked>/);
  assert.not.match(chosen.text, /name="follow\.tiny-game" checked>/);
  await browser.submit(path, {});
  assert.equal(await read(), []);
});

account('sets the channels of alerts, each tested and removed by itself', async ({ world }) => {
  const { store } = world.gateway;
  const { browser } = await world.signIn('jon@example.org', 'pro');
  const id = await idOf(store, 'jon@example.org');
  const read = () => readSubscription(store, id);
  await browser.submit('/account/alerts/channel', { channel: 'mail' });
  assert.is((await read()).channels.mail?.kind, 'mail');
  await browser.submit('/account/alerts/channel/remove', { channel: 'mail' });
  assert.is((await read()).channels.mail, undefined);

  const set = (channel: string, url: string) => browser.submit('/account/alerts/channel', { channel, url });
  const refused = await set('webhook', 'ftp://192.168.0.1/x');
  assert.is(refused.status, 400);
  assert.match(alertOn(refused) ?? '', /^Webhooks cannot be sent to this address: [^<]+\./);
  assert.match(refused.text, /id="webhook-url" name="url" value="ftp:\/\/192\.168\.0\.1\/x"/);
  await set('webhook', HOOK);
  await set('discord', 'https://discord.com/api/webhooks/123/aZ09-token');
  const wrong = await set('slack', HOOK);
  assert.match(alertOn(wrong) ?? '', /not that of a webhook of Slack; expected https:\/\/hooks\.slack\.com/);
  const all = await set('slack', 'https://hooks.slack.com/services/T0AB/B0CD/aZ09token');
  assert.match(
    plain(all),
    /In Discord Each event is posted to https:\/\/discord\.com\/api\/webhooks\/123\/…/,
  );
  assert.match(plain(all), /In Slack Each event is posted to https:\/\/hooks\.slack\.com\/services\/T0AB/);
  assert.not.match(all.text, /aZ09/);

  const test = (channel?: string) => browser.submit('/account/alerts/test', channel ? { channel } : {});
  assert.equal([(await test('slack')).status, (await test()).status], [200, 200]);
  const off = await test('mail');
  assert.equal([off.status, /is off; set its address/.test(alertOn(off) ?? '')], [400, true]);
  const rows = await store.all<{ channel: string }>(
    'SELECT channel FROM deliveries WHERE account = $1 ORDER BY channel',
    [id],
  );
  assert.equal(
    rows.map(({ channel }) => channel),
    ['discord', 'slack', 'slack', 'webhook'],
  );
  assert.is((await test('slack')).status, 200);
  const fourth = await test('slack');
  assert.equal([fourth.status, fourth.headers.get('retry-after')], [429, '60'], 'three in a minute');
  const remove = async (channel: string) =>
    (await browser.post('/account/alerts/channel/remove', { channel })).status;
  assert.equal([await remove('nothing'), await remove('discord')], [400, 303]);
  assert.equal(Object.keys((await read()).channels).sort(), ['slack', 'webhook']);

  const feed = await browser.submit('/account/alerts/channel', { channel: 'feed' });
  assert.match(feed.text, /<code>https:\/\/api\.example\.org\/feeds\/\w+<\/code>/);
  const [path = ''] = /\/feeds\/\w+/.exec(feed.text) ?? [];
  const reads = [];
  for (let read = 0; read < 61; read++) reads.push((await world.get(path)).status);
  assert.equal(reads, [...Array(60).fill(200), 429]);
  assert.not.match((await browser.get('/account/alerts')).text, /\/feeds\//);
  await browser.submit('/account/alerts/channel/remove', { channel: 'feed' });
  assert.is((await read()).channels.feed, undefined);
});

account('shows the secret of a webhook, and deliveries', async ({ world }) => {
  const { store } = world.gateway;
  const { browser } = await world.signIn('pam@example.org', 'pro');
  const id = await idOf(store, 'pam@example.org');
  const page = await browser.submit('/account/alerts/channel', { channel: 'webhook', url: HOOK });
  assert.is(/<code>(whsec_[^<]+)<\/code>/.exec(page.text)?.[1], await secretOf(store, id));
  const events = await readLog(store, id);
  assert.equal([events[0]?.event, events[0]?.about], ['webhook.set', 'hooks.example.org']);
  assert.not.match(JSON.stringify(events), /hidden|whsec/);
  await browser.submit('/account/alerts/test');
  await store.run(
    `UPDATE deliveries SET tried_at = $1, attempts = 2, error = '<i>500</i>', due_at = $1
     WHERE account = $2`,
    [store.now(), id],
  );
  const shown = (await browser.get('/account/alerts')).text;
  assert.match(shown, /alerts\.test test test/);
  assert.match(shown, /failed \(attempt 2\): &lt;i&gt;500&lt;\/i&gt;; next attempt <time/);
});

account('keeps what an account follows when Pro ends, and refuses changes', async ({ world }) => {
  const { store } = world.gateway;
  const { browser } = await world.signIn('liv@example.org', 'pro');
  await browser.submit('/account/alerts/follows', { 'follow.star-rail': 'on' });
  await grantTier(store, 'liv@example.org', { tier: 'free', pro_until: null });
  assert.match(plain(await browser.get('/account/alerts')), /kept until then: star-rail\./);
  for (const path of ['follows', 'channel', 'channel/remove', 'test']) {
    const fields = { mail: 'on', url: 'https://a.example.org' };
    const { status, text } = await browser.post(`/account/alerts/${path}`, fields);
    assert.is(status, 403, path);
    assert.match(text, /Alerts are for Pro, and this account is free\. Nothing was changed\./);
  }
  const id = await idOf(store, 'liv@example.org');
  assert.equal(await readSubscription(store, id), { follows: ['star-rail'], channels: {} });
});

account('lists sessions with their begin, network and browser, and ends them', async ({ world }) => {
  const { clock, store } = world.gateway;
  const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const CHROME = 'Mozilla/5.0 (Linux; Android 10; K) Chrome/140.0.0.0 Mobile Safari/537.36 <script>';
  await world.signIn('roy@example.org');
  clock.now = Math.ceil(clock.now / HOUR) * HOUR + 50 * 60_000;
  const home = world.open('192.0.2.1', FIREFOX);
  const away = world.open('2001:db8:1:2:3::4', CHROME);
  await world.enter(home, 'roy@example.org');
  clock.now += 60_000;
  await world.enter(away, 'roy@example.org');
  clock.now += 20 * 60_000;
  const page = await home.get('/account/security');
  const at = (minutes: number) =>
    `${new Date(clock.now - minutes * 60_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  assert.ok(plain(page).includes(`${at(20)} 2001:db8:1:2::/64 Chrome on Android End`), plain(page));
  assert.ok(plain(page).includes(`${at(21)} 192.0.2.1 Firefox on Windows this one`));
  assert.not.match(page.text, /<script>/);
  const [, id = ''] = /name="id" value="([0-9a-f]{16})"/.exec(page.text) ?? [];
  const { browser: stranger } = await world.signIn('sue@example.org');
  assert.is((await stranger.submit('/account/sessions/end', { id })).status, 400);
  await home.submit('/account/sessions/end', { id });
  assert.match((await away.get('/account')).text, /Send the link/);
  for (const wrong of [id, '', 'x', '0123456789abcdef'])
    assert.match(
      alertOn(await home.submit('/account/sessions/end', { id: wrong })) ?? '',
      /has ended already/,
    );
  const events = (await readLog(store, await idOf(store, 'roy@example.org'))).map(({ event }) => event);
  const begun = 'session.begun-elsewhere';
  assert.equal(events.slice(0, 4), ['session.ended', begun, begun, begun]);
  await world.enter(away, 'roy@example.org');
  assert.is(
    (await readLog(store, await idOf(store, 'roy@example.org')))[0]?.event,
    'session.begun',
    'it is known',
  );
  assert.match((await home.submit('/account/sessions/end', { id: 'all' })).text, /Send the link/);
  assert.match((await away.get('/account')).text, /Send the link/);
  assert.match((await stranger.get('/account')).text, /Sign out/);
});

account(
  'gives a session a browser key, which ends with it and counts as none of the keys',
  async ({ world }) => {
    const { store, clock, address } = world.gateway;
    const { browser } = await world.signIn('uma@example.org');
    const read = async () =>
      JSON.parse((await browser.get('/account/browser-key')).text) as { key: string; expires_at: string };
    const { key, expires_at } = await read();
    assert.equal(await read(), { key, expires_at }, 'it is the same for every page');
    assert.is(Date.parse(expires_at), clock.now + HOUR);
    const headers = { Origin: PUBLIC_URL };
    const me = await world.gateway.ask('/api/me', { key, headers });
    const { browser: terms } = me.json<{ key: { browser: object } }>().key;
    assert.equal(terms, { origins: [PUBLIC_URL], limits: null, usage: null });
    const same = { 'Sec-Fetch-Site': 'same-origin', Host: 'api.example.org', 'X-API-Key': key };
    assert.is((await sendPlainly(`${address}/api/me`, { headers: same })).status, 200);
    assert.is(await statusOf(world, key), 403, 'not from elsewhere');
    assert.is((await accountByEmail(store, 'uma@example.org'))?.keys.length, 1);
    assert.not((await listKeys(store)).some((each) => key.startsWith(each.key.prefix)));
    await browser.submit('/account/leave');
    assert.is((await read()).key, null);
    await until(async () => (await world.gateway.ask('/api/me', { key, headers })).status === 401);
    assert.is(await findKey(store, readKey(key)?.hash ?? ''), undefined, 'nothing is left of it');
  },
);

account('is deleted with all its data when its email address is typed, and mails it', async ({ world }) => {
  const { store } = world.gateway;
  const { browser, key } = await world.signIn('mia@example.org', 'pro');
  const page = await browser.get('/account/delete');
  assert.match(page.text, /src="\/assets\/account\./, 'the script that forgets the key of the tab');
  const wrong = await browser.submit('/account/delete', { email: 'other@example.org' });
  assert.equal([wrong.status, alertOn(wrong)?.endsWith('Nothing was deleted.')], [400, true]);
  assert.is(await statusOf(world, key), 200);
  const { status, text } = await browser.submit('/account/delete', { email: ' Mia@Example.org ' });
  assert.is(status, 200);
  assert.match(text, /All data of the account has been deleted/);
  assert.is(browser.cookies.size, 0);
  assert.is(await accountByEmail(store, 'mia@example.org'), undefined);
  await until(async () => (await statusOf(world, key)) === 401);
  const late = await browser.post('/account/keys/issue', {});
  assert.is(late.status, 403);
  assert.is(await accountByEmail(store, 'mia@example.org'), undefined, 'it is not created again');
  const mail = world.smtp.mails.at(-1);
  assert.equal([mail?.to, mail?.subject], [['mia@example.org'], 'Your account was deleted']);
  assert.match(mail?.text ?? '', /from the network\n10\.\d+\.\d+\.1\. All its keys/);
});

/** The paths of all forms of the account page. */
const FORMS =
  `keys/issue keys/issue-browser keys/revoke keys/set keys/rotate links/make links/revoke requests/ask requests/support
  requests/withdraw alerts/follows alerts/channel alerts/channel/remove alerts/test sessions/end claim claim/confirm leave delete`.split(
    /\s+/,
  );
account('accepts forms only from its own pages, with a session', async ({ world }) => {
  const { store } = world.gateway;
  const { browser, key } = await world.signIn('ned@example.org', 'pro');
  const attack = {
    email: 'ned@example.org',
    mail: 'on',
    url: 'https://a.example.org',
    name: 'Game',
    link: LINK,
    id: 'all',
    'follow.star-rail': 'on',
    link_target: 'star-rail',
    prefix: key.slice(0, 12),
  };
  const before = await listRequests(store);
  for (const form of FORMS) {
    const path = `/account/${form}`;
    for (const headers of [{ Origin: 'https://evil.example.net' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const sent = await browser.post(path, attack, headers);
      assert.is(sent.status, 403, `${form} from elsewhere`);
    }
    const nobody = await world.open().post(path, attack);
    assert.equal([nobody.status, /no longer signed in/.test(nobody.text)], [403, true], form);
  }
  const record = await accountByEmail(store, 'ned@example.org');
  assert.equal(
    record?.keys.map(({ revoked_at }) => revoked_at),
    [null],
  );
  const subscription = await readSubscription(store, record?.account.id ?? '');
  assert.equal(subscription, { follows: [], channels: {} });
  assert.equal(await listRequests(store), before);
  assert.match((await browser.get('/account')).text, /ned@example\.org/);
});

account('accepts 60 forms of an account in a minute', async ({ world }) => {
  const { browser } = await world.signIn('sam@example.org');
  const send = () => browser.post('/account/requests/withdraw', { id: '1' });
  for (let form = 0; form < 60; form++) assert.is((await send()).status, 303);
  const { status, headers } = await send();
  assert.equal([status, headers.get('retry-after')], [429, '60']);
  world.gateway.clock.now += 60_000;
  assert.is((await send()).status, 303);
});

account('tells forms that are sent while it is deleted that they changed nothing', async ({ world }) => {
  const { browser } = await world.signIn('zoe@example.org', 'pro');
  const send = () => browser.post('/account/alerts/channel', { channel: 'mail' });
  const deleted = browser.post('/account/delete', { email: 'zoe@example.org' });
  const statuses = (await Promise.all(Array.from({ length: 24 }, send))).map(({ status }) => status);
  assert.equal([(await deleted).status, statuses.filter((status) => status >= 500)], [200, []]);
});

account('refuses forms that are too large, and bodies that are not forms', async ({ world }) => {
  const { browser } = await world.signIn('pia@example.org', 'pro');
  const big = (bytes: number) => ({ more: 'x'.repeat(bytes) });
  assert.is((await browser.post('/account/alerts/follows', big(65_536))).status, 413);
  assert.is((await browser.post('/account/alerts/follows', big(60_000))).status, 303, 'many games');
  for (const path of ['/account/keys/issue', '/account/leave']) {
    const headers = { 'Content-Type': 'application/json' };
    const sent = await fetch(world.gateway.address + path, { method: 'POST', body: '{}', headers });
    assert.is(sent.status, 415);
    assert.is((await browser.get(path)).status, 405);
  }
});

account.run();
