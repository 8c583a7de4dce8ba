import { type Command, InvalidArgumentError, Option } from 'commander';
import { SLUG } from '../../scripts/format/dist-format.ts';
import type { ImageHosts } from './pictures.ts';

/** The options of the site. */
export interface SiteOptions {
  site: SiteMode;
  /** How many pages of records, lists and searches a network opens in a minute before lists are refused and records wait. */
  siteBudget: number;
  /** How many pages that are not in memory are made in a minute for all networks together. */
  siteCommonBudget: number;
  /** The hosts that pictures may be loaded from, by game. */
  images: ImageHosts;
  /** What Pro costs: `$5 a month`. */
  proPrice?: string;
  /** Where to join. */
  proUrl: { name: string; address: string }[];
}

/** What visitors see without a key: everything in the free view, a sample of each game, or no site. */
export type SiteMode = 'full' | 'sample' | 'none';

const DEFAULT_BUDGET = 120;
const DEFAULT_COMMON_BUDGET = 3000;
const MAX_BUDGET = 1_000_000;
const MAX_PRICE_CHARS = 60;
/** The names of platforms by the ends of their hosts. */
const PLATFORMS: Readonly<Record<string, string>> = { 'patreon.com': 'Patreon', 'ko-fi.com': 'Ko-fi' };

/** Adds the options of the site. */
export function addSiteOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--site <mode>',
        'what the site shows without a key: "full" for all that a free key sees, "sample" for ten characters of each game, "none" for no site',
      )
        .env('GATEWAY_SITE')
        .default('full')
        .argParser(parseMode),
    )
    .addOption(new Option('--no-site', 'the same as --site none'))
    .addOption(
      new Option(
        '--site-budget <pages>',
        'pages of records, lists and searches that a network may open in a minute; then lists are refused, and records wait',
      )
        .env('GATEWAY_SITE_BUDGET')
        .default(DEFAULT_BUDGET)
        .argParser(parseBudget),
    )
    .addOption(
      new Option(
        '--site-common-budget <pages>',
        'pages of records, lists and searches that are made in a minute for all networks together; then searches are refused, and then lists, but no record and nothing in memory',
      )
        .env('GATEWAY_SITE_COMMON_BUDGET')
        .default(DEFAULT_COMMON_BUDGET)
        .argParser(parseBudget),
    )
    .addOption(
      new Option(
        '--images <game=host,…>',
        'the hosts that browsers of visitors may load the pictures of a game from: genshin-impact=upload.example.com; more of them, or of other games, after commas',
      )
        .env('GATEWAY_IMAGES')
        .default(new Map(), 'none')
        .argParser(parseImages),
    )
    .addOption(
      new Option('--pro-price <text>', 'what Pro costs, as the home page shows it: "$5 a month"')
        .env('GATEWAY_PRO_PRICE')
        .argParser(parsePrice),
    )
    .addOption(
      new Option(
        '--pro-url <addresses>',
        'where to join Pro: https addresses of your pages on the platforms, with spaces between them (default: none)',
      )
        .env('GATEWAY_PRO_URL')
        .default([], 'none')
        .argParser(parseAddresses),
    );
}

/** Also reads `on` and `off`, which older settings have. */
function parseMode(text: string): SiteMode {
  if (text === 'full' || text === 'on') return 'full';
  if (text === 'none' || text === 'off') return 'none';
  if (text === 'sample') return text;
  throw new InvalidArgumentError('expected full, sample or none.');
}

function parseBudget(text: string): number {
  const pages = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (pages >= 1 && pages <= MAX_BUDGET) return pages;
  throw new InvalidArgumentError(`expected a whole number from 1 to ${MAX_BUDGET}.`);
}

/** A name of a host with a dot in it: no port, path, wildcard or number of an address. */
const HOST = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
const GAME = new RegExp(SLUG);

function parseImages(text: string): ImageHosts {
  const hosts = new Map<string, string[]>();
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [, game = '', host = ''] = /^([^=]*)=(.*)$/.exec(part.trim()) ?? [];
    if (!GAME.test(game) || !HOST.test(host))
      throw new InvalidArgumentError(
        `"${part.trim()}" is no game and host. Expected game=host with the plain name of an https host, such as genshin-impact=upload.example.com; no wildcard, port or path.`,
      );
    const ofGame = hosts.get(game) ?? [];
    hosts.set(game, [...new Set([...ofGame, host])]);
  }
  return hosts;
}

function parsePrice(text: string): string {
  if (text.length <= MAX_PRICE_CHARS && !/\p{Cc}/u.test(text)) return text;
  throw new InvalidArgumentError(`expected a text of at most ${MAX_PRICE_CHARS} characters, on one line.`);
}

function parseAddresses(text: string): SiteOptions['proUrl'] {
  return text
    .split(/\s+/)
    .filter((address) => address !== '')
    .map((address) => {
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
        throw new InvalidArgumentError(
          'expected addresses that begin with https://, with spaces between them.',
        );
      }
      return { name: platformOf(url.hostname), address: url.href };
    });
}

function platformOf(host: string): string {
  const domain = Object.keys(PLATFORMS).find((end) => host === end || host.endsWith(`.${end}`));
  return domain === undefined ? host : (PLATFORMS[domain] ?? '');
}
