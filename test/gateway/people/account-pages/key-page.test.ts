import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readKey } from '../../../../gateway/access/api-key.ts';
import { findKey } from '../../../../gateway/store/accounts/accounts.ts';
import { setKeyOptions } from '../../../../gateway/key-terms/shared/key-changes.ts';
import { addKeyUses } from '../../../../gateway/key-uses/key-uses.ts';
import type { Key } from '../../../../gateway/access/account.ts';
import { transact } from '../../../../gateway/store/transaction.ts';
import { checkPageHeaders } from '../../../support/page-headers.ts';
import { until } from '../../../support/until.ts';
import { keyOn } from '../signup/world.ts';
import { type Browser, type BrowserPage, hiddenFields } from './browser.ts';
import { type AccountWorld, startAccounts } from './world.ts';

const test = suite<{ world: AccountWorld }>('the page of a key');
test.before(async (context) => {
  context.world = await startAccounts();
});
test.after(({ world }) => world.stop());

const DAY_MS = 86_400_000;

async function keyOf({ gateway }: AccountWorld, key: string): Promise<Key | undefined> {
  return (await findKey(gateway.store, readKey(key)?.hash ?? ''))?.key;
}

function openPage(browser: Browser, key: string): Promise<BrowserPage> {
  return browser.get(`/account/key?prefix=${key.slice(0, 12)}`);
}

function alertOn({ text }: BrowserPage): string | undefined {
  return /role="alert" id="error">([^<]*)</.exec(text)?.[1];
}

test('sets and removes the name, the expiry and the networks of a key', async ({ world }) => {
  const { browser, page, key } = await world.signIn('ann@example.org');
  assert.ok(page.text.includes(`href="/account/key?prefix=${key.slice(0, 12)}"`));
  const shown = await openPage(browser, key);
  checkPageHeaders(shown);
  const options = {
    key_name: ' <b>bot</b> ',
    key_expires: '2026-07-01',
    key_networks: '203.0.113.7\r\n2001:db8::1/48',
  };
  const saved = await browser.submit(shown, '/account/keys/set', options);
  assert.is(saved.status, 200);
  const expires_at = '2026-07-01T00:00:00.000Z';
  const expected = { name: '<b>bot</b>', expires_at, networks: ['203.0.113.7', '2001:db8::/48'] };
  const { name, expires_at: end, networks } = (await keyOf(world, key)) as Key;
  assert.equal({ name, expires_at: end, networks }, expected);
  assert.match(saved.text, /<h1>Your key: &lt;b>bot/);
  assert.match(saved.text, /value="2026-07-01"/);
  assert.match(saved.text, /rows="4">203\.0\.113\.7\n2001:db8::\/48<\/textarea>/);
  const account = (await browser.get('/account')).text;
  assert.match(account, /<br\/>&lt;b>bot&lt;\/b><\/td><td>/);
  assert.match(account, /<br\/>expires <time[^>]*>2026-07-01 00:00 UTC/);
  const none = { key_name: '', key_expires: '', key_networks: '' };
  await browser.submit(saved, '/account/keys/set', none);
  const cleared = (await keyOf(world, key)) as Key;
  assert.equal(Object.keys(cleared), ['prefix', 'hash', 'account', 'created_at', 'revoked_at']);
  assert.is(cleared.revoked_at, null);
});

test('shows what was wrong with the form and what was typed, and changes nothing', async ({ world }) => {
  const { browser, key } = await world.signIn('ben@example.org');
  const shown = await openPage(browser, key);
  const good = { key_name: 'bot', key_expires: '', key_networks: '' };
  const wrong: [Record<string, string>, RegExp][] = [
    [{ key_name: 'x'.repeat(61) }, /^The name of a key has at most 60 characters/],
    [{ key_expires: '2026-06-01' }, /^The key must end on a day after today/],
    [{ key_expires: '2026-02-30' }, /^The key must end on a day after today/],
    [{ key_expires: 'soon' }, /^The key must end on a day after today/],
    [{ key_networks: 'typed-nonsense' }, /typed-nonsense.* is not an IP address or a CIDR range/],
    [{ key_networks: Array.from({ length: 33 }, (_, n) => `10.0.0.${n}`).join(' ') }, /33 entries/],
  ];
  for (const [fields, message] of wrong) {
    const refused = await browser.submit(shown, '/account/keys/set', { ...good, ...fields });
    assert.is(refused.status, 400);
    assert.match(alertOn(refused) ?? '', message);
    for (const typed of Object.values(fields)) assert.ok(refused.text.includes(typed));
  }
  assert.is((await keyOf(world, key))?.name, undefined);
});

