// The settings of `gateway`: the table from which options, environment variables, `--help` and the table of the docs are made.
import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import ipaddr from 'ipaddr.js';
import { readTrustedProxies, type TrustedProxies } from '../http/incoming.ts';
import { readEmail } from '../store/email.ts';

/**
 * An option of `gateway serve`, and how its text is read. Without a default, help and docs say `absent`, or `none`. Its environment variable has its
 * name: `publicUrl` is GATEWAY_PUBLIC_URL.
 */
type Setting = readonly [
  flags: string,
  help: string,
  read: (text: string) => unknown,
  initial?: string | undefined,
  absent?: string,
];

const asIs = (text: string) => text;
const readPort = wholeNumber(0, 65535);

/** The options of `gateway serve`. The help is also the text of docs/operators/settings.md, without its links. */
export const SETTINGS = {
  port: ['--port <number>', 'port to listen on; 0 for any free one', readPort, '3000'],
  host: ['--host <address>', 'address to listen on', asIs, '127.0.0.1'],
  dist: [
    '--dist <address>',
    'what gamedata build wrote: a folder, or https://… or s3://… (many machines)',
    asIs,
    'dist',
  ],
  cache: [
    '--cache <folder>',
    'the folder for the copy of a dist/ that is on another machine',
    asIs,
    'var/dist',
  ],
  store: [
    '--store <address>',
    'accounts, keys and quotas: a folder, or postgres://user@host/database',
    asIs,
    'var/store',
  ],
  accessLog: ['--access-log <on|off>', 'on or off: a line per response in the log', readSwitch, 'on'],
  demo: ['--demo [on|off]', 'on or off: demo keys; not by the strict rules', readSwitch, 'off'],
  dev: ['--dev [on|off]', 'on or off: turns off the strict rules', readSwitch, 'off'],
  signup: [
    '--signup <on|off>',
    'on or off: keys by email',
    readSwitch,
    undefined,
    'on; if strict, on with SMTP_URL',
  ],
  publicUrl: [
    '--public-url <address>',
    'the address that people use; links in mails and of downloads begin with it',
    readPublicUrl,
    undefined,
    'where it listens',
  ],
  trustedProxy: [
    '--trusted-proxy <proxies>',
    'whose X-Forwarded-For and X-Request-Id count: how many proxies, or their CIDR ranges',
    readProxies,
    '',
  ],
  securityContact: [
    '--security-contact <address>',
    'where to report vulnerabilities, for /.well-known/security.txt: an email address or https://…',
    readContact,
  ],
  site: [
    '--site <mode>',
    'full for pages of all that a free key sees, none for no pages',
    oneOf('full', 'none'),
    'full',
  ],
  siteBudget: [
    '--site-budget <pages>',
    'how many pages of data a network may open in a minute',
    wholeNumber(1, 1_000_000),
    '120',
  ],
  images: [
    '--images <who>',
    'who sees pictures of other hosts: ask for who agrees, on, off',
    oneOf('ask', 'on', 'off'),
    'ask',
  ],
  proPrice: ['--pro-price <text>', 'what Pro costs, as the home page shows it: $5 a month', asIs],
  proUrl: [
    '--pro-url <addresses>',
    'where to join Pro: https://… addresses, with spaces between them',
    readProAddresses,
    '',
  ],
  workers: ['--workers <number>', 'processes that share the port', wholeNumber(1, 256), '1'],
  metricsPort: ['--metrics-port <number>', 'port for /metrics', readPort],
  metricsHost: ['--metrics-host <address>', 'address that --metrics-port listens on', asIs, '127.0.0.1'],
  cdnUrl: [
    '--cdn-url <address>',
    'the bucket that serves signed links (CDN): s3://bucket/prefix',
    asIs,
    undefined,
    'the gateway itself',
  ],
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
  | ReturnType<S[2]>
  | (S extends readonly [unknown, unknown, unknown, string] ? never : undefined);

export type ServeSettings = { -readonly [Name in keyof Settings]: ValueOf<Settings[Name]> } & {
  /** Whether settings are only checked. */
  check?: true;
};

/** Returns the environment variable of a setting. */
export function variableOf(name: string): string {
  return `GATEWAY_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

export function settingOption(name: keyof Settings): Option {
  const [flags, help, read, initial, absent = 'none']: Setting = SETTINGS[name];
  const shown = initial === undefined ? ` (default: ${absent})` : '';
  const option = new Option(flags, help + shown).argParser(read).env(variableOf(name));
  if (initial !== undefined) option.default(read(initial), initial || 'none');
  return flags.includes('[') ? option.preset('on') : option;
}

export function addSettings(command: Command): Command {
  for (const name of Object.keys(SETTINGS) as (keyof Settings)[]) command.addOption(settingOption(name));
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

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw expected(`a number from ${min} to ${max}`);
  };
}

function readPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw expected('an address without a path, such as https://api.example.org');
}

function readProxies(text: string): TrustedProxies {
  try {
    return readTrustedProxies(text);
  } catch (error) {
    const what = 'the number of proxies, or their addresses, such as 1 or 127.0.0.1,10.0.0.0/8';
    throw expected(`${what}: ${(error as Error).message}`);
  }
}

function httpsUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : undefined;
}

function readProAddresses(text: string): { name: string; address: string }[] {
  const addresses = text.split(/\s+/).filter((address) => address !== '');
  return addresses.map((address) => {
    const url = httpsUrl(address);
    if (!url) throw expected('addresses that begin with https://, with spaces between them');
    return { name: url.hostname.replace(/^www\./, ''), address: url.href };
  });
}

function readContact(text: string): string {
  const email = readEmail(text.replace(/^mailto:/, ''));
  const address = email === undefined ? httpsUrl(text)?.href : `mailto:${email}`;
  if (address !== undefined) return address;
  throw expected('an email address, or an address that begins with https://');
}
