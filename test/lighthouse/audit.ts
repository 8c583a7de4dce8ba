import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/paths.ts';

/** What Lighthouse says about a page on a mobile phone. */
export interface Audited {
  /** 0 to 100, of the categories that were asked for. */
  scores: Partial<Record<Category, number>>;
  /** Of `performance` alone: when the first content appears with simulated slow 4G and a slow processor, ms. */
  firstContentMs: number | undefined;
  /** What lowered the scores of the other categories. */
  faults: string[];
}

/** The categories of Lighthouse. */
export type Category = 'performance' | 'accessibility' | 'best-practices' | 'seo';

/** The categories that measure no time: they are the same on a busy machine, and need a third of the work. */
export const TIMELESS: readonly Category[] = ['accessibility', 'best-practices', 'seo'];

/** Audits the page at an address. */
export type Audit = (address: string) => Promise<Audited>;

/** The part of Lighthouse's result that is read here. */
interface Result {
  runtimeError?: { message: string };
  categories: Partial<
    Record<Category, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  >;
  audits: Record<
    string,
    { title: string; score: number | null; numericValue?: number; details?: { items?: object[] } }
  >;
}

type Lighthouse = (
  address: string,
  flags: { port: number; logLevel: 'error' },
  config: object,
) => Promise<{ lhr: Result } | undefined>;

/** Where `npm run lighthouse:install` installs it. */
const MODULE = path.join(ROOT, 'var/lighthouse/node_modules/lighthouse/core/index.js');
const MAX_DETAIL_CHARS = 500;

/** Whether Lighthouse is installed. */
export const hasLighthouse: boolean = existsSync(MODULE);

/**
 * Loads Lighthouse.
 *
 * @param port at which Chromium can be controlled
 * @param categories what is audited
 */
export async function openLighthouse(port: number, categories: readonly Category[]): Promise<Audit> {
  const settings = { onlyCategories: categories, disableFullPageScreenshot: true };
  const throttling = categories.includes('performance') ? {} : { throttlingMethod: 'provided' };
  const config = { extends: 'lighthouse:default', settings: { ...settings, ...throttling } };
  const { default: lighthouse } = (await import(pathToFileURL(MODULE).href)) as { default: Lighthouse };
  return async (address) => {
    const ran = await lighthouse(address, { port, logLevel: 'error' }, config);
    if (!ran || ran.lhr.runtimeError) throw new Error(`${address}: ${ran?.lhr.runtimeError?.message}`);
    return readResult(ran.lhr);
  };
}

function readResult({ categories, audits }: Result): Audited {
  const weighed = TIMELESS.flatMap((category) => categories[category]?.auditRefs ?? []);
  const faults = weighed.flatMap(({ id, weight }) => {
    const { title, score, details } = audits[id] ?? { title: id, score: null };
    if (weight === 0 || score === null || score === 1) return [];
    return [`${id}: ${title} ${JSON.stringify(details?.items ?? []).slice(0, MAX_DETAIL_CHARS)}`];
  });
  const scores = Object.entries(categories).map(([category, { score }]) => [
    category,
    Math.round((score ?? 0) * 100),
  ]);
  return {
    scores: Object.fromEntries(scores) as Audited['scores'],
    firstContentMs: audits['first-contentful-paint']?.numericValue,
    faults,
  };
}
