import { createHash } from 'node:crypto';
import type { LinkScheme } from './link-scheme.ts';

/**
 * Addresses of an nginx that checks them by its module secure_link, set up with
 * `secure_link $arg_md5,$arg_expires; secure_link_md5 "$secure_link_expires$uri <secret>";`. The hash is MD5 because that module knows no
 * other; what it protects against, guessing a hash of an unknown secret, MD5 still does.
 *
 * @param base the address below which nginx has what `gamedata publish --snapshots` wrote
 * @param secret what nginx has in `secure_link_md5`
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
