import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { isObjectStore, openObjectStore } from '../../scripts/publish/object-store.ts';
import { gatewayScheme } from '../snapshot-links/gateway-scheme.ts';
import type { LinkScheme } from '../snapshot-links/link-scheme.ts';
import { readLinkSecret } from '../snapshot-links/link-secret.ts';
import { nginxScheme } from '../snapshot-links/nginx-scheme.ts';
import type { Store } from '../store/store.ts';

/** Who serves the downloads that signed addresses lead to. */
export interface LinkOptions {
  cdnScheme: (typeof SCHEMES)[number];
  cdnUrl?: string;
  /** How people reach the gateway. */
  publicUrl?: string;
  linkSecret?: string;
}

const SCHEMES = ['gateway', 'nginx', 's3'] as const;
const EXAMPLES = { nginx: 'https://cdn.example.org', s3: 's3://bucket/prefix' };
const SHORTEST_SECRET = 16;

/** Adds what `chooseLinkScheme` needs. */
export function addLinkOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--cdn-scheme <scheme>', 'who serves the signed addresses of snapshots')
        .env('GATEWAY_CDN_SCHEME')
        .choices(SCHEMES)
        .default('gateway'),
    )
    .addOption(
      new Option(
        '--cdn-url <address>',
        'what these addresses begin with, or the bucket, where a CDN serves them',
      )
        .env('GATEWAY_CDN_URL')
        .argParser(parseBase),
    )
    .addOption(
      new Option(
        '--link-secret <text>',
        'what they are signed with; best given in the environment (default: one that the store keeps)',
      )
        .env('GATEWAY_LINK_SECRET')
        .argParser(parseSecret),
    );
}

/**
 * @returns what makes the scheme, once there is a store
 * @throws CommandError where the scheme lacks what it needs
 */
export function chooseLinkScheme(
  { cdnScheme, cdnUrl, linkSecret, publicUrl }: LinkOptions,
  s3Endpoint: string | undefined,
  now: () => number,
): (store: Store) => Promise<LinkScheme> {
  if (cdnScheme === 'gateway') {
    if (cdnUrl === undefined)
      return async (store) => gatewayScheme(linkSecret ?? (await readLinkSecret(store)), publicUrl);
    throw new CommandError('--cdn-url is for a CDN: name its kind by --cdn-scheme nginx or s3', 2);
  }
  if (cdnUrl === undefined || isObjectStore(cdnUrl) !== (cdnScheme === 's3'))
    throw new CommandError(`--cdn-scheme ${cdnScheme} needs --cdn-url, as ${EXAMPLES[cdnScheme]}`, 2);
  if (cdnScheme === 's3') return () => openS3Scheme(cdnUrl, s3Endpoint, now);
  if (linkSecret === undefined)
    throw new CommandError('--cdn-scheme nginx needs GATEWAY_LINK_SECRET: the secret that nginx has too', 2);
  return async () => nginxScheme(cdnUrl, linkSecret);
}

/** Only loaded where it is chosen. */
async function openS3Scheme(
  address: string,
  endpoint: string | undefined,
  now: () => number,
): Promise<LinkScheme> {
  const store = await openObjectStore(address, endpoint);
  if (!store) throw new CommandError(`--cdn-url ${address} is no bucket, expected ${EXAMPLES.s3}`, 2);
  const { s3Scheme } = await import('../snapshot-links/s3-scheme.ts');
  return s3Scheme(store, now);
}

function parseBase(text: string): string {
  if (isObjectStore(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (isPlain) return url.href.replace(/\/$/, '');
  throw new InvalidArgumentError('expected an address such as https://cdn.example.org/games.');
}

function parseSecret(text: string): string {
  // Quotes and dollars mean something in a configuration of nginx.
  if (text.length >= SHORTEST_SECRET && /^[\w.~-]+$/.test(text)) return text;
  throw new InvalidArgumentError(`expected at least ${SHORTEST_SECRET} letters, digits and any of . _ ~ -`);
}
