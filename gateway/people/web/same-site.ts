import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../../http/problem.ts';

/**
 * Refuses a form that was sent from another site. Many forms have no session that a CSRF token could belong to. So the browser's headers
 * decide: Sec-Fetch-Site or, in browsers without it, Origin. A client that sends neither is not a browser, and other sites cannot make it
 * send a form.
 *
 * @param publicUrl the public URL of the gateway; behind a proxy, Host may differ from it
 * @throws HttpProblem `cross-site`
 */
export function refuseCrossSite({ headers }: IncomingMessage, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  const { origin } = headers;
  if (site === undefined && (origin === undefined || isOwn(origin, headers.host, publicUrl))) return;
  throw new HttpProblem(
    'cross-site',
    'the form was sent from another site, expected it to be sent from this one',
  );
}

function isOwn(origin: string, host: string | undefined, publicUrl: string): boolean {
  return origin === new URL(publicUrl).origin || (URL.canParse(origin) && new URL(origin).host === host);
}
