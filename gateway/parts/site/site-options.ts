import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseSwitch } from '../../core/commands/strict-mode.ts';

/** The options of the site. */
export interface SiteOptions {
  /** Whether to serve the site. */
  site: boolean;
  /** What Pro costs: `$5 a month`. */
  proPrice?: string;
  /** Where to join. */
  proUrl: { name: string; address: string }[];
}

const MAX_PRICE_CHARS = 60;
/** The names of platforms by the ends of their hosts. */
const PLATFORMS: Readonly<Record<string, string>> = { 'patreon.com': 'Patreon', 'ko-fi.com': 'Ko-fi' };

/** Adds the options of the site. */
export function addSiteOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--site <on|off>', 'serve the site: games, patches, documentation, status')
        .env('GATEWAY_SITE')
        .default(true, 'on')
        .argParser(parseSwitch),
    )
    .addOption(new Option('--no-site', 'the same as --site off'))
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
