/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { NOON, startGateway } from '../../support/harness.ts';
import { withPrograms } from '../../support/skip.ts';
import { table } from '../../support/table.ts';
import { until } from '../../support/until.ts';
import { CHARACTERS, EXPLORED_GAME, HOSTILE } from './explored-game.ts';
import { countShifts, findBadLoads, look } from './look.ts';
import { type BrowserWorld, browserSuite, namesIn, showsNames, visit } from './visits.ts';

const EXPLORE = '/games/saga/explore';
const MAX_BYTES = 60 * 1024;
const PHONE = { width: 390, height: 844 };

const pages = browserSuite<BrowserWorld>('the site in a browser', async (context) => {
  context.gateway = await startGateway(EXPLORED_GAME, { pagesInMinute: 10_000 });
});
const test = withPrograms(pages, 'chromium');

/** Chips are labels around hidden boxes: a reader clicks their text. */
const chip = (page: Page, words: string) => page.locator('.chips label', { hasText: words }).first();

test('a visitor filters and sorts in place, shares the address, and sends no request to the API', async (context) => {
  const { page, requests, problems } = await visit(context, EXPLORE);
  await page.locator('#swap', { hasText: `${CHARACTERS} records, build 1.1` }).waitFor();
  assert.ok(
    (await namesIn(page)).some((name) => name.includes(HOSTILE)),
    'the name is text',
  );
  await chip(page, 'Fire').click();
  await page.locator('#swap', { hasText: '4 records' }).waitFor();
  await page.getByRole('link', { name: /^ATK/ }).click();
  const expected = ['Unit 12', 'Unit 9', 'Unit 6', 'Unit 3'];
  await showsNames(page, expected);
  assert.is(new URL(page.url()).search, '?element=fire&sort=-stats.atk');
  assert.match((await page.locator(':focus').textContent()) ?? '', /^ATK/, 'the link keeps the focus');
  const second = page.locator('table.records thead th:not(:empty)').nth(2);
  assert.match((await second.textContent()) ?? '', /^ATK/, 'the sorted column is the second');
  const address = page.url().slice(context.gateway.address.length);
  const shared = await visit(context, address, undefined, { javaScriptEnabled: false });
  await showsNames(shared.page, expected);
  await page.goBack();
  await showsNames(page, ['Unit 3', 'Unit 6', 'Unit 9', 'Unit 12']);
  await chip(page, 'Fire').click();
  const search = page.getByRole('searchbox', { name: 'Name, in any language' });
  await search.pressSequentially('unnit 13', { delay: 20 });
  await showsNames(page, ['Unit 13']);
  assert.is(await search.inputValue(), 'unnit 13', 'the field stays in use');
  await page.getByText('More filters').click();
  await page.getByLabel('HP, at least').press('9');
  await page.waitForURL('**=9');
  await page.keyboard.press('8');
  await page.waitForURL('**=98');
  assert.equal([requests, problems], [[], []]);
  assert.is(await page.evaluate('window.hacked'), undefined);
});

test('a failure leaves what is shown, and says why', async (context) => {
  // A browser that stores nothing for this site does not even let a script look.
  const script = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('No'); } })";
  const prepare = (opening: Page) => opening.addInitScript(script).then(() => {});
  const { page } = await visit(context, EXPLORE, undefined, { prepare });
  await page.route('**/explore?*', (route) =>
    route.fulfill({ status: 429, body: '<main><h1>No</h1><p>Too many.</p></main>' }),
  );
  await chip(page, 'Fire').click();
  await page.getByText('Too many.').waitFor();
  assert.is((await namesIn(page)).length, CHARACTERS);
  await page.keyboard.press('/');
  await page.keyboard.type('Unit 12');
  await page.getByRole('option', { name: 'Unit 12' }).waitFor();
  await page.getByRole('status').filter({ hasText: 'Suggestions: 1' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('option', { name: 'Unit 12' }).waitFor({ state: 'hidden' });
  assert.is(await page.getByRole('combobox').first().inputValue(), 'Unit 12', 'Escape closes only the list');
});

test('without a script, forms and links do the same', async (context) => {
  const { page } = await visit(context, EXPLORE, undefined, { javaScriptEnabled: false });
  await chip(page, 'Fire').click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await showsNames(page, ['Unit 3', 'Unit 6', 'Unit 9', 'Unit 12']);
  await page.getByLabel('Order').selectOption('ATK ↓');
  await page.getByRole('button', { name: 'Apply' }).click();
  await showsNames(page, ['Unit 12', 'Unit 9', 'Unit 6', 'Unit 3']);
  for (const name of ['Unit 3', 'Unit 12']) await page.getByRole('checkbox', { name, exact: true }).check();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('columnheader', { name: 'Unit 12' }).first().waitFor();
  await page.getByRole('searchbox', { name: 'Search all games' }).fill('ユニツト12');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Unit 12' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Unit 12' }).waitFor();
});

