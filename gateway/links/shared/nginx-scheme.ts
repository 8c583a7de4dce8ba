import { createHash } from 'node:crypto';
import type { LinkScheme } from './link-scheme.ts';

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
