// The settings of `gateway`: the table from which options, environment variables, `--help` and the table of the docs are made.
import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import ipaddr from 'ipaddr.js';
import { keysOf } from '../../scripts/format/dist-format.ts';
import { readTrustedProxies, type TrustedProxies } from '../http/incoming.ts';
import { readEmail } from '../store/email.ts';

/**
 * An option of `gateway serve`, and how its text is read. Its name is also that of its flag and of its environment variable: `publicUrl` is
 * --public-url and GATEWAY_PUBLIC_URL.
 */
type Setting = readonly [
  argument: string,
  help: string,
  initial?: string | undefined,
  read?: (text: string) => unknown,
];

const readPort = readNumber(0, 65535);

/** The options of `gateway serve`. The help is also the text of docs/operators/settings.md, without its links. */
export const SETTINGS = {
  port: ['<number>', 'port to listen on; 0 for any free one', '3000', readPort],
  host: ['<address>', 'address to listen on', '127.0.0.1'],
  dist: ['<address>', 'what gamedata build wrote: a folder, or https://… or s3://… (many machines)', 'dist'],
  cache: ['<folder>', 'the folder for the copy of a dist/ that is on another machine', 'var/dist'],
  store: ['<address>', 'accounts, keys and quotas: a folder, or postgres://user@host/database', 'var/store'],
  accessLog: ['<on|off>', 'on or off: a line per response in the log', 'on', readSwitch],
  demo: ['[on|off]', 'on or off: demo keys; not by the strict rules', 'off', readSwitch],
  dev: ['[on|off]', 'on or off: turns off the strict rules', 'off', readSwitch],
  signup: ['<on|off>', 'on or off: keys by email; by default on if mails can be sent', undefined, readSwitch],
  publicUrl: ['<address>', 'the address that people use; by default where it listens', undefined, readOrigin],
  trustedProxy: [
    '<proxies>',
    'whose X-Forwarded-For and X-Request-Id count: how many proxies, or their CIDR ranges',
    '',
    readProxies,
  ],
  securityContact: ['<address>', 'for security.txt: an email address or https://…', undefined, readContact],
  site: ['<mode>', 'full for all that a free key sees, none for no pages', 'full', oneOf('full', 'none')],
  siteBudget: ['<pages>', 'how many pages of data a network may open in a minute', '120', readNumber(1, 1e6)],
  images: ['<who>', 'who sees pictures of other hosts: ask, on or off', 'ask', oneOf('ask', 'on', 'off')],
  proPrice: ['<text>', 'what Pro costs, as the home page shows it: $5 a month'],
  proUrl: ['<addresses>', 'where to join Pro: https://… addresses, with spaces between them', '', readLinks],
  workers: ['<number>', 'processes that share the port', '1', readNumber(1, 256)],
  metricsPort: ['<number>', 'port for /metrics', undefined, readPort],
  metricsHost: ['<address>', 'address that --metrics-port listens on', '127.0.0.1'],
  cdnUrl: ['<address>', 'the bucket that serves signed links (CDN): s3://bucket/prefix'],
} as const satisfies Record<string, Setting>;

const SERVE = 'gateway serve';
const MEMBERS = 'gateway serve, gateway members import';

