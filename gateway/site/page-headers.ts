import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { REPORTED, REPORTING_HEADERS } from '../http/csp-reporting.ts';

/**
 * Makes the header fields of the static pages: no scripts, no styles except their own, no frames, and nothing about the page to where
 * its links lead.
 *
 * @param folder with the pages
 */
export function pageHeaders(folder: string): Record<string, string> {
  const files = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((file) =>
    file.endsWith('.html'),
  );
  const styles = files.flatMap((file) => findStyles(readFileSync(path.join(folder, file), 'utf8')));
  const hashes = [...new Set(styles)].map(
    (style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  );
  return {
    'Content-Security-Policy': `default-src 'none'; style-src ${hashes.join(' ')}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'${REPORTED}`,
    ...REPORTING_HEADERS,
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  };
}

/** Returns the contents of a page's style elements. */
function findStyles(html: string): string[] {
  return [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style);
}
