// The settings of the site.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readEmail } from '../store/email.ts';
import type { ImageMode } from './tile.ts';

/** What visitors see without a key: everything in the free view, or no site. */
export type SiteMode = 'full' | 'none';

/** The options of the site. */
export interface SiteSettings {
  site: SiteMode;
  /** How many pages of records, lists and searches a network opens in a minute before lists are refused and records wait. */
  siteBudget: number;
  /** How many pages that are not in memory are made in a minute for all networks together. */
  siteCommonBudget: number;
  images: ImageMode;
  /** What Pro costs: `$5 a month`. */
  proPrice?: string;
  /** Where to join. */
  proUrl: { name: string; address: string }[];
  /** The contact in `/.well-known/security.txt`; undefined for no file. */
  securityContact?: string;
  /** Until when it is valid, ms since 1970. */
  securityExpires?: number;
}

const MAX_BUDGET = 1_000_000;
const MAX_PRICE_CHARS = 60;
/** The names of platforms by the ends of their hosts. */
const PLATFORMS: Readonly<Record<string, string>> = { 'patreon.com': 'Patreon', 'ko-fi.com': 'Ko-fi' };

/** Adds the options of the site. */
export function addSiteOptions(command: Command): Command {
  const make = (flags: string, about: string, env: string) => new Option(flags, about).env(env);
  const options = [
    make(
      '--site <mode>',
      'what visitors see without a key: "full" for all that a free key sees, "none" for no site',
      'GATEWAY_SITE',
    )
      .choices(['full', 'none'])
      .default('full'),
    new Option('--no-site', 'the same as --site none'),
    make(
      '--site-budget <pages>',
      'pages of records, lists and searches that a network may open in a minute; then lists are refused, and records wait',
      'GATEWAY_SITE_BUDGET',
    )
      .default(120)
      .argParser(parseBudget),
    make(
      '--site-common-budget <pages>',
      'pages of records, lists and searches that are made in a minute for all networks together; then searches are refused, and then lists, but no record and nothing in memory',
      'GATEWAY_SITE_COMMON_BUDGET',
    )
      .default(3000)
      .argParser(parseBudget),
    make(
      '--images <who>',
      'who sees pictures, which browsers load from the hosts that the data names: "ask" for those who agree on a page, "on" for all, "off" for nobody',
      'GATEWAY_IMAGES',
    )
      .choices(['ask', 'on', 'off'])
      .default('ask'),
    make(
      '--pro-price <text>',
      'what Pro costs, as the home page shows it: "$5 a month"',
      'GATEWAY_PRO_PRICE',
    ).argParser(parsePrice),
    make(
      '--pro-url <addresses>',
      'where to join Pro: https addresses of your pages on the platforms, with spaces between them (default: none)',
      'GATEWAY_PRO_URL',
    )
      .default([], 'none')
      .argParser(parseAddresses),
    make(
      '--security-contact <address>',
      'where to report vulnerabilities, for /.well-known/security.txt: an email address or an https address (default: no such file)',
      'GATEWAY_SECURITY_CONTACT',
    ).argParser(parseContact),
    make(
      '--security-expires <time>',
      'until when that contact is valid, such as 2030-01-31; after it there is no such file (default: 180 days from each request on)',
      'GATEWAY_SECURITY_EXPIRES',
    ).argParser(parseExpiry),
  ];
  for (const option of options) command.addOption(option);
  return command;
}

function parseBudget(text: string): number {
  const pages = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (pages >= 1 && pages <= MAX_BUDGET) return pages;
  throw new InvalidArgumentError(`expected a whole number from 1 to ${MAX_BUDGET}.`);
}

function parsePrice(text: string): string {
  if (text.length <= MAX_PRICE_CHARS && !/\p{Cc}/u.test(text)) return text;
  throw new InvalidArgumentError(`expected a text of at most ${MAX_PRICE_CHARS} characters, on one line.`);
}

function parseAddresses(text: string): SiteSettings['proUrl'] {
  return text
    .split(/\s+/)
    .filter((address) => address !== '')
    .map((address) => {
      const url = httpsUrl(address);
      if (url) return { name: platformOf(url.hostname), address: url.href };
      throw new InvalidArgumentError(
        'expected addresses that begin with https://, with spaces between them.',
      );
    });
}

function httpsUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : undefined;
}

function platformOf(host: string): string {
  const domain = Object.keys(PLATFORMS).find((end) => host === end || host.endsWith(`.${end}`));
  return domain === undefined ? host : (PLATFORMS[domain] ?? '');
}

function parseContact(text: string): string {
  const email = readEmail(text.replace(/^mailto:/, ''));
  if (email !== undefined) return `mailto:${email}`;
  const url = httpsUrl(text);
  if (url) return url.href;
  throw new InvalidArgumentError('expected an email address, or an address that begins with https://.');
}

/** RFC 3339, or a day. */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(\.\d{1,3})?(Z|[+-]\d{2}:\d{2}))?$/;

function parseExpiry(text: string): number {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (time > Date.now()) return time;
  throw new InvalidArgumentError(
    'expected a time in the future, such as 2030-01-31 or 2030-01-31T12:00:00Z.',
  );
}
