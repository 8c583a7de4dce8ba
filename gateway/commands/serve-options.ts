import { type Command, InvalidArgumentError, Option } from 'commander';
import { readTrustedProxies, type TrustedProxies } from '../http/incoming.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../http/log.ts';
import { STORE_HELP } from '../store/open.ts';
import { parsePort } from './stop.ts';
import { devOption, parsePublicUrl, parseSwitch, type ReachOptions } from './strict-mode.ts';

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
