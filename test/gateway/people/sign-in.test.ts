import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_FAILED } from '../../../gateway/access/attempts.ts';
import { erasePerson, exportAccount } from '../../../gateway/people/privacy.ts';
import { readCookie, setCookie } from '../../../gateway/people/sessions.ts';
import { issueKey } from '../../support/harness.ts';
import { startWorld, tokenIn, type World } from './world.ts';

const MINUTE = 60_000;
const COOKIE = '__Host-session';

const test = suite<{ world: World }>('signing in');
test.before(async (context) => {
  context.world = await startWorld();
});
test.after(({ world }) => world.stop());

test('a session is valid for an hour', async ({ world }) => {
  const { clock } = world.gateway;
  await issueKey(world.gateway.store, 'free', 'cem@example.org');
  const browser = world.open();
  const page = await world.enter(browser, 'cem@example.org');
  clock.now += 60 * MINUTE - 1;
  assert.match((await browser.get('/account')).text, /Sign out/);
  clock.now += 1;
  assert.not.match((await browser.get('/account')).text, /Sign out/);
  const refused = await browser.submit('/account/keys/issue', {}, page);
  assert.equal([refused.status, /gdr_/.test(refused.text)], [403, false]);
  assert.match(refused.text, /no longer signed in\. Nothing was changed/);
});

test('signing out also ends the session of a copied cookie', async ({ world }) => {
  const { browser } = await world.signIn('dan@example.org');
  const thief = world.open();
  for (const [cookie, value] of browser.cookies) thief.cookies.set(cookie, value);
  assert.match((await thief.get('/account')).text, /dan@example\.org/);
  assert.match((await browser.submit('/account/leave')).text, /Send the link/);
  assert.is(browser.cookies.size, 0);
  assert.not.match((await thief.get('/account')).text, /dan@example\.org/);
});

test('signing in again ends the previous session', async ({ world }) => {
  const { browser } = await world.signIn('eve@example.org');
  const before = browser.cookies.get(COOKIE) ?? '';
  await world.enter(browser, 'eve@example.org');
  assert.is.not(browser.cookies.get(COOKIE), before);
  const other = world.open();
  other.cookies.set(COOKIE, before);
  assert.not.match((await other.get('/account')).text, /Sign out/);
});

test('the cookie is for this host and an hour, and scripts cannot read it', async ({ world }) => {
  await issueKey(world.gateway.store, 'free', 'gus@example.org');
  const browser = world.open();
  const token = tokenIn(await world.askToEnter(browser, 'gus@example.org'));
  const { headers } = await browser.post('/account/enter', { token });
  assert.match(
    headers.get('set-cookie') ?? '',
    /^__Host-session=gds_[a-z2-7]{32}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
  );
  assert.is(headers.get('location'), '/account');
});

test('without TLS, in development, the cookie is one that browsers accept over http://', () => {
  const [plain, https] = ['http://localhost:3000', 'https://api.example.org'];
  const set = 'session=abc; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax';
  assert.equal(setCookie(plain, 'abc'), { 'Set-Cookie': set });
  assert.match(String(setCookie(plain, undefined)['Set-Cookie']), /^session=; Path=\/; Max-Age=0; /);
  const read = (cookie: string, url: string) => readCookie({ headers: { cookie } }, url);
  assert.is(read('a=1; session=abc; b=2', plain), 'abc');
  assert.is(read('xsession=abc', plain), '');
  // A page of the same host without TLS could have set this cookie.
  assert.is(read('session=abc', https), '');
  assert.is(read('session=abc; __Host-session=def', https), 'def');
  // Browsers treat this as another name, so any host of the domain could set it.
  assert.is(read('\u00a0__Host-session=abc', https), '');
  for (const cookie of ['', ';', '=', 'session', '; session ;', '__Host-session'])
    assert.is(read(cookie, https), '', cookie);
});

test('the link of a deleted account does not sign in', async ({ world }) => {
  const { store, clock } = world.gateway;
  const { browser } = await world.signIn('hal@example.org');
  const link = await world.askToEnter(browser, 'hal@example.org');
  const end = new Date(clock.now + 30 * 60_000).toISOString();
  const kept = (await exportAccount(store, 'hal@example.org')) as Record<string, unknown>;
  const [link0] = kept.links as Record<string, string>[];
  assert.equal([link0?.purpose, link0?.ends_at], ['sign-in', end]);
  await erasePerson(store, 'hal@example.org');
  assert.is((await browser.post('/account/enter', { token: tokenIn(link) })).status, 410);
  assert.not.match((await browser.get('/account')).text, /Sign out/);
});

test('a network that tries many links is refused, except for one that works', async ({ world }) => {
  const email = 'ivy@example.org';
  await issueKey(world.gateway.store, 'free', email);
  const browser = world.open();
  const link = await world.askToEnter(browser, email);
  const attempts = [
    () => browser.get('/account/enter?token=x'),
    () => browser.post('/account/enter', { token: 'x' }),
  ];
  const statuses: number[] = [];
  for (let n = 0; n < MAX_FAILED / 2 + 1; n++)
    for (const attempt of attempts) statuses.push((await attempt()).status);
  assert.equal(new Set(statuses.slice(0, MAX_FAILED)), new Set([410]));
  assert.equal(statuses.slice(MAX_FAILED), [429, 429]);
  assert.is((await world.open().get('/account/enter?token=x')).status, 410, 'another network');
  const page = await browser.submit('/account/enter', {}, await browser.get(link));
  assert.match(page.text, /ivy@example\.org/);
});

test.run();
