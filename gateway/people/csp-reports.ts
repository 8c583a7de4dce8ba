import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../http/incoming.ts';
import { type Log, redactPath } from '../http/log.ts';
import { CSP_REPORTS, readBody } from '../http/html.ts';

/** A longer report gets a 413. */
const MAX_BODY_BYTES = 8 * 1024;
/** How many entries are written in a minute for the reports of all browsers together. */
const MAX_ENTRIES = 10;
const MINUTE_MS = 60_000;
const MAX_PATH_CHARS = 200;
/** Longer addresses are not parsed: a name of a host in Unicode can take the square of its length. */
const MAX_ADDRESS_CHARS = 2000;
const DIRECTIVE = /^[a-z-]{1,40}$/;
/** What browsers name instead of an address. */
const KEYWORD = /^(?:inline|eval|wasm-eval|trusted-types-policy|trusted-types-sink|data|blob|self)$/;

/** What is logged of a violation: nothing else of a report, since anybody can send one. */
interface Violation {
  /** The directive that was violated; `unknown` if the report names none. */
  directive: string;
  /** The origin or kind of what was blocked. */
  blocked: string;
  /** The path of the page. */
  page: string;
}

/** Options of the endpoint. */
export interface CspReportOptions {
  log: Log;
  /** ms since 1970. */
  now: () => number;
}

/** Writes reports of violations to the log, a few in a minute. The others are counted in the next entry. */
class ViolationLog {
  readonly #options: CspReportOptions;
  #minute = 0;
  #written = 0;
  #dropped = 0;

  constructor(options: CspReportOptions) {
    this.#options = options;
  }

  add({ directive, blocked, page }: Violation): void {
    const { log, now } = this.#options;
    const minute = Math.floor(now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#written = 0;
    }
    if (this.#written === MAX_ENTRIES) {
      this.#dropped += 1;
      return;
    }
    this.#written += 1;
    const dropped = this.#dropped > 0 ? { dropped: this.#dropped } : {};
    this.#dropped = 0;
    log.info('a page violated its Content-Security-Policy', { directive, blocked, page, ...dropped });
  }
}

/** Makes the endpoint for reports of browsers, in the form of the Reporting API or of `report-uri`. The response never says what was logged. */
export function cspReportEndpoint(options: CspReportOptions): Endpoint {
  const violations = new ViolationLog(options);
  return {
    path: CSP_REPORTS,
    async post(request: IncomingMessage, response: ServerResponse) {
      const body = await readBody(request, MAX_BODY_BYTES);
      for (const violation of readViolations(body.toString())) violations.add(violation);
      response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
    },
  };
}

function readViolations(text: string): Violation[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  const reports = Array.isArray(parsed)
    ? parsed.map((report) => memberOf(report, 'body'))
    : [memberOf(parsed, 'csp-report')];
  return reports.filter((report) => report !== undefined).map(describeViolation);
}

function describeViolation(report: unknown): Violation {
  const directive =
    textOf(report, 'effectiveDirective', 'effective-directive', 'violated-directive').split(' ')[0] ?? '';
  const blocked = textOf(report, 'blockedURL', 'blocked-uri');
  return {
    directive: DIRECTIVE.test(directive) ? directive : 'unknown',
    blocked: KEYWORD.test(blocked) ? blocked : originOf(blocked),
    page: pathOf(textOf(report, 'documentURL', 'document-uri')),
  };
}

function originOf(address: string): string {
  const url = parseAddress(address);
  if (url === undefined) return 'unknown';
  const { origin, protocol, hostname } = url;
  return origin === 'null' || hostname.length > MAX_PATH_CHARS ? protocol.slice(0, 20) : origin;
}

/** Returns the path of an address without its query, which may hold a token. */
function pathOf(address: string): string {
  const url = parseAddress(address);
  return url === undefined ? 'unknown' : redactPath(url.pathname).slice(0, MAX_PATH_CHARS);
}

function parseAddress(address: string): URL | undefined {
  return address.length <= MAX_ADDRESS_CHARS && URL.canParse(address) ? new URL(address) : undefined;
}

function textOf(report: unknown, ...names: string[]): string {
  const text = names.map((name) => memberOf(report, name)).find((value) => typeof value === 'string');
  return typeof text === 'string' ? text : '';
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
