/// <reference lib="dom" />
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { suite } from 'uvu';
import type { TestGateway } from '../../support/harness.ts';
import { findProgram } from '../../support/skip.ts';
import { until } from '../../support/until.ts';

/** What tests in a browser share. */
export interface BrowserWorld {
  gateway: TestGateway;
  browser: Browser;
  /** The contexts that a test opened. */
  opened: BrowserContext[];
}

/** A page, and what was noticed about it. */
export interface Visit {
  page: Page;
  /** The requests to the API, without their origin. */
  requests: string[];
  /** Errors in the console, such as what the Content-Security-Policy blocked, and requests to other hosts. */
  problems: string[];
}

/** Options of a visit. */
export type VisitOptions = Parameters<Browser['newContext']>[0] & {
  /** What the visitor does with the page before its address is opened. */
  prepare?: (page: Page) => Promise<void>;
};

/** A safety net; a page that is slow is no fault here. */
const MAX_WAIT_MS = 120_000;

/** Starts Chromium. A test without it is skipped (`withPrograms`). */
async function launchChromium(): Promise<Browser | undefined> {
  const executablePath = findProgram('chromium');
  if (executablePath === undefined) return undefined;
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A suite whose tests share a gateway and a browser; what a test opens is closed after it. @param start sets the gateway */
export function browserSuite<T extends BrowserWorld>(name: string, start: (context: T) => Promise<void>) {
  const tests = suite<T>(name);
  tests.before(async (context) => {
    await start(context);
    const browser = await launchChromium();
    if (browser) context.browser = browser;
  });
  tests.after(async ({ gateway, browser }) => {
    await browser?.close();
    await gateway.stop();
  });
  tests.before.each((context) => {
    context.opened = [];
  });
  tests.after.each(async ({ opened }) => {
    for (const context of opened) await context.close();
  });
  return tests;
}

/** Opens a page in a new tab, with a key or without. */
export async function visit(
  { gateway, browser, opened }: BrowserWorld,
  address: string,
  key?: string,
  { prepare, ...options }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  opened.push(context);
  if (key !== undefined) await context.addInitScript((text) => sessionStorage.setItem('api-key', text), key);
  const page = await context.newPage();
  page.setDefaultTimeout(MAX_WAIT_MS);
  const seen: Visit = { page, requests: [], problems: [] };
  page.on('request', (request) => {
    const { origin, pathname, search } = new URL(request.url());
    if (origin !== gateway.address && !/^(data|blob):/.test(request.url()))
      seen.problems.push(`a request to ${origin}`);
    if (pathname.startsWith('/api/')) seen.requests.push(decodeURIComponent(pathname + search));
  });
  page.on('pageerror', (error) => seen.problems.push(error.message));
  page.on('console', (message) => {
    // A response with an error status is also logged, and pages get such responses.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      seen.problems.push(message.text());
  });
  await prepare?.(page);
  await page.goto(gateway.address + address);
  return seen;
}

/** The names in the table, in order, without the letters of their tiles. */
export function namesIn(page: Page): Promise<string[]> {
  return page
    .locator('table.records tbody th a')
    .evaluateAll((links) => links.map(({ lastChild }) => lastChild?.textContent ?? ''));
}

/** Waits until the table has these names. */
export async function showsNames(page: Page, names: readonly string[]): Promise<void> {
  await until(async () => (await namesIn(page)).join() === names.join());
}
