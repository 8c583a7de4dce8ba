import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BadAttempts } from '../../../../gateway/core/access/bad-attempts.ts';
import { Vault } from '../../../../gateway/parts/people/alerts/vault.ts';
import { accountEndpoints } from '../../../../gateway/parts/people/account-pages/endpoints.ts';
import { accountByEmail } from '../../../../gateway/core/accounts/accounts.ts';
import { beginSession } from '../../../../gateway/parts/people/accounts/session.ts';
import { transact } from '../../../../gateway/core/store/transaction.ts';
import { issueKey, startGateway, type TestGateway } from '../../../support/harness.ts';
import { withPrograms } from '../../../support/skip.ts';
import { until } from '../../../support/until.ts';
import { CHARACTERS, EXPLORED_GAME, HOSTILE } from './explored-game.ts';
import { findHeavyLoads, look } from './look.ts';
import { type BrowserWorld, launchChromium, namesIn, showsNames, visit } from './visits.ts';

const EXPLORE = '/games/saga/explore';

const pages = suite<BrowserWorld>('the interactive pages');
pages.before(async (context) => {
  context.gateway = await startGateway(EXPLORED_GAME, {
    endpoints: (parts) => accountEndpoints({ ...parts, ...accountServices(() => context.gateway.address) }),
  });
  const browser = await launchChromium();
  if (browser) context.browser = browser;
});
pages.after(async ({ gateway, browser }) => {
  await browser?.close();
  await gateway.stop();
});
pages.before.each((context) => {
  context.opened = [];
});
pages.after.each(async ({ opened }) => {
  for (const context of opened) await context.close();
});
const test = withPrograms(pages, 'chromium');

/** What the account pages need besides the gateway. */
function accountServices(publicUrl: () => string) {
  return {
    publicUrl,
    clientAddress: () => '127.0.0.1',
    mailer: { send: async () => {} },
    badAttempts: new BadAttempts(),
    hasClaims: false,
    policy: { isStrict: true },
    vault: new Vault([]),
  };
}

/** Signs in to an account. @returns its cookie */
async function signIn({ address, store, clock }: TestGateway, email: string) {
  const account = (await accountByEmail(store, email))?.account.id ?? '';
  const origin = { network: '127.0.0.1', browser: 'Chromium' };
  const token = await transact(store, (transaction) => beginSession(transaction, account, origin, clock.now));
  return { name: 'session', value: token, url: address };
}

test('a visitor sees the sample, and no request is sent', async (context) => {
  const { page, requests, problems } = await visit(context, `${EXPLORE}?element=fire`);
  await page.getByText('This address filters or sorts the table, which needs a key.').waitFor();
  const names = await namesIn(page);
  assert.is(names.length, 10);
  assert.ok(names.includes(HOSTILE), 'the name is text');
  const sent = await (await fetch(`${context.gateway.address}${EXPLORE}`)).text();
  assert.not.match(sent, /Unit 1[1-4]|名前|Secret/, 'the page has no other character');
  const weapons = await (await fetch(`${context.gateway.address}${EXPLORE}/weapons`)).text();
  assert.not.match(weapons, /Sword/, 'records of datasets need a key');
  for (const id of ['unit-13', 'unit-99', 'nobody']) {
    const response = await fetch(`${context.gateway.address}/games/saga/characters/${id}`);
    assert.is(response.status, 200);
    assert.not.match(await response.text(), /Unit 13|名前|Secret/);
  }
  assert.equal([requests, problems], [[], []]);
});

test('filters and sorts, shares the address, and gets the same table', async (context) => {
  const key = await issueKey(context.gateway.store, 'free', 'filters@example.org');
  const { page, requests, problems } = await visit(context, EXPLORE);
  await page.getByLabel('Your key').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByText(`${CHARACTERS} records, build 1.1`).waitFor();
  await page.getByRole('checkbox', { name: /^Fire/ }).check();
  await page.getByText('4 records').waitFor();
  await page.getByRole('button', { name: /^ATK/ }).click();
  const expected = ['Unit 12', 'Unit 9', 'Unit 6', 'Unit 3'];
  await showsNames(page, expected);
  assert.is(new URL(page.url()).search, '?element=fire&sort=-stats.atk');
  await page.getByText('7 of 10').waitFor();
  assert.equal(requests, [
    '/api/saga/characters?limit=50',
    '/api/saga/characters?element=fire&limit=50',
    '/api/saga/characters?element=fire&sort=-stats.atk&limit=50',
  ]);
  const code = page.locator('.request-box pre');
  assert.match(
    (await code.textContent()) ?? '',
    "/api/saga/characters?element=fire&sort=-stats.atk&limit=50'",
  );
  const shared = await visit(context, page.url().slice(context.gateway.address.length), key);
  await showsNames(shared.page, expected);
  assert.equal(shared.requests.length, 1);
  await page.goBack();
  await until(() => new URL(page.url()).search === '?element=fire');
  await showsNames(page, ['Unit 3', 'Unit 6', 'Unit 9', 'Unit 12']);
  assert.equal(problems, []);
});

