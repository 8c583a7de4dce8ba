import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import { isObjectStore } from '../../../scripts/publish/targets.ts';
import { gatewayScheme } from './gateway-scheme.ts';
import type { LinkScheme } from './link-scheme.ts';
import { readLinkSecret } from './link-secret.ts';
import { nginxScheme } from './nginx-scheme.ts';
import type { Store } from '../../store/sql.ts';

/** Options of the signed links to snapshots. */
export interface LinkOptions {
  cdnScheme: (typeof SCHEMES)[number];
  cdnUrl?: string;
  /** The public URL of the gateway. */
  publicUrl?: string;
  linkSecret?: string;
}

const SCHEMES = ['gateway', 'nginx', 's3'] as const;
const EXAMPLES = { nginx: 'https://cdn.example.org', s3: 's3://bucket/prefix' };
const MIN_SECRET_CHARS = 16;

/** Adds the options that `chooseLinkScheme` needs. */
export function addLinkOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--cdn-scheme <scheme>', 'which server serves the signed links to snapshots')
        .env('GATEWAY_CDN_SCHEME')
        .choices(SCHEMES)
        .default('gateway'),
    )
    .addOption(
      new Option('--cdn-url <address>', 'the base address of these links on the CDN, or the bucket')
        .env('GATEWAY_CDN_URL')
        .argParser(parseBase),
    )
    .addOption(
      new Option(
        '--link-secret <text>',
        'the secret that signs the links; best set in the environment (default: a secret in the store)',
      )
        .env('GATEWAY_LINK_SECRET')
        .argParser(parseSecret),
    );
}

/**
 * Chooses how links are signed.
 *
 * @returns a function that makes the scheme once the store is open
 * @throws CommandError if an option that the scheme needs is missing
 */
export function chooseLinkScheme(
  { cdnScheme, cdnUrl, linkSecret, publicUrl }: LinkOptions,
  s3Endpoint: string | undefined,
  now: () => number,
): (store: Store) => Promise<LinkScheme> {
  if (cdnScheme === 'gateway') {
    if (cdnUrl === undefined)
      return async (store) => gatewayScheme(linkSecret ?? readLinkSecret(store), publicUrl);
    throw new CommandError('--cdn-url is for a CDN: name its kind with --cdn-scheme nginx or s3', 2);
  }
  if (cdnUrl === undefined || isObjectStore(cdnUrl) !== (cdnScheme === 's3'))
    throw new CommandError(`--cdn-scheme ${cdnScheme} needs --cdn-url, such as ${EXAMPLES[cdnScheme]}`, 2);
  if (cdnScheme === 's3') return () => openS3Scheme(cdnUrl, s3Endpoint, now);
  if (linkSecret === undefined)
    throw new CommandError(
      '--cdn-scheme nginx needs GATEWAY_LINK_SECRET: the same secret as in the nginx configuration',
      2,
    );
  return async () => nginxScheme(cdnUrl, linkSecret);
}

/** Opens the bucket scheme. Its modules are loaded only if it is chosen. */
async function openS3Scheme(
  address: string,
  endpoint: string | undefined,
  now: () => number,
): Promise<LinkScheme> {
  const schemes = await import('../../mirror/s3-scheme.ts');
  const scheme = await schemes.open(address, endpoint, now);
  if (scheme) return scheme;
  throw new CommandError(`--cdn-url ${address} is not a bucket, expected one such as ${EXAMPLES.s3}`, 2);
}

function parseBase(text: string): string {
  if (isObjectStore(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (isPlain) return url.href.replace(/\/$/, '');
  throw new InvalidArgumentError('expected an address such as https://cdn.example.org/games.');
}

function parseSecret(text: string): string {
  // Quotes and dollar signs have a meaning in an nginx configuration.
  if (text.length >= MIN_SECRET_CHARS && /^[\w.~-]+$/.test(text)) return text;
  throw new InvalidArgumentError(`expected at least ${MIN_SECRET_CHARS} letters, digits and any of . _ ~ -`);
}
