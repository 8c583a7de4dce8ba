import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BadAttempts } from '../../../gateway/attempts/bad-attempts.ts';
import { Vault } from '../../../gateway/people/alerts/vault.ts';
import { accountEndpoints } from '../../../gateway/people/account-pages/endpoints.ts';
import { accountByEmail } from '../../../gateway/people/accounts/account-records.ts';
import { beginSession } from '../../../gateway/people/accounts/session.ts';
import { transact } from '../../../gateway/store/transaction.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { withPrograms } from '../../support/skip.ts';
import { sampleOf } from '../../support/random.ts';
import { until } from '../../support/until.ts';
import { CHARACTERS, EXPLORED_GAME, HOSTILE } from './explored-game.ts';
import { countShifts, findHeavyLoads, findShifts, look } from './look.ts';
import { type BrowserWorld, launchChromium, namesIn, showsNames, visit } from './visits.ts';

const EXPLORE = '/games/saga/explore';
/** How wide a column of a comparison is at most. */
const MAX_COLUMN_PX = 220;

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

test('a visitor filters and sorts all characters in place, shares the address, and sends no request to the API', async (context) => {
  const { page, requests, problems } = await visit(context, EXPLORE);
  await page.getByText(`${CHARACTERS} records, build 1.1`).waitFor();
  assert.ok(
    (await namesIn(page)).some((name) => name.includes(HOSTILE)),
    'the name is text',
  );
  await page.getByRole('checkbox', { name: /^Fire/ }).check();
  await page.getByText('4 records').waitFor();
  await page.getByRole('link', { name: /^ATK/ }).click();
  const expected = ['Unit 12', 'Unit 9', 'Unit 6', 'Unit 3'];
  await showsNames(page, expected);
  assert.is(new URL(page.url()).search, '?element=fire&sort=-stats.atk');
  const code = page.locator('.request-box pre');
  assert.match(
    (await code.textContent()) ?? '',
    "/api/saga/characters?element=fire&sort=-stats.atk&limit=50'",
  );
  const shared = await visit(context, page.url().slice(context.gateway.address.length), undefined, {
    javaScriptEnabled: false,
  });
  await showsNames(shared.page, expected);
  await page.goBack();
  await until(() => new URL(page.url()).search === '?element=fire');
  await showsNames(page, ['Unit 3', 'Unit 6', 'Unit 9', 'Unit 12']);
  const search = page.getByRole('searchbox', { name: 'Search by name' });
  await page.getByRole('link', { name: 'Clear all' }).click();
  await search.pressSequentially('unnit 13', { delay: 20 });
  await showsNames(page, ['Unit 13']);
  assert.equal([requests, problems], [[], []]);
});

test('without a script, forms and links do the same', async (context) => {
  const { page } = await visit(context, EXPLORE, undefined, { javaScriptEnabled: false });
  await page.getByRole('checkbox', { name: /^Fire/ }).check();
  await page.getByRole('button', { name: 'Apply' }).click();
  await showsNames(page, ['Unit 3', 'Unit 6', 'Unit 9', 'Unit 12']);
  for (const name of ['Unit 3', 'Unit 12'])
    await page.getByRole('checkbox', { name: `Compare ${name}` }).check();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('columnheader', { name: 'Unit 12' }).waitFor();
  await page.getByRole('searchbox', { name: 'Search all games' }).fill('ユニツト12');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Unit 12' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Unit 12' }).waitFor();
  await page.getByRole('link', { name: 'Mora × 3' }).click();
  await page.getByRole('link', { name: 'Unit 9' }).click();
  await page.getByRole('heading', { level: 1, name: 'Unit 9' }).waitFor();
  await page.getByRole('link', { name: 'Compare with others' }).click();
  await page.goto(`${context.gateway.address}/games/saga/compare?ids=unit-12,unit-9`);
  await page.getByRole('columnheader', { name: 'Unit 9' }).waitFor();
  await page.getByRole('link', { name: 'Patches', exact: true }).click();
  await page.getByRole('link', { name: '1.1', exact: true }).click();
  await page.getByText('ATK ▲').waitFor();
});

