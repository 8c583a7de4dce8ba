import type { Endpoint } from '../http/incoming.ts';
import { HttpProblem } from '../http/problem.ts';

/** What `/.well-known/security.txt` says (RFC 9116). */
export interface SecurityTxt {
  /** Where to report a vulnerability: `mailto:security@example.org`, or an https address. */
  contact: string;
  /** When the contact must be checked again, ms since 1970; without it, half a year from each request on. */
  expires: number | undefined;
}

/** Options of the endpoint. */
export interface SecurityTxtOptions extends SecurityTxt {
  /** The public URL of the gateway; undefined if the gateway does not know it. */
  publicUrl: string | undefined;
  /** ms since 1970. */
  now: () => number;
}

export const SECURITY_TXT = '/.well-known/security.txt';
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 180;

/** Makes the endpoint for the file. When the contact has expired, there is no file: a wrong contact is worse than none. */
export function securityTxtEndpoint({ contact, expires, publicUrl, now }: SecurityTxtOptions): Endpoint {
  return {
    path: SECURITY_TXT,
    async get(request, response) {
      const today = Math.floor(now() / DAY_MS) * DAY_MS;
      const until = expires ?? today + DEFAULT_DAYS * DAY_MS;
      if (until <= now()) throw new HttpProblem('not-found', 'the contact for reports has expired');
      const lines = [
        `Contact: ${contact}`,
        `Expires: ${new Date(until).toISOString()}`,
        'Preferred-Languages: en',
        ...(publicUrl === undefined ? [] : [`Canonical: ${publicUrl}${SECURITY_TXT}`]),
      ];
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      response
        .writeHead(200, {
          'Content-Type': 'text/plain; charset=utf-8',
          'Cache-Control': 'max-age=86400',
          'X-Content-Type-Options': 'nosniff',
          'Content-Length': bytes.length,
        })
        .end(request.method === 'HEAD' ? undefined : bytes);
    },
  };
}
