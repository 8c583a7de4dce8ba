import * as assert from 'uvu/assert';

/** HTML that a Content-Security-Policy without `unsafe-inline` forbids. */
export const NOT_AN_ASSET =
  /<style| style=|<script(?! type="module" src="\/assets\/[\w.-]+"><\/script>)| on\w+=/;

/** Checks that a page is private: it runs no script except assets, is not framed, is not cached, and does not send its address to linked sites. */
export function checkPageHeaders({ headers, text }: { headers: Headers; text: string }): void {
  assert.is(
    headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; report-uri /csp-reports; report-to csp",
  );
  assert.equal(
    ['x-frame-options', 'x-content-type-options', 'cache-control', 'access-control-allow-origin'].map(
      (name) => headers.get(name),
    ),
    ['DENY', 'nosniff', 'no-store', null],
  );
  assert.is(headers.get('reporting-endpoints'), 'csp="/csp-reports"');
  assert.ok(['no-referrer', 'strict-origin'].includes(headers.get('referrer-policy') ?? ''));
  assert.not.match(text, NOT_AN_ASSET);
}