test('a member filters forty times within a minute, and a failure leaves what is shown', async (context) => {
  const key = await issueKey(context.gateway.store, 'free', 'filters@example.org');
  const { page, requests } = await visit(context, EXPLORE, key);
  const fire = page.getByRole('checkbox', { name: /^Fire/ });
  for (let times = 0; times < 20; times++) {
    await fire.check();
    await page.getByText('4 records').waitFor();
    await fire.uncheck();
    await page.getByText(`${CHARACTERS} records`).waitFor();
  }
  await page.getByRole('link', { name: /^ATK/ }).click();
  await showsNames(page, [...(await namesIn(page))]);
  assert.equal(requests, ['/api/me', '/api/saga/characters?limit=1000'], 'the list is loaded once');
  await page.route('**/explore?*', (route) =>
    route.fulfill({ status: 429, body: '<main><h1>No</h1><p>Too many.</p>' }),
  );
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('unit');
  await page.keyboard.press('Enter');
  await page.getByText('Too many.').waitFor();
  assert.is((await namesIn(page)).length, CHARACTERS);
});

test('a list that is loaded whole shows what the pages of visitors show', async (context) => {
  const key = await issueKey(context.gateway.store, 'free', 'whole@example.org');
  for (const query of [
    'element=ice&sort=name',
    'sort=-name',
    'stats.atk[gte]=150&sort=stats.hp,-stats.atk',
    'rarity=4&rarity=5&limit=5&offset=2',
  ]) {
    const { page, requests } = await visit(context, EXPLORE, key);
    await page.getByText(`${CHARACTERS} records`).waitFor();
    // A step in the page, so that the list is loaded.
    await page.evaluate((text) => {
      history.pushState(null, '', `?${text}`);
      dispatchEvent(new PopStateEvent('popstate'));
    }, query);
    const visitor = await visit(context, `${EXPLORE}?${query}`, undefined, { javaScriptEnabled: false });
    await showsNames(page, await namesIn(visitor.page));
    assert.ok(
      requests.some((path) => path === '/api/saga/characters?limit=1000'),
      requests.join(),
    );
  }
});

test('the choices of columns, language and density are kept', async (context) => {
  const { page, problems } = await visit(context, EXPLORE);
  await page.getByText(`${CHARACTERS} records`).waitFor();
  await page.getByText('Columns', { exact: true }).click();
  await page.getByRole('checkbox', { name: 'HP', exact: false }).first().uncheck();
  await page.getByRole('button', { name: 'Show these columns' }).click();
  await page.getByLabel('Language of names').selectOption('ja');
  await page.getByRole('checkbox', { name: 'Roomy' }).check();
  await page.getByRole('link', { name: '名前' }).waitFor();
  await page.goto(context.gateway.address + EXPLORE);
  await page.getByRole('link', { name: '名前' }).waitFor();
  await page.locator('table.roomy').waitFor();
  await until(async () => (await page.getByRole('columnheader', { name: /HP/ }).count()) === 0);
  assert.equal(problems, []);
});

test('the first screen of the table has at least 15 rows, and 6 on a phone', async (context) => {
  for (const [width, height, least] of [
    [1280, 900, 15],
    [390, 844, 6],
  ] as const) {
    const { page } = await visit(context, EXPLORE, undefined, { viewport: { width, height } });
    const box = await page.locator('table.records tbody tr').first().boundingBox();
    const rows = ((height - (box?.y ?? 0)) / (box?.height ?? 1)) | 0;
    assert.ok(rows >= least, `${rows} rows at ${width} px`);
  }
});

test('a change of the table loads no icon again', async (context) => {
  const countIcons = () => context.gateway.logged.filter((line) => line.includes('favicon')).length;
  const before = countIcons();
  const { page } = await visit(context, EXPLORE);
  await page.getByText(`${CHARACTERS} records`).waitFor();
  await page.getByRole('checkbox', { name: /^Fire/ }).check();
  await page.getByText('4 records').waitFor();
  const sent = countIcons() - before;
  assert.ok(sent <= 1, `${sent} icons`);
});

