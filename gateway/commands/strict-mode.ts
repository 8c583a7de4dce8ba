import { isIP } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import ipaddr from 'ipaddr.js';
import type { TrustedProxies } from '../http/incoming.ts';

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