/** Environment variables without an option: the commands that use each, and its meaning. */
export const VARIABLES = {
  GATEWAY_SECRET_KEY: ['all commands with --store', 'the secret key of the store: 32 bytes as base64'],
  SMTP_URL: [SERVE, 'the mail server: smtps://user:password@host:465, or smtp://host:587 for STARTTLS'],
  MAIL_FROM: [SERVE, 'the sender of mails: Game Data <keys@example.org>'],
  PATREON_WEBHOOK_SECRET: [SERVE, 'the secret that Patreon shows for the webhook'],
  PATREON_TIERS: [MEMBERS, 'ids or titles of the tiers that include Pro, separated by commas'],
  PATREON_CURRENCY: [
    MEMBERS,
    'the currency of PATREON_MIN_CENTS, such as EUR: amounts in others are reported, not compared',
  ],
  PATREON_MIN_CENTS: [MEMBERS, 'the amount in cents that includes Pro, whatever the tier: 500'],
  KOFI_VERIFICATION_TOKEN: [SERVE, 'the token that Ko-fi shows for the webhook'],
  KOFI_TIERS: [MEMBERS, 'names of the tiers that include Pro, separated by commas'],
  KOFI_MIN_AMOUNT: [MEMBERS, 'the amounts that include Pro, whatever the tier: 5 EUR,6 USD'],
  AWS_ACCESS_KEY_ID: ['s3://…', 'the name of the credentials of a bucket'],
  AWS_SECRET_ACCESS_KEY: ['s3://…', 'the secret of these credentials'],
  AWS_SESSION_TOKEN: ['s3://…', 'the third part of credentials that are temporary'],
  AWS_REGION: ['s3://…', 'the region of a bucket: us-east-1 if it is not set'],
  AWS_ENDPOINT_URL_S3: ['s3://…', 'the S3-compatible store, if it is not that of AWS'],
} as const satisfies Record<string, readonly [usedBy: string, help: string]>;

type Settings = typeof SETTINGS;
type ValueOf<S extends Setting> =
  | (S extends readonly [...unknown[], (text: string) => infer Value] ? Value : string)
  | (S[2] extends string ? never : undefined);

export type ServeSettings = { -readonly [Name in keyof Settings]: ValueOf<Settings[Name]> } & {
  /** Whether settings are only checked. */
  check?: true;
};

/** Returns the name of a setting in upper case with a separator, `PUBLIC_URL`. */
const upperCase = (name: string, separator: string) => name.replace(/[A-Z]/g, `${separator}$&`).toUpperCase();

export function settingOption(name: keyof Settings): Option {
  const [argument, help, initial, read = String]: Setting = SETTINGS[name];
  const flag = `--${upperCase(name, '-').toLowerCase()}`;
  const option = new Option(`${flag} ${argument}`, help).argParser(read);
  option.env(`GATEWAY_${upperCase(name, '_')}`);
  if (initial !== undefined) option.default(read(initial), initial || 'none');
  return argument.startsWith('[') ? option.preset('on') : option;
}

export function addSettings(command: Command): Command {
  for (const name of keysOf(SETTINGS)) command.addOption(settingOption(name));
  command.option('--check', 'only check: read these settings, open the store and dist, and report');
  const lines = Object.entries(VARIABLES).flatMap(([name, [usedBy, help]]) =>
    usedBy.startsWith(SERVE) || usedBy.startsWith('all') ? `  ${name.padEnd(24)}${help}` : [],
  );
  return command.addHelpText('after', `\nEnvironment variables without an option:\n${lines.join('\n')}`);
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

function expected(what: string): InvalidArgumentError {
  return new InvalidArgumentError(`expected ${what}.`);
}

function oneOf<T extends string>(...choices: T[]): (text: string) => T {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw expected(choices.join(' or '));
  };
}

function readSwitch(text: string): boolean {
  return oneOf('on', 'off')(text) === 'on';
}

function readNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw expected(`a number from ${min} to ${max}`);
  };
}

function readProxies(text: string): TrustedProxies {
  try {
    return readTrustedProxies(text);
  } catch {
    throw expected('the number of proxies, or their addresses, such as 1 or 127.0.0.1,10.0.0.0/8');
  }
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function readOrigin(text: string): string {
  const url = urlOf(text);
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw expected('an address without a path, such as https://api.example.org');
}

function httpsUrl(text: string): URL | undefined {
  const url = urlOf(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : undefined;
}

function readLinks(text: string): { name: string; address: string }[] {
  return (text.match(/\S+/g) ?? []).map((address) => {
    const url = httpsUrl(address);
    if (url) return { name: url.hostname.replace(/^www\./, ''), address: url.href };
    throw expected('addresses that begin with https://, with spaces between them');
  });
}

function readContact(text: string): string {
  const email = readEmail(text.replace(/^mailto:/, ''));
  const address = email === undefined ? httpsUrl(text)?.href : `mailto:${email}`;
  if (address !== undefined) return address;
  throw expected('an email address, or an address that begins with https://');
}
