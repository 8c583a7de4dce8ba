import { gatewayScheme } from './gateway-scheme.ts';

/** How addresses are signed and where they lead. One file a scheme. */
export interface LinkScheme {
  /**
   * Signs the address of a file.
   *
   * @param file its path in dist/
   * @param expires until when the address is good, in s since 1970
   */
  sign(file: string, expires: number): string | Promise<string>;
  /** Whether an address that leads to the gateway was signed with it; absent where addresses lead elsewhere. */
  isSigned?(file: string, expires: string, signature: string): boolean;
}

/** A signed address: it needs no key, and is good until `expires_at` (ISO 8601). */
export interface Link {
  url: string;
  expires_at: string;
}

/** Gives signed addresses, and tells whether those that lead to the gateway are good. */
export interface Links {
  /** @param file its path in dist/ */
  issue(file: string): Promise<Link>;
  check(file: string, expires: string, signature: string): 'good' | 'expired' | 'wrong';
}

/** How long an address is good. */
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