test('typing a name sends one request, and none while few are left', async (context) => {
  const key = await issueKey(context.gateway.store, 'free', 'typing@example.org');
  const { page, requests } = await visit(context, EXPLORE, key);
  await page.getByText(`${CHARACTERS} records`).waitFor();
  const search = page.getByRole('searchbox');
  await search.pressSequentially('unit 13', { delay: 20 });
  await showsNames(page, ['Unit 13']);
  assert.equal(requests.slice(1), ['/api/saga/characters?q=unit+13&limit=50'.replace('+', ' ')]);
  for (const _ of Array(5))
    await fetch(`${context.gateway.address}/api/games`, { headers: { 'x-api-key': key } });
  await page.getByRole('button', { name: 'Clear all' }).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: /^Rarity/ }).click();
  await page.getByText('2 of 10').waitFor();
  await search.fill('nobody at all');
  await page.getByText('Press Enter to search').waitFor();
  await search.press('Enter');
  await page.getByText('0 records').waitFor();
});

test('compares three characters, with the largest values marked', async (context) => {
  const { page, requests, problems } = await visit(context, EXPLORE, context.gateway.keys.pro);
  for (const name of ['Unit 1', 'Unit 3', 'Unit 13'])
    await page.getByRole('checkbox', { name: `Compare ${name}`, exact: true }).check();
  await page.getByRole('link', { name: 'Compare 3' }).click();
  await page.waitForURL('**/compare?ids=unit-1,unit-3,unit-13');
  const best = page.locator('td.best');
  await until(async () => (await best.count()) === 2);
  assert.equal(
    (await best.allTextContents()).map((text) => text.replace(/\D*largest$/, '').replace(/\D/g, '')),
    ['230', '999'],
  );
  await page.getByLabel('Add a character').fill('名前');
  await page.getByText('No name matches.').waitFor();
  await page.getByLabel('Add a character').fill('ユニット9');
  await page.getByRole('button', { name: 'Unit 9' }).click();
  await page.waitForURL('**/compare?ids=unit-1,unit-3,unit-13,unit-9');
  await page.getByRole('columnheader', { name: 'Unit 9' }).waitFor();
  assert.is(requests.filter((path) => path.includes('/names')).length, 1, 'typing sends nothing');
  assert.equal(problems, []);
});

test('Pro shows the history of a character, as a plot and in words', async (context) => {
  const { page, problems } = await visit(context, '/games/saga/characters/unit-2', context.gateway.keys.pro);
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
  const history = page.locator('#history');
  await history.getByText('ATK: 121 →becomes 122').waitFor();
  await until(async () => (await page.locator('canvas').count()) >= 2);
  assert.match(
    (await history.getByRole('img').getAttribute('aria-label')) ?? '',
    /ATK by Build: 120 at 1.0, 122 at 1.2/,
  );
  await page.getByRole('link', { name: 'Mora × 3' }).click();
  await page.waitForURL('**/explore/materials?ids=m1');
  await showsNames(page, ['Mora']);
  assert.equal(problems, []);
  assert.is(await page.evaluate('window.hacked'), undefined);
});

test('Pro shows what a build changed, value by value, also one that is not public yet', async (context) => {
  const { keys } = context.gateway;
  const { page, problems } = await visit(context, '/games/saga/patches/1.1', keys.pro);
  const patch = page.locator('.patch');
  await patch.getByText('ATK: 120 →becomes 121, +0.8%').waitFor();
  await patch.getByRole('link', { name: HOSTILE }).waitFor();
  const next = await visit(context, '/games/saga/patches/1.2', keys.pro);
  await next.page.getByText('ATK: 121 →becomes 122').waitFor();
  await next.page.getByRole('link', { name: 'Secret' }).waitFor();
  await next.page.goto(`${context.gateway.address}/games/saga/patches/9.9`);
  await next.page.getByText('There is no build 9.9. The newest ones: 1.2, 1.1, 1.0').waitFor();
  await next.page.goto(`${context.gateway.address}/games/saga/patches`);
  await next.page.getByRole('link', { name: '1.2' }).waitFor();
  const free = await visit(context, '/games/saga/patches/1.2', keys.free);
  await free.page.getByText('The key of this tab is free.').waitFor();
  assert.equal(free.requests, ['/api/me'], 'nothing is counted');
  assert.equal([...problems, ...next.problems, ...free.problems], []);
  assert.is(await page.evaluate('window.hacked'), undefined);
});