test('compares characters that are checked or added by name, with the largest values marked', async (context) => {
  const { page, problems } = await visit(context, `${EXPLORE}?limit=10`);
  const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
  for (const name of ['Unit 1', 'Unit 3', 'Unit 4']) await box(name).check();
  const further = ['Unit 5', 'Unit 6', 'Unit 7'];
  for (const name of further) await box(name).check();
  assert.ok(await box('Unit 8').isDisabled(), 'no more can be compared');
  for (const name of further) await box(name).uncheck();
  await page.getByRole('link', { name: 'Next page' }).click();
  await box('Unit 13').check();
  await box('Unit 4').uncheck();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL('**/compare?*ids=unit-13*');
  const best = page.locator('td.best');
  assert.equal(
    (await best.allTextContents()).map((text) => text.replace(/\D/g, '')),
    ['999', '230'],
  );
  // A weapon that is called the same is no character.
  const add = page.getByRole('combobox', { name: 'Add a character by name' });
  await add.fill('Unit 9');
  await page.getByRole('option', { name: 'Unit 9' }).click();
  await page.waitForURL('**/compare?ids=unit-13,unit-1,unit-3,unit-9');
  await page.getByRole('link', { name: 'Remove Unit 3' }).first().click();
  await page.waitForURL('**/compare?ids=unit-13,unit-1,unit-9');
  await add.fill('Unit 5');
  await page.getByRole('option', { name: 'Unit 5' }).click();
  await page.waitForURL('**/compare?ids=unit-13,unit-1,unit-9,unit-5');
  assert.equal(problems, []);
});

test('Pro shows what a build changed, value by value, also one that is not public yet', async (context) => {
  const { keys } = context.gateway;
  const { page, problems } = await visit(context, '/games/saga/patches/1.1', keys.pro);
  await page.getByText('Stats · ATK: 120 → 121 (+0.8%)').waitFor();
  const next = await visit(context, '/games/saga/patches/1.2', keys.pro);
  await next.page.getByText('Stats · ATK: 121 → 122').waitFor();
  await next.page.getByText('New: Secret').waitFor();
  await next.page.getByText('and 3 more').waitFor();
  await next.page.goto(`${context.gateway.address}/games/saga/patches/9.9`);
  await next.page.getByRole('alert').waitFor();
  const free = await visit(context, '/games/saga/patches/1.2', keys.free);
  await until(() => free.requests.length > 0);
  assert.equal(free.requests, ['/api/me'], 'nothing is counted');
  assert.equal([...problems, ...next.problems, ...free.problems], []);
});

test('pictures are loaded after one click, also on the next page; one that is not there leaves its letters', async ({
  browser,
  opened,
}) => {
  const host = 'img.example.org';
  const icons = ['whole', 'gone'].map((id) => ({ id, name: id, icon: `https://${host}/${id}.svg` }));
  const gateway = await startGateway({
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
  });
  const asked: string[] = [];
  const { page } = await visit({ gateway, browser, opened }, '/games/saga', undefined, {
    prepare: async (opening) => {
      await opening.route(`https://${host}/*`, (route) => {
        asked.push(route.request().url());
        return route.request().url().includes('gone')
          ? route.abort()
          : route.fulfill({
              contentType: 'image/svg+xml',
              body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
            });
      });
    },
  });
  await page.getByRole('button', { name: `Show pictures from ${host}` }).waitFor();
  assert.equal(asked, []);
  await page.getByRole('button', { name: `Show pictures from ${host}` }).click();
  await page.locator('img[src$="/whole.svg"]').waitFor();
  await until(async () => (await page.locator('img[src$="/gone.svg"]').count()) === 0);
  await page.goto(`${gateway.address}/games/saga/characters/whole`);
  await page.locator('img[src$="/whole.svg"]').waitFor();
  await page.getByRole('button', { name: 'Hide pictures' }).click();
  await page.getByRole('button', { name: /Show pictures/ }).waitFor();
  assert.is(await page.locator('img').count(), 0);
});

/** Presses Tab until an element has the focus. */
async function tabTo(
  page: Page,
  isThere: (element: { text: string; id: string; name: string }) => boolean,
  most = 120,
) {
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      const text = activeElement?.closest('label')?.textContent ?? activeElement?.textContent ?? '';
      return { text, id: activeElement?.id ?? '', name: activeElement?.getAttribute('name') ?? '' };
    });
    if (isThere(focused)) return;
  }
  throw new Error('nothing like that can be reached with Tab');
}

