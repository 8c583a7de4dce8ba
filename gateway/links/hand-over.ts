import type { IncomingMessage } from 'node:http';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandError } from '../../scripts/system.ts';
import type { TrustedProxies } from '../http/incoming.ts';
import type { FileResult } from '../http/send-file.ts';

/** Options of what is handed to the proxy in front. */
export interface HandOverOptions {
  /** Where the proxy has the files of dist/, for the gateway alone. */
  accelRedirect?: string;
  trustedProxy: TrustedProxies;
}

/** Adds the option that `chooseHandOver` needs, besides `--trusted-proxy`. */
export function addHandOverOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--accel-redirect <location>',
      'let the nginx in front send the files of snapshots itself, from this internal location, such as /dist/',
    )
      .env('GATEWAY_ACCEL_REDIRECT')
      .argParser(parseLocation),
  );
}

/** Requests with these are for less than the file, or nginx would judge them by the file on its disk and not by the ETag. */
const SENT_BY_GATEWAY = ['range', 'if-match', 'if-unmodified-since'] as const;

/**
 * Chooses which files the proxy in front sends.
 *
 * @returns undefined if it sends none
 * @throws CommandError without a trusted proxy: every other client would get an empty response
 */
export function chooseHandOver({ accelRedirect, trustedProxy }: HandOverOptions): FileResult['handOver'] {
  if (accelRedirect === undefined) return undefined;
  if (!trustedProxy.exist)
    throw new CommandError('--accel-redirect needs --trusted-proxy, the nginx that sends the files', 2);
  return (request: IncomingMessage, file: string) => {
    if (request.method !== 'GET' || !trustedProxy.isFromProxy(request)) return undefined;
    if (SENT_BY_GATEWAY.some((name) => request.headers[name] !== undefined)) return undefined;
    return accelRedirect + file;
  };
}

function parseLocation(text: string): string {
  // Nothing that nginx would decode, or that leads out of the location.
  if (/^\/(?:[\w-][\w.-]*\/)+$/.test(text)) return text;
  throw new InvalidArgumentError('expected a path that begins and ends with a slash, such as /dist/.');
}
