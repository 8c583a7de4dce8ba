// What anyone may post: a key to revoke it, and browsers' reports of violations of a policy.
import type { IncomingMessage } from 'node:http';
import { readKey } from '../access/api-key.ts';
import { networkOf } from '../access/attempts.ts';
import { revokeHeldKey } from '../access/key-options.ts';
import { CSP_REPORTS, readBody } from '../http/html.ts';
import type { Endpoint } from '../http/incoming.ts';
import { redactPath } from '../http/log.ts';
import { HttpProblem, unsupported } from '../http/problem.ts';
import type { Needs } from './people.ts';
import { FORM_TYPE, readFields } from './web.ts';

export const REVOKE_KEY = '/keys/revoke';

const PUBLIC =
  'is that of a browser key, which is public by design; only its account holder can revoke it, on /account, or the operator of this gateway';

const JSON_TYPE = 'application/json';
const MAX_BODY_BYTES = 4096;

/** Revokes the key in the request's body, JSON or a form. The response does not reveal whether it worked. */
export function revocationEndpoint(
  services: Needs<'store' | 'log' | 'clientAddress' | 'badAttempts'>,
): Endpoint {
  const { store, log, clientAddress, badAttempts } = services;
  return {
    path: REVOKE_KEY,
    async post(request, response) {
      const address = clientAddress(request);
      const name = readKey((await readKeyIn(request)).trim());
      if (name === undefined) {
        badAttempts.refuse(address, 'this is not a well-formed key');
        throw invalidKey('is not a well-formed key, expected one whole key as it was issued');
      }
      const actor = { by: 'key-holder', network: networkOf(address) } as const;
      const outcome = await store.transaction((sql) => revokeHeldKey(sql, name.hash, actor));
      if (outcome === 'browser key') throw invalidKey(PUBLIC);
      if (outcome === 'revoked') log.info('a key was revoked by a client that sent it', { key: name.prefix });
      else badAttempts.refuse(address, 'this key does not work');
      response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
    },
  };
}

/** Reads the member or field `key` of the body. */
async function readKeyIn(request: IncomingMessage): Promise<string> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  const media = type.trim().toLowerCase();
  if (media !== JSON_TYPE && media !== FORM_TYPE) {
    const detail = `the body has another media type, expected ${JSON_TYPE} or ${FORM_TYPE}`;
    throw unsupported(detail, { Accept: `${JSON_TYPE}, ${FORM_TYPE}` });
  }
  const body = await readBody(request, MAX_BODY_BYTES);
  const key = media === FORM_TYPE ? readFields(body).get('key') : readMember(body);
  if (typeof key === 'string') return key;
  throw invalidKey('is missing, expected {"key": "gdr_…"} or the form key=gdr_…');
}

function readMember(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString()) as { key?: unknown } | null)?.key;
  } catch {
    // The parser's error would quote a part of the body.
    return undefined;
  }
}

function invalidKey(what: string): HttpProblem {
  return new HttpProblem('invalid-parameter', `the member "key" of the body ${what}`, { parameter: 'key' });
}

/** Longer reports get a 413. */
const MAX_REPORT_BYTES = 8 * 1024;
/** How many reports are logged in a minute: anybody can send one. */
const MAX_ENTRIES = 10;
const MAX_CHARS = 200;

/** Logs the reports of browsers about violations of the Content-Security-Policy. The response never shows what was logged. */
export function cspReportEndpoint({ log, now }: Needs<'log' | 'now'>): Endpoint {
  let [minute, entries] = [0, 0];
  return {
    path: CSP_REPORTS,
    async post(request, response) {
      const violation = describeViolation((await readBody(request, MAX_REPORT_BYTES)).toString());
      const current = Math.floor(now() / 60_000);
      if (current !== minute) [minute, entries] = [current, 0];
      if (violation && entries++ < MAX_ENTRIES)
        log.info('a page violated its Content-Security-Policy', violation);
      response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
    },
  };
}

/** The logged parts: the directive, the origin or kind of what was blocked, and the path of the page without its query. */
function describeViolation(body: string) {
  let report: Partial<Record<string, unknown>> | undefined;
  try {
    report = (JSON.parse(body) as Record<string, typeof report> | null)?.['csp-report'];
  } catch {}
  if (typeof report !== 'object' || report === null) return undefined;
  const textOf = (name: string, max = MAX_CHARS) => {
    const value = report[name];
    return typeof value === 'string' ? value.slice(0, max) : '';
  };
  const urlOf = (text: string) => (URL.canParse(text) ? new URL(text) : undefined);
  const [directive = ''] = textOf('violated-directive').split(' ');
  const blocked = textOf('blocked-uri');
  return {
    directive: /^[a-z-]{1,40}$/.test(directive) ? directive : 'unknown',
    blocked: /^[a-z-]{1,30}$/.test(blocked) ? blocked : (urlOf(blocked)?.origin ?? 'unknown'),
    page: redactPath(urlOf(textOf('document-uri', 2000))?.pathname ?? 'unknown').slice(0, MAX_CHARS),
  };
}
