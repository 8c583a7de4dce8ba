import { gatewayScheme } from './gateway-scheme.ts';
import type { LinkScheme } from './link-scheme.ts';

/** A signed address: it needs no key, and expires at `expires_at` (ISO 8601). */
export interface Link {
  url: string;
  expires_at: string;
}

/** Makes signed addresses, and checks those that lead to the gateway. */
export interface Links {
  /** @param file its path in dist/ */
  issue(file: string): Promise<Link>;
  check(file: string, expires: string, signature: string): 'good' | 'expired' | 'wrong';
}

/** How long an address is valid. */
const LIFETIME_S = 600;

/** @param now ms since 1970 */
export function createLinks(now: () => number, scheme: LinkScheme = gatewayScheme()): Links {
  return {
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
