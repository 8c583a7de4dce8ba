import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import ipaddr from 'ipaddr.js';
import { readTrustedProxies, type TrustedProxies } from '../http/incoming.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../http/log.ts';
import { STORE_HELP } from '../store/open.ts';
import { parsePort } from './processes.ts';

/** The options that decide whether a gateway is strict. */
export interface ReachOptions {
  /** The address to listen on. */
  host: string;
  /** undefined for the address that the gateway listens on. */
  publicUrl?: string;
  trustedProxy: Pick<TrustedProxies, 'exist'>;
  /** Whether the operator has turned the strict rules off. */
  dev: boolean;
}

/**
 * Reports whether a gateway is strict: others may reach it, so it prints no demo keys, writes no mails to files, and sends webhooks only to
 * the public Internet. It is not strict if only its own machine reaches it, or with `--dev`.
 */
export function isStrict(options: ReachOptions): boolean {
  return !options.dev && isReachable(options);
}

/** Reports whether others may reach a gateway: through a proxy, or because its listening address or public URL is not a loopback address. */
function isReachable({ host, publicUrl, trustedProxy }: Omit<ReachOptions, 'dev'>): boolean {
  if (trustedProxy.exist || !isLoopback(host)) return true;
  return publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname);
}

/** Makes the option `--dev`. */
export function devOption(): Option {
  return new Option('--dev [on|off]', 'turn off the rules that protect a gateway that others can reach')
    .env('GATEWAY_DEV')
    .preset('on')
    .default(false, 'off')
    .argParser(parseSwitch);
}

/** Parses an option that is on or off. */
export function parseSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('expected on or off.');
}

/** Parses the public URL of the gateway. */
export function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new InvalidArgumentError('expected an address without a path, such as https://api.example.org.');
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return address === 'localhost';
  return ipaddr.process(address).range() === 'loopback';
}

/** The options of `gateway serve`. */
export interface ServeOptions extends ReachOptions {
  port: number;
  dist: string;
  store: string;
  accessLog: boolean;
  logLevel: LogLevel;
  logFormat: LogFormat;
  trustedProxy: TrustedProxies;
}

/** Adds the options of `gateway serve`. */
export function addServeOptions(command: Command): Command {
  addDataOptions(command);
  addSwitchOptions(command);
  addLogOptions(command);
  addPublicOptions(command);
  return command;
}

/** Adds the options for the listening address and the data. */
function addDataOptions(command: Command): void {
  command
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 for any free port')
        .env('GATEWAY_PORT')
        .default(3000)
        .argParser(parsePort),
    )
    .addOption(
      new Option('--host <address>', 'address to listen on').env('GATEWAY_HOST').default('127.0.0.1'),
    )
    .addOption(
      new Option(
        '--dist <address>',
        'the output of gamedata build: a folder, or the http(s)://… or s3://… address where it was published',
      )
        .env('GATEWAY_DIST')
        .default('dist'),
    )
    .addOption(new Option('--store <address>', STORE_HELP).env('GATEWAY_STORE').default('var/store'));
}

function addLogOptions(command: Command): void {
  command
    .addOption(
      new Option('--log-level <level>', 'write every entry of the log, or only errors')
        .env('GATEWAY_LOG_LEVEL')
        .default('info')
        .choices(LOG_LEVELS),
    )
    .addOption(
      new Option('--log-format <format>', 'write the log as JSON, or as name=value pairs')
        .env('GATEWAY_LOG_FORMAT')
        .default('json')
        .choices(LOG_FORMATS),
    );
}

function addSwitchOptions(command: Command): void {
  command
    .addOption(
      new Option('--access-log <on|off>', 'write a log line for each response')
        .env('GATEWAY_ACCESS_LOG')
        .default(true, 'on')
        .argParser(parseSwitch),
    )
    .addOption(devOption());
}

/** Adds the options for the public URL and proxies. */
function addPublicOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--public-url <address>',
        'the public URL of the gateway, with which links in mails and to downloads begin (default: the listening address)',
      )
        .env('GATEWAY_PUBLIC_URL')
        .argParser(parsePublicUrl),
    )
    .addOption(
      new Option(
        '--trusted-proxy <proxies>',
        'the proxies whose X-Forwarded-For and X-Request-Id are trusted: their number, or their addresses and CIDR ranges',
      )
        .env('GATEWAY_TRUSTED_PROXY')
        .default(readTrustedProxies(''), 'none')
        .argParser(parseTrustedProxy),
    );
}

function parseTrustedProxy(text: string): TrustedProxies {
  try {
    return readTrustedProxies(text);
  } catch (error) {
    throw new InvalidArgumentError(
      `expected the number of proxies, or their addresses, such as 1 or 127.0.0.1,10.0.0.0/8: ${(error as Error).message}.`,
    );
  }
}