test('compares three characters, with the largest values marked', async (context) => {
  const { page, problems } = await visit(context, EXPLORE);
  for (const name of ['Unit 1', 'Unit 3', 'Unit 13'])
    await page.getByRole('checkbox', { name: `Compare ${name}`, exact: true }).check();
  await page.getByRole('button', { name: 'Compare 3' }).click();
  await page.waitForURL('**/compare?*unit=unit-13*');
  for (const column of await page.locator('table thead th:not(:first-child)').all())
    assert.ok(((await column.boundingBox())?.width ?? 0) <= MAX_COLUMN_PX);
  const best = page.locator('td.best');
  await until(async () => (await best.count()) === 2);
  assert.equal(
    (await best.allTextContents()).map((text) => text.replace(/\D*largest$/, '').replace(/\D/g, '')),
    ['999', '230'],
  );
  await page.getByLabel('Add a character').fill('名前 nobody');
  await page.getByText('No name matches.').waitFor();
  await page.getByLabel('Add a character').fill('ユニット9');
  await page.getByRole('button', { name: 'Unit 9' }).click();
  await page.waitForURL('**/compare?ids=unit-1,unit-3,unit-13,unit-9');
  await page.getByRole('columnheader', { name: 'Unit 9' }).waitFor();
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
  // The record of the newer build names what it refers to.
  await page.getByText('As build 1.2 has it, which your key sees').waitFor();
  await page.locator('#public-record').getByRole('link', { name: 'Sword' }).waitFor();
  await page.getByRole('link', { name: 'Mora × 3' }).click();
  await page.getByRole('heading', { level: 1, name: 'Mora' }).waitFor();
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
  await page.getByText('This tab uses your key.').waitFor();
  await page.goto(`${gateway.address}/account`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Send the link' }).waitFor();
  assert.is(await readKey(), null);
  await page.evaluate((text) => sessionStorage.setItem('api-key', String(text)), key);
  await page.goto(gateway.address + EXPLORE);
  await page.getByRole('alert').waitFor();
});

test('a picture that cannot be loaded leaves the tile that is drawn beneath', async ({ browser, opened }) => {
  const host = 'img.example.org';
  const icons = ['whole', 'gone'].map((id) => ({ id, name: id, icon: `https://${host}/${id}.svg` }));
  const gateway = await startGateway(
    {
      'saga/game.json': {
        title: 'Saga',
        attributes: {
          '*': { '*': { description: 'An attribute' } },
          characters: { icon: { description: 'The icon', kind: 'image' } },
        },
        images: { hosts: [host], credit: '© Makers', terms: 'https://example.org/terms' },
      },
      'saga/1/build.json': { released_at: '2026-01-01' },
      'saga/1/characters.json': icons,
      'saga/1/pull_planner.json': { cost: 1 },
    },
    { images: new Map([['saga', [host]]]) },
  );
  try {
    const { page } = await visit({ gateway, browser, opened }, '/games/saga', undefined, {
      prepare: async (opening) => {
        await opening.route(`https://${host}/*`, (route) =>
          route.request().url().includes('gone')
            ? route.abort()
            : route.fulfill({
                contentType: 'image/svg+xml',
                body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
              }),
        );
      },
    });
    await until(async () => !(await page.locator('img[src$="/gone.svg"]').isVisible()));
    assert.ok(await page.locator('img[src$="/whole.svg"]').isVisible());
  } finally {
    await gateway.stop();
  }
});

/** Presses Tab until an element has the focus. */
async function tabTo(
  page: Page,
  isThere: (element: { text: string; id: string; name: string }) => boolean,
): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      const text = activeElement?.closest('label')?.textContent ?? activeElement?.textContent ?? '';
      return { text, id: activeElement?.id ?? '', name: activeElement?.localName ?? '' };
    });
    if (isThere(focused)) return;
  }
  throw new Error('nothing like that can be reached with Tab');
}

/** Goes to a link or button by keyboard, and presses it. */
async function press(page: Page, words: string): Promise<void> {
  await tabTo(page, ({ text, name }) => ['a', 'button'].includes(name) && text.includes(words));
  await page.keyboard.press('Enter');
}