test('a sign-in is a key for the pages of games, until the sign-out', async (context) => {
  const { gateway, browser, opened } = context;
  const tab = await browser.newContext();
  opened.push(tab);
  await tab.addCookies([await signIn(gateway, 'free@example.org')]);
  const page = await tab.newPage();
  const readKey = () => page.evaluate("sessionStorage.getItem('api-key')");
  await page.goto(`${gateway.address}/account`);
  await page.getByText('in this tab use this account').waitFor();
  const key = await readKey();
  await page.goto(gateway.address + EXPLORE);
  await page.getByText(`${CHARACTERS} records, build 1.1`).waitFor();
  await page.goto(`${gateway.address}/account`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Send the link' }).waitFor();
  assert.is(await readKey(), null);
  await page.evaluate((text) => sessionStorage.setItem('api-key', String(text)), key);
  await page.goto(gateway.address + EXPLORE);
  await page.getByRole('alert').waitFor();
});

test('everything works by keyboard', async (context) => {
  const key = await issueKey(context.gateway.store, 'free', 'keyboard@example.org');
  const { page } = await visit(context, EXPLORE);
  const focused = () => page.evaluate(() => (document.activeElement as { id?: string } | null)?.id ?? '');
  const describe = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.closest('label')?.textContent ?? activeElement?.textContent ?? '';
    });
  const tabTo = async (found: () => Promise<boolean>) => {
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press('Tab');
      if (await found()) return;
    }
    throw new Error('nothing like that can be reached with Tab');
  };
  await tabTo(async () => (await focused()) === 'tab-key');
  await page.keyboard.type(key);
  await page.keyboard.press('Enter');
  await page.getByText(`${CHARACTERS} records`).waitFor();
  await tabTo(async () => (await describe()).startsWith('Ice'));
  await page.keyboard.press('Space');
  await page.getByText('5 records').waitFor();
  await tabTo(async () => (await focused()) === 'search');
  await page.keyboard.type('unit 13');
  await page.keyboard.press('Enter');
  await showsNames(page, ['Unit 13']);
  await tabTo(async () => (await describe()) === 'Unit 13');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/characters/unit-13');
  await page.getByRole('heading', { level: 1, name: 'Unit 13' }).waitFor();
});

const VISITED = [
  { name: 'explore-sample', path: EXPLORE, budget: 60 },
  { name: 'explore', path: `${EXPLORE}?element=fire&sort=-stats.atk`, isPro: true, budget: 60 },
  { name: 'explore-dataset', path: `${EXPLORE}/weapons`, isPro: true, budget: 60 },
  { name: 'character-sample', path: '/games/saga/characters/unit-2', budget: 100 },
  { name: 'character-unknown', path: '/games/saga/characters/unit-13', budget: 60 },
  { name: 'character', path: '/games/saga/characters/unit-2', isPro: true, budget: 100 },
  { name: 'compare-sample', path: '/games/saga/compare', budget: 60 },
  { name: 'compare', path: '/games/saga/compare?ids=unit-1,unit-2,unit-13', isPro: true, budget: 60 },
  { name: 'patch', path: '/games/saga/patches/1.2', isPro: true, budget: 60 },
  { name: 'patch-unseen', path: '/games/saga/patches/1.2', budget: 60 },
  { name: 'account', path: '/account', isPro: true, budget: 60 },
  { name: 'sign-in', path: '/account', budget: 60 },
] as const;

test('no page has an accessibility fault, in any theme and width, or is too heavy or too wide', async (context) => {
  const found: string[] = [];
  for (const { name, path, budget, ...more } of VISITED) {
    const key = 'isPro' in more ? context.gateway.keys.pro : undefined;
    const cookie = name === 'account' ? [await signIn(context.gateway, 'pro@example.org')] : [];
    const { page, problems } = await visit(context, path, key, {
      viewport: { width: 1280, height: 900 },
      prepare: async (opened) => await opened.context().addCookies(cookie),
    });
    await page.waitForLoadState('networkidle');
    found.push(...(await findHeavyLoads(name, page, budget)), ...(await look({ name, page })), ...problems);
  }
  assert.equal(found, []);
});

pages.run();
