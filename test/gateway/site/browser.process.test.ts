import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withPrograms } from '../../support/skip.ts';
import { countShifts, findHeavyLoads, findShifts, look } from './look.ts';
import { startSite } from './site-world.ts';
import { type BrowserWorld, launchChromium, visit } from './visits.ts';

/** The pages that are looked at. */
const PAGES = [
  ...['/', '/games', '/games/saga', '/games/saga/patches', '/games/saga/patches/1.1', '/status'],
  '/contents',
  ...['/docs', '/docs/consumers/queries', '/problems', '/terms', '/nowhere'],
];
const MAX_KB = 60;
/** The rules of axe-core that Scalar's own elements break, with why. Only its next version can mend them. */
const FAULTS_OF_SCALAR = [
  {
    rule: 'aria-input-field-name',
    why: 'the fields of its console are elements with a role, without a name',
  },
  { rule: 'aria-required-attr', why: 'the same fields do not say whether their list is open' },
  { rule: 'button-name', why: 'the buttons that copy code have only a picture' },
  { rule: 'color-contrast', why: 'its colors of methods, statuses and code are pale' },
];

const pages = suite<BrowserWorld>('the site in a browser');
pages.before(async (context) => {
  context.gateway = await startSite();
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
const inBrowser = withPrograms(pages, 'chromium');

inBrowser('lets a visitor run the example, change it, and read what was wrong', async (context) => {
  const { page, problems } = await visit(context, '/');
  const field = page.getByLabel('Request');
  const shows = (text: string | RegExp) => page.locator('.try-it pre').filter({ hasText: text }).waitFor();
  await field.fill('/api/hostile/characters?sort=-name&limit=1&fields=name');
  await page.getByRole('button', { name: 'Run' }).click();
  await shows('"limit": 1');
  // By keyboard alone.
  await field.fill('/api/hostile/characters?elemnt=Ice');
  await field.press('Enter');
  await shows('the sample has no attribute');
  await field.fill('/api/me');
  await field.press('Enter');
  await shows('missing-key');
  assert.equal(problems, []);
});

inBrowser('finds guides by words, and shows numbers and dates as the reader writes them', async (context) => {
  const { page, problems } = await visit(context, '/docs', undefined, { locale: 'de-DE' });
  await page.getByLabel('Search the guides').fill('etag header');
  const [first] = await page.locator('#guide-results a').all();
  assert.ok(first === undefined || (await first.getAttribute('href')));
  await page.locator('#guide-results a').first().click();
  await page.waitForURL(/\/docs\/\w+\/[\w-]+/);
  await page.goto(`${context.gateway.address}/games/saga/patches`);
  await page.getByText('01.02.2026').first().waitFor();
  assert.equal(problems, []);
});

inBrowser('shows the reference of the API, without any other host', async (context) => {
  const { page, problems } = await visit(context, '/docs/api', undefined, { prepare: countShifts });
  await page.getByRole('heading', { name: 'Game Data Read API' }).first().waitFor();
  assert.equal(await findShifts('docs-api', page), []);
  const settle = (theme: string) => page.locator(`body.${theme}-mode`).waitFor();
  const others = { selector: '#reference', rules: FAULTS_OF_SCALAR.map(({ rule }) => rule) };
  assert.equal(await look({ name: 'docs-api', page, others, isWhole: false, settle }), []);
  assert.equal(problems, []);
});

inBrowser('is accessible, light and fits, in any theme and width', async (context) => {
  const found: string[] = [];
  for (const address of PAGES) {
    const { page, problems } = await visit(context, address, undefined, { prepare: countShifts });
    await page.waitForLoadState('load');
    const name = address.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'home';
    found.push(...(await findShifts(name, page)), ...(await findHeavyLoads(name, page, MAX_KB)));
    found.push(...(await look({ name, page })), ...problems);
    await page.context().close();
  }
  assert.equal(found, []);
});

pages.run();