test('a day that is not changed keeps the time of the expiry', async ({ world }) => {
  const { browser, key } = await world.signIn('cem@example.org');
  const { clock, store } = world.gateway;
  const expires = clock.now + 2 * DAY_MS;
  const change = { by: 'operator', now: clock.now } as const;
  await transact(store, (transaction) => setKeyOptions(transaction, key.slice(0, 12), { expires }, change));
  const shown = await openPage(browser, key);
  const typed = { key_name: 'bot', key_expires: '2026-06-03', key_networks: '' };
  await browser.submit(shown, '/account/keys/set', typed);
  const { name, expires_at } = (await keyOf(world, key)) as Key;
  assert.equal([name, expires_at], ['bot', new Date(expires).toISOString()]);
});

test('replaces a key: both work until the old one ends', async ({ world }) => {
  const { clock } = world.gateway;
  const { browser, key } = await world.signIn('dan@example.org');
  const named = await browser.submit(await openPage(browser, key), '/account/keys/set', { key_name: 'bot' });
  const shown = await browser.submit(named, '/account/keys/rotate', { keep: '1h' });
  const fresh = keyOn(shown.text) ?? '';
  assert.equal([shown.status, shown.headers.get('cache-control')], [200, 'no-store']);
  assert.match(shown.text, new RegExp(`It replaces <code>${key.slice(0, 12)}…</code>, which works until`));
  assert.is((await keyOf(world, fresh))?.name, 'bot');
  const statusOf = async (each: string) => (await world.gateway.ask('/api/me', { key: each })).status;
  assert.equal([await statusOf(key), await statusOf(fresh)], [200, 200]);
  assert.match((await browser.get('/account')).text, /<br\/>replaced, ends <time[^>]*>2026-06-01 13:00 UTC/);
  clock.now += 3_600_000;
  assert.equal([await statusOf(key), await statusOf(fresh)], [401, 200]);
  clock.now -= 3_600_000;
});

test('at most five replaced keys work at a time', async ({ world }) => {
  const { browser, page, key } = await world.signIn('eve@example.org');
  let last = key;
  for (let n = 0; n < 5; n++) {
    const shown = await browser.submit(await openPage(browser, last), '/account/keys/rotate', { keep: '7d' });
    last = keyOn(shown.text) ?? '';
  }
  const full = await openPage(browser, last);
  const refused = await browser.submit(full, '/account/keys/rotate', { keep: '7d' });
  assert.equal(
    [refused.status, alertOn(refused)],
    [400, '5 replaced keys of the account still work: revoke one of them first.'],
  );
  await browser.submit(page, '/account/keys/revoke', { prefix: key.slice(0, 12) });
  assert.is((await browser.submit(full, '/account/keys/rotate', { keep: '0s' })).status, 200);
  const wrong = await browser.submit(full, '/account/keys/rotate', { keep: '9y' });
  assert.equal([wrong.status, wrong.text.includes('No such key')], [404, true]);
});

