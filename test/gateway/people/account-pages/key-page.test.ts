import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Key } from '../../../../gateway/access/account.ts';
import { readKey } from '../../../../gateway/access/api-key.ts';
import { findKey } from '../../../../gateway/store/keys.ts';
import { until } from '../../../support/until.ts';
import { keyOn } from '../signup/world.ts';
import { type Browser, type BrowserPage, hiddenFields } from './browser.ts';
import { type AccountWorld, startAccounts } from './world.ts';

const test = suite<{ world: AccountWorld }>('the page of a key');
test.before(async (context) => {
  context.world = await startAccounts();
});
test.after(({ world }) => world.stop());

async function keyOf({ gateway }: AccountWorld, key: string): Promise<Key | undefined> {
  return (await findKey(gateway.store, readKey(key)?.hash ?? ''))?.key;
}

function openPage(browser: Browser, key: string): Promise<BrowserPage> {
  return browser.get(`/account/key?prefix=${key.slice(0, 12)}`);
}

function alertOn({ text }: BrowserPage): string | undefined {
  return /role="alert" id="error">([^<]*)</.exec(text)?.[1];
}

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

test.run();
