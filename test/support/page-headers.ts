import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';

/** Checks that a page is private: it runs no script, is not framed, is not cached, and does not send its address to linked sites. */
export function checkPageHeaders({ headers, text }: { headers: Headers; text: string }): void {
  const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  assert.is(
    headers.get('content-security-policy'),
    `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; report-uri /csp-reports; report-to csp`,
  );
  assert.equal(
    ['x-frame-options', 'x-content-type-options', 'cache-control', 'access-control-allow-origin'].map(
      (name) => headers.get(name),
    ),
    ['DENY', 'nosniff', 'no-store', null],
  );
  assert.is(headers.get('reporting-endpoints'), 'csp="/csp-reports"');
  assert.ok(['no-referrer', 'strict-origin'].includes(headers.get('referrer-policy') ?? ''));
  assert.not.match(text, / style=|<script| on\w+=/);
}