test('keys of another account are neither shown nor changed', async ({ world }) => {
  const { key } = await world.signIn('fay@example.org');
  const { browser, key: own } = await world.signIn('gus@example.org');
  const shown = await openPage(browser, own);
  for (const prefix of [key.slice(0, 12), key, '', 'gdr_aaaaaaaa', '"><script>']) {
    const foreign = await browser.get(`/account/key?${new URLSearchParams({ prefix })}`);
    assert.equal([foreign.status, foreign.text.includes('<script>')], [404, false]);
    for (const [action, fields] of [
      ['/account/keys/set', { key_name: 'mine' }],
      ['/account/keys/rotate', { keep: '0s' }],
    ] as const) {
      const { status } = await browser.submit(shown, action, { ...fields, prefix });
      assert.is(status, 404, `${action} ${prefix}`);
    }
  }
  const { name, revoked_at } = (await keyOf(world, key)) as Key;
  assert.equal([name, revoked_at], [undefined, null]);
  assert.match((await world.open().get(`/account/key?prefix=${own.slice(0, 12)}`)).text, /Send the link/);
});

test('makes a browser key, changes its origins and caps, and refuses what is wrong', async ({ world }) => {
  const { browser, page } = await world.signIn('ida@example.org');
  const form = { browser_name: 'site', browser_origins: 'https://example.org/', browser_day: '150' };
  const wrong: [Record<string, string>, RegExp][] = [
    [{ browser_origins: '' }, /^The list of origins is empty/],
    [{ browser_origins: 'https://a.example/x' }, /is not an origin/],
    [{ browser_minute: '601' }, /is not a cap, expected 1 to 600 requests in any 60 seconds/],
    [{ browser_expires: '2027-07-01' }, /^A browser key has to end.* within 366 days/],
  ];
  for (const [fields, message] of wrong) {
    const refused = await browser.submit(page, '/account/keys/issue-browser', { ...form, ...fields });
    assert.match(`${refused.status} ${alertOn(refused)}`.replace(/^400 /, ''), message);
    assert.ok(refused.text.includes('name="browser_name" value="site"'), 'what was typed is kept');
  }
  const made = keyOn((await browser.submit(page, '/account/keys/issue-browser', form)).text) ?? '';
  const { name, expires_at, browser: terms } = (await keyOf(world, made)) as Key;
  assert.equal(
    [name, terms],
    ['site', { origins: ['https://example.org'], limits: { minute: 10, day: 150 } }],
  );
  assert.is(Date.parse(expires_at ?? ''), world.gateway.clock.now + 90 * DAY_MS);
  const account = await browser.get('/account');
  assert.match(account.text, /<br\/>site<br\/>browser key for https:\/\/example\.org<\/td>/);

  const shown = await openPage(browser, made);
  const options = { key_name: 'site', key_expires: '2026-07-01', key_networks: '', browser_minute: '5' };
  const origins = { browser_origins: 'https://a.example https://b.example' };
  await browser.submit(shown, '/account/keys/set', { ...options, ...origins });
  const changed = (await keyOf(world, made)) as Key;
  assert.equal(changed.browser, {
    origins: ['https://a.example', 'https://b.example'],
    limits: { minute: 5, day: 150 },
  });
  assert.is(changed.expires_at, '2026-07-01T00:00:00.000Z');
  const endless = { ...options, ...origins, key_expires: '', key_expires_before: '2026-07-01' };
  const refused = await browser.submit(shown, '/account/keys/set', endless);
  assert.match(alertOn(refused) ?? '', /has to end/);
  await browser.submit(account, '/account/keys/revoke', { prefix: made.slice(0, 12) });
  assert.is(((await keyOf(world, made)) as Key).revoked_at, '2026-06-01T12:00:00.000Z');
});

