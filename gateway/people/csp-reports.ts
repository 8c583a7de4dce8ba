import { CSP_REPORTS, readBody } from '../http/html.ts';
import type { Endpoint } from '../http/incoming.ts';
import { redactPath } from '../http/log.ts';
import type { Needs } from './people.ts';

/** Longer reports get a 413. */
const MAX_BODY_BYTES = 8 * 1024;
/** How many reports are logged in a minute: anybody can send one. */
const MAX_ENTRIES = 10;
const MAX_CHARS = 200;

/** Logs the reports of browsers about violations of the Content-Security-Policy. The response never shows what was logged. */
export function cspReportEndpoint({ log, now }: Needs<'log' | 'now'>): Endpoint {
  let [minute, entries] = [0, 0];
  return {
    path: CSP_REPORTS,
    async post(request, response) {
      const violation = describeViolation((await readBody(request, MAX_BODY_BYTES)).toString());
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
  const textOf = (name: string, max = MAX_CHARS) => String(report[name] ?? '').slice(0, max);
  const urlOf = (text: string) => (URL.canParse(text) ? new URL(text) : undefined);
  const [directive = ''] = textOf('violated-directive').split(' ');
  const blocked = textOf('blocked-uri');
  return {
    directive: /^[a-z-]{1,40}$/.test(directive) ? directive : 'unknown',
    blocked: /^[a-z-]{1,30}$/.test(blocked) ? blocked : (urlOf(blocked)?.origin ?? 'unknown'),
    page: redactPath(urlOf(textOf('document-uri', 2000))?.pathname ?? 'unknown').slice(0, MAX_CHARS),
  };
}
