import type { IncomingMessage, ServerResponse } from 'node:http';
import { CSP_REPORTS, readBody } from '../http/html.ts';
import type { Endpoint } from '../http/incoming.ts';
import { type Log, redactPath } from '../http/log.ts';

/** Longer reports get a 413. */
const MAX_BODY_BYTES = 8 * 1024;
/** How many entries are logged per minute, for the reports of all browsers together. */
const MAX_ENTRIES = 10;
const MINUTE_MS = 60_000;
const MAX_PATH_CHARS = 200;
/** Longer addresses are not parsed: parsing a Unicode host name can take time quadratic in its length. */
const MAX_ADDRESS_CHARS = 2000;
/** The keywords that browsers report instead of an address. */
const KEYWORD = /^(?:inline|eval|wasm-eval|trusted-types-policy|trusted-types-sink|data|blob|self)$/;

/**
 * Receives the reports of browsers, in the form of the Reporting API or of `report-uri`. It logs a few per minute, and counts the others in the next
 * entry, because anybody can send one. The response never shows what was logged.
 */
export function cspReportEndpoint({ log, now }: { log: Log; now: () => number }): Endpoint {
  let minute = 0;
  let written = 0;
  let dropped = 0;
  const add = (violation: object) => {
    const current = Math.floor(now() / MINUTE_MS);
    if (current !== minute) [minute, written] = [current, 0];
    if (written === MAX_ENTRIES) {
      dropped += 1;
      return;
    }
    written += 1;
    const message = 'a page violated its Content-Security-Policy';
    log.info(message, { ...violation, ...(dropped > 0 && { dropped }) });
    dropped = 0;
  };
  return {
    path: CSP_REPORTS,
    async post(request: IncomingMessage, response: ServerResponse) {
      const parsed = parse((await readBody(request, MAX_BODY_BYTES)).toString());
      const reports = Array.isArray(parsed)
        ? parsed.map((report) => memberOf(report, 'body'))
        : [memberOf(parsed, 'csp-report')];
      for (const report of reports) if (report !== undefined) add(describeViolation(report));
      response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The logged parts of a violation: the directive, the origin or kind of the blocked resource, and the path of the page without its query. */
function describeViolation(report: unknown): object {
  const textOf = (...names: string[]) =>
    names.map((name) => memberOf(report, name)).find((value) => typeof value === 'string') ?? '';
  const urlOf = (address: string) =>
    address.length <= MAX_ADDRESS_CHARS && URL.canParse(address) ? new URL(address) : undefined;
  const names = ['effectiveDirective', 'effective-directive', 'violated-directive'];
  const [directive = ''] = textOf(...names).split(' ');
  const blocked = textOf('blockedURL', 'blocked-uri');
  const { origin = 'unknown', protocol = '', hostname = '' } = urlOf(blocked) ?? {};
  const place = origin === 'null' || hostname.length > MAX_PATH_CHARS ? protocol.slice(0, 20) : origin;
  const page = urlOf(textOf('documentURL', 'document-uri'));
  return {
    directive: /^[a-z-]{1,40}$/.test(directive) ? directive : 'unknown',
    blocked: KEYWORD.test(blocked) ? blocked : place,
    page: page ? redactPath(page.pathname).slice(0, MAX_PATH_CHARS) : 'unknown',
  };
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
