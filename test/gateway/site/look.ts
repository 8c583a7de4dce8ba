/// <reference lib="dom" />
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../../support/paths.ts';

/** The looks that each page is checked in. */
const LOOKS = [
  { width: 390, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const;
const SCREENSHOTS = path.join(ROOT, 'var/screenshots');
const HEIGHT = 900;
/** What people do not notice, by Google's measure of it. */
const MAX_SHIFT = 0.02;
const KB = 1024;
/** As Chromium estimates it for a response from its cache. */
const HEADER_BYTES = 300;
/** The document, the stylesheet, the icon, scripts, and the responses of the API. */
const MAX_REQUESTS = 18;

/** What axe-core found on a page. */
interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** A page to look at. */
export interface LookedAt {
  /** The name of its screenshots. */
  name: string;
  page: Page;
  /** Whether the screenshots show all of it, and not only its beginning. */
  isWhole?: boolean;
}

/**
 * Looks at a page in both themes and widths. With GAMEDATA_SCREENSHOTS set, it makes a screenshot of each in `var/screenshots/`.
 *
 * @returns what axe-core found, and what is wider than the page
 */
export async function look({ name, page, isWhole = true }: LookedAt): Promise<string[]> {
  await page.evaluate(await axe());
  const found: string[] = [];
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const fault of await findFaults(page)) found.push(`${name} ${width} ${colorScheme}: ${fault}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) found.push(`${name}: ${wide} px wide at ${width}`);
    if (!process.env.GAMEDATA_SCREENSHOTS) continue;
    const file = path.join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`);
    await page.screenshot({ path: file, fullPage: isWhole });
  }
  return found;
}

/** Runs axe-core, which the page has loaded. */
async function findFaults(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<AxeResult> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 200)}`));
  });
}

let axeCode: Promise<string> | undefined;

/** The code of axe-core. */
function axe(): Promise<string> {
  axeCode ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return axeCode;
}

/** Counts how much the content of a page moves by itself, from its beginning on. */
export async function countShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counted = window as unknown as { shift: number };
    counted.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[])
        if (!entry.hadRecentInput) counted.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Returns whether a page has moved by itself too much until now (`countShifts`). */
export async function findShifts(name: string, page: Page): Promise<string[]> {
  const shift = await page.evaluate(() => (window as unknown as { shift: number }).shift);
  return shift > MAX_SHIFT ? [`${name} shifts by ${shift}`] : [];
}

/** What a page has loaded. */
interface Loads {
  /** As sent: compressed, with an estimate for header fields. */
  bytes: number;
  requests: number;
  /** What the browser waits for before it shows anything. */
  blocking: string[];
}

/** Returns what a page has loaded, as the browser counts it. */
async function readLoads(page: Page): Promise<Loads> {
  const entries = (await page.evaluate(
    '["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type)).map(({ name, encodedBodySize, renderBlockingStatus }) => ({ name, size: encodedBodySize, isBlocking: renderBlockingStatus === "blocking" }))',
  )) as { name: string; size: number; isBlocking: boolean }[];
  return {
    bytes: entries.reduce((sum, { size }) => sum + size + HEADER_BYTES, 0),
    requests: entries.length,
    blocking: entries.filter(({ isBlocking }) => isBlocking).map(({ name }) => new URL(name).pathname),
  };
}

/**
 * Returns in which ways a page loads too much: more than its budget, more than a few files, or anything except the stylesheet that keeps the
 * browser from showing it.
 *
 * @param maxKb compressed
 */
export async function findHeavyLoads(name: string, page: Page, maxKb: number): Promise<string[]> {
  const { bytes, requests, blocking } = await readLoads(page);
  const others = blocking.filter((address) => !/^\/assets\/site\.\w+\.css$/.test(address));
  return [
    ...(bytes > maxKb * KB ? [`${name} loads ${bytes} bytes`] : []),
    ...(requests > MAX_REQUESTS ? [`${name} makes ${requests} requests`] : []),
    ...others.map((address) => `${name} waits for ${address}`),
  ];
}
