// The settings of `gateway`: the table from which options, environment variables, `--help` and the table of the docs are made.
import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import ipaddr from 'ipaddr.js';
import { isObjectStore } from '../../scripts/publish/targets.ts';
import { CommandError } from '../../scripts/system.ts';
import { readTrustedProxies, type TrustedProxies } from '../http/incoming.ts';
import { readEmail } from '../store/email.ts';

/** An option of `gateway serve`. */
interface Setting {
  flags: string;
  env?: string;
  /** The default as a user would write it. */
  initial?: string;
  /** Shown by help and docs instead of a default; `none` if absent. */
  absent?: string;
  help: string;
  read(text: string): unknown;
}

const MAX_WORKERS = 256;
const MAX_PAGES = 1_000_000;
const MAX_PRICE_CHARS = 60;
const MIN_SECRET_CHARS = 16;

const asIs = (text: string) => text;

/** The options of `gateway serve`. `help` is also the text of docs/operators/settings.md, without its links. */
export const SETTINGS = {
  port: {
    flags: '--port <number>',
    env: 'GATEWAY_PORT',
    initial: '3000',
    help: 'port to listen on; 0 for any free one',
    read: wholeNumber(0, 65535),
  },
  host: {
    flags: '--host <address>',
    env: 'GATEWAY_HOST',
    initial: '127.0.0.1',
    help: 'address to listen on',
    read: asIs,
  },
  dist: {
    flags: '--dist <address>',
    env: 'GATEWAY_DIST',
    initial: 'dist',
    help: 'what gamedata build wrote: a folder, or https://… or s3://… (many machines)',
    read: asIs,
  },
  cache: {
    flags: '--cache <folder>',
    env: 'GATEWAY_CACHE',
    initial: 'var/dist',
    help: 'the folder for the copy of a dist/ that is on another machine',
    read: asIs,
  },
  store: {
    flags: '--store <address>',
    env: 'GATEWAY_STORE',
    initial: 'var/store',
    help: 'accounts, keys and quotas: a folder, or postgres://user@host/database',
    read: asIs,
  },
  accessLog: {
    flags: '--access-log <on|off>',
    env: 'GATEWAY_ACCESS_LOG',
    initial: 'on',
    help: 'on or off: a line per response in the log',
    read: readSwitch,
  },
  demo: {
    flags: '--demo [on|off]',
    env: 'GATEWAY_DEMO',
    initial: 'off',
    help: 'on or off: demo keys; not by the strict rules',
    read: readSwitch,
  },
  dev: {
    flags: '--dev [on|off]',
    env: 'GATEWAY_DEV',
    initial: 'off',
    help: 'on or off: turns off the strict rules',
    read: readSwitch,
  },
  signup: {
    flags: '--signup <on|off>',
    env: 'GATEWAY_SIGNUP',
    absent: 'on; if strict, on with SMTP_URL',
    help: 'on or off: keys by email',
    read: readSwitch,
  },
  publicUrl: {
    flags: '--public-url <address>',
    env: 'GATEWAY_PUBLIC_URL',
    absent: 'where it listens',
    help: 'the address that people use; links in mails and of downloads begin with it',
    read: parsePublicUrl,
  },
  trustedProxy: {
    flags: '--trusted-proxy <proxies>',
    env: 'GATEWAY_TRUSTED_PROXY',
    initial: '',
    help: 'whose X-Forwarded-For and X-Request-Id count: how many proxies, or their CIDR ranges',
    read: readProxies,
  },
  securityContact: {
    flags: '--security-contact <address>',
    env: 'GATEWAY_SECURITY_CONTACT',
    help: 'where to report vulnerabilities, for /.well-known/security.txt: an email address or https://…',
    read: readContact,
  },
  site: {
    flags: '--site <mode>',
    env: 'GATEWAY_SITE',
    initial: 'full',
    help: 'full for pages of all that a free key sees, none for no pages',
    read: oneOf('full', 'none'),
  },
  siteBudget: {
    flags: '--site-budget <pages>',
    env: 'GATEWAY_SITE_BUDGET',
    initial: '120',
    help: 'how many pages of data a network may open in a minute',
    read: wholeNumber(1, MAX_PAGES),
  },
  images: {
    flags: '--images <who>',
    env: 'GATEWAY_IMAGES',
    initial: 'ask',
    help: 'who sees pictures of other hosts: ask for who agrees, on, off',
    read: oneOf('ask', 'on', 'off'),
  },
  proPrice: {
    flags: '--pro-price <text>',
    env: 'GATEWAY_PRO_PRICE',
    help: 'what Pro costs, as the home page shows it: $5 a month',
    read: readPrice,
  },
  proUrl: {
    flags: '--pro-url <addresses>',
    env: 'GATEWAY_PRO_URL',
    initial: '',
    help: 'where to join Pro: https://… addresses, with spaces between them',
    read: readProAddresses,
  },
  workers: {
    flags: '--workers <number>',
    env: 'GATEWAY_WORKERS',
    initial: '1',
    help: 'processes that share the port',
    read: wholeNumber(1, MAX_WORKERS),
  },
  metricsPort: {
    flags: '--metrics-port <number>',
    env: 'GATEWAY_METRICS_PORT',
    help: 'port for /metrics',
    read: wholeNumber(0, 65535),
  },
  metricsHost: {
    flags: '--metrics-host <address>',
    env: 'GATEWAY_METRICS_HOST',
    initial: '127.0.0.1',
    help: 'address that --metrics-port listens on; a name with dots also allows requests by that name',
    read: asIs,
  },
  cdnUrl: {
    flags: '--cdn-url <address>',
    env: 'GATEWAY_CDN_URL',
    absent: 'the gateway itself',
    help: 'who serves signed links (CDN): an nginx at https://…, or the bucket s3://…',
    read: readBase,
  },
  accelRedirect: {
    flags: '--accel-redirect <location>',
    env: 'GATEWAY_ACCEL_REDIRECT',
    help: 'the location from which nginx sends files, such as /dist/',
    read: readLocation,
  },
  plainHttp: {
    flags: '--plain-http [on|off]',
    initial: 'off',
    help: "on or off: Node's own HTTP writes every response, to rule the fast path out as a cause",
    read: readSwitch,
  },
} as const satisfies Record<string, Setting>;

