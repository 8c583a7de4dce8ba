import type { Links } from '../../api/route.ts';
import { gatewayScheme } from './gateway-scheme.ts';
import type { LinkScheme } from './link-scheme.ts';

/** How long an address is valid. */
const LIFETIME_S = 600;

/** Links whose scheme can be set before the first is made. */
export interface SignedLinks extends Links {
  signBy(scheme: LinkScheme): void;
}

/** @param now ms since 1970 */
export function createLinks(now: () => number, first: LinkScheme = gatewayScheme()): SignedLinks {
  let scheme = first;
  return {
    signBy(chosen) {
      scheme = chosen;
    },
    async issue(file) {
      const expires = Math.floor(now() / 1000) + LIFETIME_S;
      return {
        url: await scheme.sign(file, expires),
        expires_at: new Date(expires * 1000).toISOString(),
      };
    },
    check(file, expires, signature) {
      if (!scheme.isSigned?.(file, expires, signature)) return 'wrong';
      return now() < Number(expires) * 1000 ? 'good' : 'expired';
    },
  };
}