test('by keyboard, a visitor filters a table, whose rows are reached soon, and finds a name with a mistake', async (context) => {
  const { page, problems } = await visit(context, EXPLORE);
  await tabTo(page, ({ text }) => text.startsWith('Ice'));
  await page.keyboard.press('Space');
  await page.locator('#swap', { hasText: '5 records' }).waitFor();
  await page.goto(context.gateway.address + EXPLORE);
  await tabTo(page, ({ id }) => id === '');
  await page.keyboard.press('Enter');
  await tabTo(page, ({ text }) => text === 'Skip to the table', 3);
  await page.keyboard.press('Enter');
  await tabTo(page, ({ name }) => name === 'ids', 8);
  await page.keyboard.press('/');
  await page.keyboard.type('ユニツト12');
  await page.getByRole('option', { name: 'Unit 12' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Unit 12' }).waitFor();
  assert.equal(problems, []);
});

test('on a phone, what players come for is at most two taps from home, on the first two screens', async ({
  browser,
  opened,
}) => {
  const materials = Array.from({ length: 8 }, (_, at) => ({
    id: `m${at}`,
    name: `Material ${at}`,
    count: 3,
  }));
  const texts = Array.from({ length: 4 }, (_, at) => ({ name: `Skill ${at}`, effect: 'Hits. '.repeat(40) }));
  const units = Array.from({ length: 40 }, (_, at) => ({
    id: `c${at}`,
    name: `Unit ${at}`,
    rarity: 4 + (at % 2),
    element: at % 3 === 0 ? 'Fire' : 'Ice',
    stats: { hp: 1000 + at, atk: 100 + at, def: 50 + at, crit_rate: at },
    ascension: [20, 40, 60, 80].map((level) => ({ level, materials })),
    skills: texts,
    constellations: texts,
  }));
  const day = (at: number) => new Date(NOON + at * 86_400_000).toISOString();
  const gateway = await startGateway({
    'saga/game.json': {
      title: 'Saga',
      attributes: {
        '*': Object.fromEntries(['*', '*.*', '*.*.*'].map((key) => [key, { description: 'It' }])),
      },
    },
    'saga/1/build.json': { released_at: '2026-01-01' },
    'saga/1/characters.json': units.slice(1),
    'saga/2/build.json': { released_at: '2026-02-01' },
    'saga/2/characters.json': units,
    'saga/2/banners.json': [
      { id: 'b', name: 'Next', start: day(1), end: day(9), featured: [{ id: 'c1', name: 'Unit 1' }] },
    ],
    'saga/1/pull_planner.json': {
      currency: { name: 'Jade', per_pull: 160 },
      banners: ['Event', 'Weapon', 'Usual'].map((name) => ({ name, worst_case_pulls: { any_top: 90 } })),
    },
  });
  const { page } = await visit({ gateway, browser, opened }, '/', undefined, { viewport: PHONE });
  const endsAt = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox();
    return (box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0);
  };
  await page.locator('a.game-card').click();
  await page.getByRole('heading', { level: 1, name: 'Saga' }).waitFor();
  const ends = new Map<string, number>();
  for (const part of ['p a[href$="/patches/2"]', '.planner .cards', '#banners + .timed > li'])
    ends.set(part, await endsAt(part));
  const pulls = page.getByLabel('Pulls since your last top rarity').nth(1);
  for (const [done, said] of Object.entries({ 89: '1 more at worst', '-3': 'Expected 0 to 89' })) {
    await pulls.fill(done);
    await page.locator('.planner li:nth-child(2) output', { hasText: said }).waitFor();
  }
  await page.locator('.large-faces a', { hasText: 'Unit 1' }).first().click();
  await page.getByRole('heading', { level: 1, name: /^Unit 1/ }).waitFor();
  for (const part of ['.facts', '#totals ~ .fold']) ends.set(part, await endsAt(part));
  assert.equal(
    [...ends].filter(([, end]) => end > 2 * PHONE.height),
    [],
  );
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  assert.ok(height <= 3500, `a character has ${height} px`);
});

/** The pages that are looked at, each with the name of its screenshots. */
const LOOKED_AT = table`
  home | /
  game | /games/saga
  contents | /contents
  status | /status
  nowhere | /nowhere
  docs | /docs
  guide | /docs/consumers/queries
  api-reference | /docs/api
  problems | /problems
  terms | /terms
  explore | /games/saga/explore?element=air&sort=-stats.atk
  dataset | /games/saga/weapons
  object | /games/saga/pull_planner
  record | /games/saga/characters/unit-2
  material | /games/saga/materials/m1
  compare | /games/saga/compare?ids=unit-1,unit-2,unit-13
  attributes | /games/saga/attributes
  search | /search?q=unit
  patches | /games/saga/patches
  patch | /games/saga/patches/1.1
  patch-unseen | /games/saga/patches/1.2
`;

test('no page has an accessibility fault, in any theme and width, or is too heavy or too wide, or moves', async (context) => {
  const found: string[] = [];
  for (const [name = '', path = ''] of LOOKED_AT) {
    const phone = await visit(context, path, undefined, { prepare: countShifts, viewport: PHONE });
    await phone.page.waitForLoadState('load');
    found.push(...(await findBadLoads(`${name} on a phone`, phone.page, MAX_BYTES)));
    const isCut =
      "[...document.querySelectorAll('.records td')].some((each) => each.scrollWidth > each.clientWidth)";
    if (await phone.page.evaluate(isCut)) found.push(`${name}: a value is cut on a phone`);
    await phone.page.context().close();
    const { page, problems } = await visit(context, path, undefined, { prepare: countShifts });
    await page.waitForLoadState('load');
    found.push(...(await findBadLoads(name, page, MAX_BYTES)));
    // What is folded is looked at too.
    await page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })");
    found.push(...(await look({ name, page })), ...problems);
    await page.context().close();
  }
  assert.equal(found, []);
});

pages.run();