/** Environment variables without an option: the commands that use each, and its meaning. */
export const VARIABLES = {
  GATEWAY_SECRET_KEY: ['all commands with --store', 'the secret key of the store: 32 bytes as base64'],
  GATEWAY_LINK_SECRET: [
    'gateway serve',
    'the secret that signs links, the same as in the configuration of nginx; without it the store keeps one',
  ],
  SMTP_URL: [
    'gateway serve',
    'the mail server: smtps://user:password@host:465, or smtp://host:587 for STARTTLS',
  ],
  MAIL_FROM: ['gateway serve', 'the sender of mails: Game Data <keys@example.org>'],
  PATREON_WEBHOOK_SECRET: ['gateway serve', 'the secret that Patreon shows for the webhook'],
  PATREON_TIERS: [
    'gateway serve, gateway members import',
    'ids or titles of the tiers that include Pro, separated by commas',
  ],
  PATREON_CURRENCY: [
    'gateway serve, gateway members import',
    'the currency of PATREON_MIN_CENTS, such as EUR: amounts in others are reported, not compared',
  ],
  PATREON_MIN_CENTS: [
    'gateway serve, gateway members import',
    'the amount in cents that includes Pro, whatever the tier: 500',
  ],
  KOFI_VERIFICATION_TOKEN: ['gateway serve', 'the token that Ko-fi shows for the webhook'],
  KOFI_TIERS: [
    'gateway serve, gateway members import',
    'names of the tiers that include Pro, separated by commas',
  ],
  KOFI_MIN_AMOUNT: [
    'gateway serve, gateway members import',
    'the amounts that include Pro, whatever the tier: 5 EUR,6 USD',
  ],
  AWS_ACCESS_KEY_ID: ['s3://…', 'the name of the credentials of a bucket'],
  AWS_SECRET_ACCESS_KEY: ['s3://…', 'the secret of these credentials'],
  AWS_SESSION_TOKEN: ['s3://…', 'the third part of credentials that are temporary'],
  AWS_REGION: ['s3://…', 'the region of a bucket: us-east-1 if it is not set'],
  AWS_ENDPOINT_URL_S3: ['s3://…', 'the S3-compatible store, if it is not that of AWS'],
} as const satisfies Record<string, readonly [usedBy: string, help: string]>;

type Settings = typeof SETTINGS;
type ValueOf<S extends Setting> = S extends { initial: string }
  ? ReturnType<S['read']>
  : ReturnType<S['read']> | undefined;

export type ServeSettings = { -readonly [Name in keyof Settings]: ValueOf<Settings[Name]> } & {
  /** Whether settings are only checked. */
  check?: true;
};

export function settingOption(name: keyof Settings): Option {
  const { flags, env, initial, absent, help, read }: Setting = SETTINGS[name];
  const shown = initial === undefined ? ` (default: ${absent ?? 'none'})` : '';
  const option = new Option(flags, help + shown).argParser(read);
  if (initial !== undefined) option.default(read(initial), initial || 'none');
  if (env !== undefined) option.env(env);
  return flags.includes('[') ? option.preset('on') : option;
}