test('a read-only address is shown once, with what to paste into spreadsheets, and revoked', async ({
  world,
}) => {
  const { browser, page } = await world.signIn('kim@example.org');
  const wrong = await browser.submit(page, '/account/links/make', { link_target: 'Not a game' });
  assert.equal([wrong.status, /is neither a game nor a query/.test(alertOn(wrong) ?? '')], [400, true]);
  assert.ok(wrong.text.includes('value="Not a game"'));
  for (const [target, expected] of [
    ['genshin', 'here is no game'],
    ['/api/star-rial/characters.csv', 'did you mean'],
    ['/api/star-rail/bannrs.csv', 'tar-rail has no dataset'],
    ['/api/star-rail/characters.csv?elment=Pyro', 'did you mean'],
  ] as const) {
    const refused = await browser.submit(page, '/account/links/make', { link_target: target });
    assert.is(refused.status, 400, target);
    assert.match(alertOn(refused) ?? '', expected);
  }
  const link_target = '/api/star-rail/characters.csv?element=Pyro&limit=2';
  const shown = await browser.submit(page, '/account/links/make', { link_target, link_name: 'team <b>' });
  const [address = ''] = /https:\/\/api\.example\.org\/t\/gdt_[^<"&]*/.exec(shown.text) ?? [];
  const [, token = ''] = /(gdt_[a-z2-7]{32})/.exec(address) ?? [];
  assert.ok(shown.text.includes(`=IMPORTDATA(&quot;${address}&amp;limit=2&quot;)`), shown.text);
  assert.ok(shown.text.includes(`Web.Contents(&quot;${address}&amp;limit=2&quot;)`));
  assert.is(shown.headers.get('cache-control'), 'no-store');
  const path = `/t/${token}/star-rail/characters.csv?element=Pyro&limit=2`;
  assert.is((await world.gateway.ask(path, { key: null })).status, 200);
  const account = await browser.get('/account');
  assert.ok(!account.text.includes(token) && account.text.includes(`${token.slice(0, 12)}…`));
  assert.match(
    account.text,
    /<br\/>team &lt;b><\/td><td>star-rail\/characters\.csv\?element=Pyro&amp;limit=2<\/td>/,
  );
  const { browser: other, page: theirs } = await world.signIn('lea@example.org');
  const prefix = token.slice(0, 12);
  const foreign = { ...hiddenFields(theirs, '/account/links/make'), prefix };
  assert.is((await other.post('/account/links/revoke', foreign)).status, 400);
  await browser.submit(account, '/account/links/revoke', { prefix });
  await until(async () => (await world.gateway.ask(path, { key: null })).status === 403);
});

test('an ordinary key cannot become a browser key', async ({ world }) => {
  const { browser, key } = await world.signIn('jim@example.org');
  const fields = { key_name: 'x', browser_origins: 'https://example.org' };
  await browser.submit(await openPage(browser, key), '/account/keys/set', fields);
  assert.is((await keyOf(world, key))?.browser, undefined);
});

test('shows the last use of a key, and its requests of each day', async ({ world }) => {
  const { browser, key } = await world.signIn('hal@example.org');
  assert.match((await openPage(browser, key)).text, /was not used yet/);
  const usage = { hash: readKey(key)?.hash ?? '', network: '2001:db8:0:0::/64' };
  const { store, clock } = world.gateway;
  await addKeyUses(store, [
    { ...usage, at: clock.now - DAY_MS, count: 17 },
    { ...usage, at: clock.now + 60_000, count: 4 },
  ]);
  const { text } = await openPage(browser, key);
  assert.match(
    text,
    /Last used in the hour from <time[^>]*>2026-06-01 12:00 UTC<\/time>, from the network <code>2001:db8:0:0::\/64/,
  );
  assert.match(text, /<tr><td>2026-06-01<\/td><td>4<\/td><\/tr><tr><td>2026-05-31<\/td><td>17<\/td><\/tr>/);
  const account = (await browser.get('/account')).text;
  assert.match(
    account,
    /<td><time[^>]*>2026-06-01 12:00 UTC<\/time><br\/>2001:db8:0:0::\/64<\/td><td>4<\/td>/,
  );
  assert.match(
    account,
    /<svg class="chart" role="img" aria-label="21 requests in 30 days, at most 17 in a day"/,
  );
  const heights = [...account.matchAll(/<rect class="chart-bar"[^>]*height="(\d+)"/g)].map(
    ([, height]) => height,
  );
  assert.equal(heights, ['24', '6'], 'the days with requests, the oldest first');
});

test.run();
