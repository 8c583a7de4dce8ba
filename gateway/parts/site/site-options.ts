import { type Command, InvalidArgumentError, Option } from 'commander';

/** The options of the site. */
export interface SiteOptions {
  site: SiteMode;
  /** How many pages of records, lists and searches a network opens in a minute before lists are refused and records wait. */
  siteBudget: number;
  /** What Pro costs: `$5 a month`. */
  proPrice?: string;
  /** Where to join. */
  proUrl: { name: string; address: string }[];
}

/** What visitors see without a key: everything in the free view, a sample of each game, or no site. */
export type SiteMode = 'full' | 'sample' | 'none';

const DEFAULT_BUDGET = 120;
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
  const known = Object.keys(PLATFORMS).find((end) => host === end || host.endsWith(`.${end}`));
  return known === undefined ? host : (PLATFORMS[known] as string);
}
