import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../../http/problem.ts';

/**
 * Refuses a form that a page of another site sends. Nothing here is known of a browser from before – no cookie, no session – so there is
 * nothing that a token in the form could be bound to; what the browser itself says of where a form comes from is what counts: Sec-Fetch-Site, and in
 * browsers that do not send it, Origin. What sends neither is no browser, and acts for nobody but itself.
 *
 * @param publicUrl of the gateway, which a proxy may reach by another host
 * @throws HttpProblem `cross-site`
 */
export function refuseCrossSite({ headers }: IncomingMessage, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  const { origin } = headers;
  if (site === undefined && (origin === undefined || isOwn(origin, headers.host, publicUrl))) return;
  throw new HttpProblem(
    'cross-site',
    'the form was sent by a page of another site, expected the page of this address',
    {},
    { Connection: 'close' },
  );
}

function isOwn(origin: string, host: string | undefined, publicUrl: string): boolean {
  return origin === new URL(publicUrl).origin || (URL.canParse(origin) && new URL(origin).host === host);
}
