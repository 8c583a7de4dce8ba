import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENDPOINT_HELP, ENDPOINT_VARIABLE } from '../../scripts/publish/object-store.ts';
import { type ClientAddress, readTrustedProxies } from '../http/client-address.ts';
import { STORE_HELP } from '../store/open-store.ts';
import { addLinkOptions, type LinkOptions } from './link-options.ts';
import { parsePublicUrl, parseTrustedProxy, type SignupChoice } from './signup-settings.ts';

/** What `gateway serve` takes. */
export interface ServeOptions extends SignupChoice, LinkOptions {
  port: number;
  host: string;
  dist: string;
  cache: string;
  s3Endpoint?: string;
  store: string;
  accessLog: boolean;
  demo: boolean;
  trustedProxy: ClientAddress;
  workers: number;
  plainHttp: boolean;
}

const MOST_WORKERS = 256;

/** Adds what `gateway serve` takes. */
export function addServeOptions(command: Command): Command {
  addDataOptions(command);
  addSwitchOptions(command);
  addPublicOptions(command);
  addProcessOptions(command);
  return addLinkOptions(command);
}

/** Where it listens, and what it serves. */
function addDataOptions(command: Command): void {
  command
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 for any free one')
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
        'what gamedata build wrote: a folder, or http(s)://… or s3://… where it was published',
      )
        .env('GATEWAY_DIST')
        .default('dist'),
    )
    .addOption(
      new Option('--cache <folder>', 'where a dist that is not a folder is kept')
        .env('GATEWAY_CACHE')
        .default('var/dist'),
    )
    .addOption(new Option('--s3-endpoint <address>', ENDPOINT_HELP).env(ENDPOINT_VARIABLE))
    .addOption(new Option('--store <address>', STORE_HELP).env('GATEWAY_STORE').default('var/store'));
}

function addSwitchOptions(command: Command): void {
  command
    .addOption(
      new Option('--access-log <on|off>', 'write a line for each answer')
        .env('GATEWAY_ACCESS_LOG')
        .default(true, 'on')
        .argParser(parseSwitch),
    )
    .addOption(
      new Option('--demo [on|off]', 'issue a free and a Pro key for trying out, good until the gateway stops')
        .env('GATEWAY_DEMO')
        .preset('on')
        .default(false, 'off')
        .argParser(parseSwitch),
    );
}

/** How people reach it. */
function addPublicOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--signup <on|off>',
        'let people get keys by e-mail, on the page /signup (default: on; in production where SMTP_URL is set)',
      )
        .env('GATEWAY_SIGNUP')
        .argParser(parseSwitch),
    )
    .addOption(
      new Option(
        '--public-url <address>',
        'how people reach the gateway: links in mails, and of downloads, begin with it (default: where it listens)',
      )
        .env('GATEWAY_PUBLIC_URL')
        .argParser(parsePublicUrl),
    )
    .addOption(
      new Option(
        '--trusted-proxy <proxies>',
        'whose X-Forwarded-For is believed: how many proxies there are, or their addresses and CIDR ranges',
      )
        .env('GATEWAY_TRUSTED_PROXY')
        .default(readTrustedProxies(''), 'none')
        .argParser(parseTrustedProxy),
    );
}

function addProcessOptions(command: Command): void {
  command
    .addOption(
      new Option('--workers <number>', 'processes that share the port, for as many cores')
        .env('GATEWAY_WORKERS')
        .default(1)
        .argParser(parseWorkers),
    )
    .addOption(
      new Option(
        '--plain-http [on|off]',
        "write responses by Node's own means, without the fast path, to rule it out as the cause of a fault",
      )
        .env('GATEWAY_PLAIN_HTTP')
        .preset('on')
        .default(false, 'off')
        .argParser(parseSwitch),
    );
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65535) return port;
  throw new InvalidArgumentError('expected a number from 0 to 65535.');
}

function parseWorkers(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST_WORKERS) return count;
  throw new InvalidArgumentError(`expected a number from 1 to ${MOST_WORKERS}.`);
}

function parseSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('expected on or off.');
}
