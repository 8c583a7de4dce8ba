import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isObjectStore } from '../../scripts/publish/targets.ts';
import { CommandError } from '../../scripts/system.ts';
import type { ServeSettings } from '../commands/settings.ts';
import type { FileResult } from '../http/send-file.ts';
import { keyedName } from '../store/secrets.ts';
import type { Store } from '../store/sql.ts';

/** Makes and checks signed links, and hands files over to the proxy in front. */
export interface Links {
  /** @param file its path in dist/ @returns an address that needs no key, and expires at `expires_at` (ISO 8601) */
  issue(file: string): Promise<{ url: string; expires_at: string }>;
  check(file: string, expires: string, signature: string): 'good' | 'expired' | 'wrong';
  handOver?: FileResult['handOver'];
}

/** A way to sign addresses, and where they lead. */
interface LinkScheme {
  /**
   * Signs the address of a file.
   *
   * @param file its path in dist/
   * @param expires when the address expires, in seconds since 1970
   */
  sign(file: string, expires: number): string | Promise<string>;
  /** Returns whether the gateway signed an address; absent if the addresses lead elsewhere. */
  isSigned?(file: string, expires: string, signature: string): boolean;
}

/** The path below which the gateway serves signed links. */
export const FILES = '/files';
/** How long an address is valid. */
const LIFETIME_S = 600;

/**
 * Signs addresses of the gateway itself.
 *
 * @param secret the secret of all gateways behind one address; by default one that only this gateway knows
 * @param base the public address of the gateway; by default addresses are relative to the address of the request
 */
function gatewayScheme(secret: string | Buffer = randomBytes(32), base = ''): LinkScheme {
  const hash = (file: string, expires: string) =>
    createHmac('sha256', secret).update(`${expires} ${file}`).digest();
  return {
    sign(file, expires) {
      const signature = hash(file, String(expires)).toString('base64url');
      return `${base}${FILES}/${file}?expires=${expires}&signature=${signature}`;
    },
    isSigned(file, expires, signature) {
      const expected = hash(file, expires);
      const given = Buffer.from(signature, 'base64url');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/**
 * Signs addresses of an nginx that checks them with its module secure_link, configured as
 * `secure_link $arg_md5,$arg_expires; secure_link_md5 "$secure_link_expires$uri <secret>";`. The hash is MD5 because the module supports
 * no other. It must only prevent guessing the hash of an unknown secret, which MD5 still does.
 *
 * @param base the address at which nginx serves what `gamedata publish --snapshots` wrote
 * @param secret the secret in nginx's `secure_link_md5`
 */
export function nginxScheme(base: string, secret: string): LinkScheme {
  const { pathname } = new URL(base);
  return {
    sign(file, expires) {
      // nginx hashes $uri, which is decoded.
      const uri = `${decodeURIComponent(pathname).replace(/\/$/, '')}/${file}`;
      const md5 = createHash('md5').update(`${expires}${uri} ${secret}`).digest('base64url');
      return `${base}/${file}?md5=${md5}&expires=${expires}`;
    },
  };
}

/** @param now ms since 1970 */
export function createLinks(now: () => number, scheme: LinkScheme = gatewayScheme()): Links {
  return {
    async issue(file) {
      const expires = Math.floor(now() / 1000) + LIFETIME_S;
      return { url: await scheme.sign(file, expires), expires_at: new Date(expires * 1000).toISOString() };
    },
    check(file, expires, signature) {
      if (!scheme.isSigned?.(file, expires, signature)) return 'wrong';
      return now() < Number(expires) * 1000 ? 'good' : 'expired';
    },
  };
}

/** The settings that decide where signed links lead and who signs them. */
type LinkSettings = Pick<ServeSettings, 'cdnUrl' | 'publicUrl'> & { linkSecret: string | undefined };

/**
 * Chooses who signs links: the gateway, nginx at `cdnUrl`, or the bucket there.
 *
 * @returns a function that makes the scheme once the store is open
 * @throws CommandError if nginx has no secret
 */
export function chooseLinkScheme(
  { cdnUrl, linkSecret, publicUrl }: LinkSettings,
  now: () => number,
): (store: Store) => LinkScheme | Promise<LinkScheme> {
  if (cdnUrl === undefined)
    return (store) => gatewayScheme(linkSecret ?? keyedName(store, 'links'), publicUrl);
  if (isObjectStore(cdnUrl)) return () => openS3Scheme(cdnUrl, now);
  if (linkSecret !== undefined) return () => nginxScheme(cdnUrl, linkSecret);
  throw new CommandError(
    `--cdn-url ${cdnUrl} needs GATEWAY_LINK_SECRET: the same secret as in the nginx configuration`,
    2,
  );
}

/** The modules of the bucket scheme are loaded only if it is chosen. */
async function openS3Scheme(address: string, now: () => number): Promise<LinkScheme> {
  const { openObjectStore } = await import('../../scripts/publish/object-store.ts');
  const store = openObjectStore(address, process.env.AWS_ENDPOINT_URL_S3);
  if (store === undefined)
    throw new CommandError(
      `--cdn-url ${address} is not a bucket, expected one such as s3://bucket/prefix`,
      2,
    );
  return {
    // Signature Version 4, for the files that `gamedata publish --snapshots` uploaded.
    async sign(file, expires) {
      const at = Math.floor(now() / 1000);
      return await store.presign(file, at * 1000, expires - at);
    },
  };
}

/** With these header fields, a request is for a part of the file, or nginx would compare its own file's date instead of the ETag. */
const SENT_BY_GATEWAY = ['range', 'if-match', 'if-unmodified-since'] as const;

/**
 * Decides which files the proxy in front sends.
 *
 * @returns undefined if it sends none
 * @throws CommandError without a trusted proxy: every other client would get an empty response
 */
export function chooseHandOver({
  accelRedirect,
  trustedProxy,
}: Pick<ServeSettings, 'accelRedirect' | 'trustedProxy'>): FileResult['handOver'] {
  if (accelRedirect === undefined) return undefined;
  if (!trustedProxy.exist)
    throw new CommandError('--accel-redirect needs --trusted-proxy, the nginx that sends the files', 2);
  return (request: IncomingMessage, file: string) => {
    const isWhole = SENT_BY_GATEWAY.every((name) => request.headers[name] === undefined);
    const isHanded = request.method === 'GET' && isWhole && trustedProxy.isFromProxy(request);
    return isHanded ? accelRedirect + file : undefined;
  };
}