test('a table is filtered and searched by keyboard', async (context) => {
  const { page } = await visit(context, EXPLORE);
  await tabTo(page, ({ text }) => text.startsWith('Ice'));
  await page.keyboard.press('Space');
  await page.getByText('5 records').waitFor();
  await tabTo(page, ({ id }) => id === 'search');
  await page.keyboard.type('unit 13');
  await page.keyboard.press('Enter');
  await showsNames(page, ['Unit 13']);
  await press(page, 'Unit 13');
  await page.waitForURL('**/characters/unit-13');
  await page.getByRole('heading', { level: 1, name: 'Unit 13' }).waitFor();
});

test('by keyboard, a visitor goes from a name with a typing mistake to a comparison and the newest patch', async (context) => {
  const { page, problems } = await visit(context, '/');
  const showsHeading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('ユニツト12');
  await page.getByRole('option', { name: 'Unit 12' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await showsHeading('Unit 12');
  await press(page, 'Mora × 3');
  await showsHeading('Mora');
  await press(page, 'Unit 9');
  await showsHeading('Unit 9');
  await press(page, 'Compare with others');
  await showsHeading(/Compare/);
  await tabTo(page, ({ id }) => id === 'add-name');
  await page.keyboard.type('unnit 12');
  await page.getByRole('button', { name: 'Unit 12' }).waitFor();
  await press(page, 'Unit 12');
  await page.getByRole('columnheader', { name: 'Unit 12' }).waitFor();
  await page.getByRole('columnheader', { name: 'Unit 9' }).waitFor();
  await press(page, 'Patches');
  await showsHeading(/Patches|Builds/);
  await press(page, '1.1');
  await page.getByText('ATK ▲').waitFor();
  assert.equal(problems, []);
});

/** How many pages are looked at, unless all are. */
const SOME = 4;
const VISITED = [
  { name: 'explore', path: `${EXPLORE}?element=fire&sort=-stats.atk`, budget: 60 },
  { name: 'explore-pro', path: EXPLORE, isPro: true, budget: 60 },
  { name: 'dataset', path: '/games/saga/weapons', budget: 60 },
  { name: 'object', path: '/games/saga/pull_planner', budget: 60 },
  { name: 'record', path: '/games/saga/characters/unit-2', budget: 100 },
  { name: 'record-pro', path: '/games/saga/characters/unit-2', isPro: true, budget: 100 },
  { name: 'record-unknown', path: '/games/saga/characters/unit_13', budget: 60 },
  { name: 'material', path: '/games/saga/materials/m1', budget: 60 },
  { name: 'compare', path: '/games/saga/compare?ids=unit-1,unit-2,unit-13', budget: 60 },
  { name: 'compare-pro', path: '/games/saga/compare?ids=unit-1,unit-2,unit-13', isPro: true, budget: 60 },
  { name: 'game-attributes', path: '/games/saga/attributes', budget: 60 },
  { name: 'search', path: '/search?q=unit', budget: 60 },
  { name: 'patch-public', path: '/games/saga/patches/1.1', budget: 60 },
  { name: 'patch-both', path: '/games/saga/patches/1.1', isPro: true, budget: 60 },
  { name: 'patch', path: '/games/saga/patches/1.2', isPro: true, budget: 60 },
  { name: 'patch-unseen', path: '/games/saga/patches/1.2', budget: 60 },
  { name: 'account', path: '/account', isPro: true, budget: 60 },
  { name: 'sign-in', path: '/account', budget: 60 },
] as const;

test('no page has an accessibility fault, in any theme and width, or is too heavy or too wide', async (context) => {
  const found: string[] = [];
  // In a whole run of CI, some of them, so that it does not take longer with each page.
  for (const { name, path, budget, ...more } of sampleOf(VISITED, SOME)) {
    const key = 'isPro' in more ? context.gateway.keys.pro : undefined;
    const cookie = name === 'account' ? [await signIn(context.gateway, 'pro@example.org')] : [];
    const { page, problems } = await visit(context, path, key, {
      viewport: { width: 1280, height: 900 },
      async prepare(opened) {
        await opened.context().addCookies(cookie);
        await countShifts(opened);
      },
    });
    await page.waitForLoadState('networkidle');
    found.push(
      ...(await findShifts(name, page)),
      ...(await findHeavyLoads(name, page, budget)),
      ...(await look({ name, page })),
      ...problems,
    );
  }
  assert.equal(found, []);
});

pages.run();
