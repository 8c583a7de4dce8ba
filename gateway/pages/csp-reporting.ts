import type { Headers } from '../http/problem.ts';

/** Where browsers report that a page tried to do what its Content-Security-Policy forbids. */
export const CSP_REPORTS = '/csp-reports';

/** The end of a Content-Security-Policy whose violations are reported: to the group `csp`, or by older browsers to its address. */
export const REPORTED = `; report-uri ${CSP_REPORTS}; report-to csp`;

/** The header field that names the address of the group `csp`. */
export const REPORTING_HEADERS: Headers = { 'Reporting-Endpoints': `csp="${CSP_REPORTS}"` };
