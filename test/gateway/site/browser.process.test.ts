import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestGateway } from '../../support/harness.ts';
import { ROOT } from '../../support/paths.ts';
import { findProgram, withPrograms } from '../../support/skip.ts';
import { startSite } from './site-world.ts';

interface Context {
  gateway: TestGateway;
  browser: Browser | undefined;
  /** The code of axe-core. */
  axe: string;
}

/** What axe-core found on a page. */
interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[];
}

const SCREENSHOTS = path.join(ROOT, 'var/screenshots');
/** A safety net; a page that is slow is no fault here. */
const MAX_WAIT_MS = 120_000;
const WIDTHS = [390, 1280];
const THEMES = ['light', 'dark'] as const;
/** The pages that are looked at, and whether axe-core checks them: the code of Scalar is not ours. */
const PAGES: readonly (readonly [path: string, isOurs: boolean])[] = [
  ['/', true],
  ['/games', true],
  ['/games/saga', true],
  ['/games/saga/patches', true],
  ['/games/saga/patches/1.1', true],
  ['/status', true],
  ['/docs', true],
  ['/docs/consumers/queries', true],
  ['/docs/api', false],
  ['/problems', true],
  ['/terms', true],
  ['/nowhere', true],
];

const pages = suite<Context>('the site in a browser');
pages.before(async (context) => {
  context.gateway = await startSite();
  context.axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const executablePath = findProgram('chromium');
  if (executablePath) context.browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  await mkdir(SCREENSHOTS, { recursive: true });
});
pages.after(async ({ gateway, browser }) => {
  await browser?.close();
  await gateway.stop();
});
const inBrowser = withPrograms(pages, 'chromium');

/** Opens a tab that fails on what a page logs as an error, and on requests to other hosts. */
async function openTab({ browser, gateway }: Context, options: object = {}) {
  const context = await (browser as Browser).newContext({
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(MAX_WAIT_MS);
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (entry) => {
    if (entry.type() === 'error' && !/status of 404/.test(entry.text())) faults.push(entry.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(gateway.address) && !/^(data|blob):/.test(request.url()))
      faults.push(request.url());
  });
  return { page, faults, close: () => context.close() };
}

inBrowser('lets a visitor run the example, change it, and read what was wrong', async (context) => {
  const { page, faults, close } = await openTab(context);
  await page.goto(context.gateway.address);
  const field = page.getByLabel('Request');
  const shows = (text: string | RegExp) => page.locator('.try-it pre').filter({ hasText: text }).waitFor();
  await field.fill('/api/saga/characters?element=Ice&sort=-stats.atk&limit=1&fields=name');
  await page.getByRole('button', { name: 'Run' }).click();
  await shows('"limit": 1');
  // By keyboard alone.
  await field.fill('/api/saga/characters?elemnt=Ice');
  await field.press('Enter');
  await shows('the sample has no attribute');
  await field.fill('/api/me');
  await field.press('Enter');
  await shows('missing-key');
  assert.equal(faults, []);
  await close();
});

inBrowser('finds guides by words, and shows numbers and dates as the reader writes them', async (context) => {
  const { page, faults, close } = await openTab(context, { locale: 'de-DE' });
  await page.goto(`${context.gateway.address}/docs`);
  await page.getByLabel('Search the guides').fill('etag header');
  const [first] = await page.locator('#guide-results a').all();
  assert.ok(first === undefined || (await first.getAttribute('href')));
  await page.locator('#guide-results a').first().click();
  await page.waitForURL(/\/docs\/\w+\/[\w-]+/);
  await page.goto(`${context.gateway.address}/games/saga/patches`);
  await page.getByText('01.02.2026').first().waitFor();
  assert.equal(faults, []);
  await close();
});

inBrowser('shows the reference of the API, without any other host', async (context) => {
  const { page, faults, close } = await openTab(context);
  await page.goto(`${context.gateway.address}/docs/api`);
  await page.getByRole('heading', { name: 'Game Data Read API' }).first().waitFor();
  assert.equal(faults, []);
  await close();
});

/** Looks at a page as axe-core does. @returns what is wrong */
async function examine(page: Page, axe: string): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
}

for (const theme of THEMES) {
  for (const width of WIDTHS) {
    inBrowser(`is accessible and fits, ${theme}, ${width} px`, async (context) => {
      const { page, faults, close } = await openTab(context, {
        viewport: { width, height: 900 },
        colorScheme: theme,
        reducedMotion: 'reduce',
      });
      for (const [address, isOurs] of PAGES) {
        await page.goto(context.gateway.address + address);
        const name = address.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'home';
        if (!isOurs) await page.getByRole('heading', { name: 'Game Data Read API' }).first().waitFor();
        await page.screenshot({
          path: path.join(SCREENSHOTS, `${name}-${theme}-${width}.png`),
          fullPage: isOurs,
        });
        const width_ = await page.evaluate('document.documentElement.scrollWidth');
        assert.ok(Number(width_) <= width, `${address} is ${width_} px wide`);
        if (isOurs) assert.equal(await examine(page, context.axe), [], address);
      }
      assert.equal(faults, []);
      await close();
    });
  }
}

pages.run();