export function addSettings(command: Command): Command {
  for (const name of Object.keys(SETTINGS) as (keyof Settings)[]) command.addOption(settingOption(name));
  command.option('--check', 'only check: read these settings, open the store and dist, and report');
  const lines = Object.entries(VARIABLES).flatMap(([name, [usedBy, help]]) =>
    usedBy.startsWith('gateway serve') || usedBy.startsWith('all') ? `  ${name.padEnd(24)}${help}` : [],
  );
  return command.addHelpText('after', `\nEnvironment variables without an option:\n${lines.join('\n')}`);
}

/** Reads the secret that signs links. @throws CommandError if nginx could not read it in its configuration */
export function readLinkSecret(environment: NodeJS.ProcessEnv): string | undefined {
  const secret = environment.GATEWAY_LINK_SECRET;
  // Quotes and dollar signs have a meaning in an nginx configuration.
  if (secret === undefined || (secret.length >= MIN_SECRET_CHARS && /^[\w.~-]+$/.test(secret))) return secret;
  throw new CommandError(
    `GATEWAY_LINK_SECRET: expected at least ${MIN_SECRET_CHARS} letters, digits and any of . _ ~ -`,
    2,
  );
}

/** The settings that decide whether a gateway is strict. */
export type ReachOptions = Pick<ServeSettings, 'host' | 'dev'> & {
  publicUrl?: string | undefined;
  trustedProxy: Pick<TrustedProxies, 'exist'>;
};

/**
 * Returns whether a gateway is strict, because others can reach it: it prints no demo keys, writes no mails to files, and sends webhooks only to the
 * public Internet. It is not strict if only its own machine can reach it, or with `--dev`.
 */
export function isStrict({ host, publicUrl, trustedProxy, dev }: ReachOptions): boolean {
  if (dev) return false;
  if (trustedProxy.exist || !isLoopback(host)) return true;
  return publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname);
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return address === 'localhost';
  return ipaddr.process(address).range() === 'loopback';
}

function readSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('expected on or off.');
}

function oneOf<T extends string>(...choices: T[]): (text: string) => T {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`expected ${choices.join(' or ')}.`);
  };
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`expected a number from ${min} to ${max}.`);
  };
}

function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new InvalidArgumentError('expected an address without a path, such as https://api.example.org.');
}

function readProxies(text: string): TrustedProxies {
  try {
    return readTrustedProxies(text);
  } catch (error) {
    throw new InvalidArgumentError(
      `expected the number of proxies, or their addresses, such as 1 or 127.0.0.1,10.0.0.0/8: ${(error as Error).message}.`,
    );
  }
}

function readPrice(text: string): string {
  if (text.length <= MAX_PRICE_CHARS && !/\p{Cc}/u.test(text)) return text;
  throw new InvalidArgumentError(`expected a text of at most ${MAX_PRICE_CHARS} characters, on one line.`);
}

function httpsUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : undefined;
}

/** The names of platforms by their domains. */
const PLATFORMS = { 'patreon.com': 'Patreon', 'ko-fi.com': 'Ko-fi' };

function readProAddresses(text: string): { name: string; address: string }[] {
  const addresses = text.split(/\s+/).filter((address) => address !== '');
  return addresses.map((address) => {
    const url = httpsUrl(address);
    if (!url)
      throw new InvalidArgumentError(
        'expected addresses that begin with https://, with spaces between them.',
      );
    const { hostname } = url;
    const platform = Object.entries(PLATFORMS).find(([end]) => `.${hostname}`.endsWith(`.${end}`));
    return { name: platform?.[1] ?? hostname, address: url.href };
  });
}

function readContact(text: string): string {
  const email = readEmail(text.replace(/^mailto:/, ''));
  if (email !== undefined) return `mailto:${email}`;
  const url = httpsUrl(text);
  if (url) return url.href;
  throw new InvalidArgumentError('expected an email address, or an address that begins with https://.');
}

function readBase(text: string): string {
  if (isObjectStore(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (isPlain) return url.href.replace(/\/$/, '');
  throw new InvalidArgumentError(
    'expected an address such as https://cdn.example.org/games or s3://bucket/prefix.',
  );
}

function readLocation(text: string): string {
  // Excludes what nginx would decode, and paths that leave the location.
  if (/^\/(?:[\w-][\w.-]*\/)+$/.test(text)) return text;
  throw new InvalidArgumentError('expected a path that begins and ends with a slash, such as /dist/.');
}
