import { REPORTED, REPORTING_HEADERS } from './csp-reporting.ts';
import type { Headers } from '../http/problem.ts';

const SOURCES = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
};

/** The header fields of every page: only what the gateway itself serves, no frames, and nothing about the page to where its links lead. */
export const PAGE_HEADERS: Headers = pageHeaders();

/**
 * Makes the header fields of a page that needs more than others.
 *
 * @param further sources of its Content-Security-Policy, by directive
 */
export function pageHeaders(further: Readonly<Record<string, string>> = {}): Headers {
  const policy = Object.entries({ ...SOURCES, ...further }).map(([name, sources]) => `${name} ${sources}`);
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `${policy.join('; ')}${REPORTED}`,
    ...REPORTING_HEADERS,
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}
