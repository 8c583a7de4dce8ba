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
/** As Chromium estimates it for a response from its cache. */
const HEADER_BYTES = 300;
/** The document, the stylesheet, the icon, scripts, and the responses of the API. */
const MAX_REQUESTS = 18;

/** What axe-core found on a page. */
interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[];
}

/**
 * Looks at a page in both themes and widths. With GAMEDATA_SCREENSHOTS set, it makes a screenshot of each in `var/screenshots/`.
 *
 * @param name of the screenshots
 * @returns what axe-core found, and what is wider than the page
 */
export async function look({ name, page }: { name: string; page: Page }): Promise<string[]> {
  const code = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await page.evaluate(await readFile(code, 'utf8'));
  const found: string[] = [];
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { faults, wide } = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(): Promise<AxeResult> } };
      const { violations } = await axe.run();
      return {
        faults: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 200)}`)),
        wide: document.documentElement.scrollWidth,
      };
    });
    found.push(...faults.map((fault) => `${name} ${width} ${colorScheme}: ${fault}`));
    if (wide > width) found.push(`${name}: ${wide} px wide at ${width}`);
    if (!process.env.GAMEDATA_SCREENSHOTS) continue;
    const file = path.join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`);
    await page.screenshot({ path: file, fullPage: true });
  }
  return found;
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

/**
 * Returns in which ways a page loads badly: it moves by itself (`countShifts`), loads more than its budget or more than a few files, or waits for
 * more than the stylesheet before it shows anything.
 *
 * @param maxBytes compressed, with an estimate for header fields
 */
export async function findBadLoads(name: string, page: Page, maxBytes: number): Promise<string[]> {
  const { shift, loads } = await page.evaluate(() => ({
    shift: (window as unknown as { shift: number }).shift,
    loads: ['navigation', 'resource']
      .flatMap((type) => performance.getEntriesByType(type) as PerformanceResourceTiming[])
      .map((entry) => ({
        address: entry.name,
        size: entry.encodedBodySize,
        isBlocking: 'renderBlockingStatus' in entry && entry.renderBlockingStatus === 'blocking',
      })),
  }));
  const bytes = loads.reduce((sum, { size }) => sum + size + HEADER_BYTES, 0);
  const others = loads.filter(
    ({ address, isBlocking }) => isBlocking && !/\/assets\/site\.\w+\.css$/.test(address),
  );
  return [
    ...(shift > MAX_SHIFT ? [`${name} shifts by ${shift}`] : []),
    ...(bytes > maxBytes ? [`${name} loads ${bytes} bytes`] : []),
    ...(loads.length > MAX_REQUESTS ? [`${name} makes ${loads.length} requests`] : []),
    ...others.map(({ address }) => `${name} waits for ${address}`),
  ];
}
