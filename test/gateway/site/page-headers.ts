import * as assert from 'uvu/assert';

const TAG = /<(?:!doctype html|\/?([a-zA-Z][\w-]*)((?:\s+[^\s"'=<>/]+(?:="[^"]*")?)*)\s*\/?)>/y;
const ASSET = /^(?: type="module"| defer)? src="\/assets\/[\w.-]+"$/;

/**
 * Reads the tags of a page, strictly: a `<` that begins no tag, an attribute that runs code, and a script or style that is not an asset are
 * failures.
 *
 * @param name of the page, for messages
 */
export function checkMarkup(text: string, name = ''): void {
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    TAG.lastIndex = at;
    const [tag, element = '', attributes = ''] =
      TAG.exec(text) ?? assert.unreachable(`${name}: ${text.slice(at, at + 80)}`) ?? [];
    const names = [...attributes.matchAll(/\s([^\s"'=<>/]+)(?:="[^"]*")?/g)].map(([, each = '']) => each);
    assert.equal(
      names.filter((each) => /^(on.*|style|srcdoc)$/i.test(each)),
      [],
      `${name}: ${tag}`,
    );
    assert.not.match(attributes, /="\s*javascript:/i, `${name}: ${tag}`);
    assert.not.ok(/^(style|iframe|object|embed|base)$/i.test(element), `${name}: ${tag}`);
    // Data, which no browser runs.
    if (element === 'script' && attributes !== '' && attributes !== ' type="application/ld+json"')
      assert.match(attributes.replace(/ type="module" src/, ' src'), ASSET, name);
    at += (tag?.length ?? 1) - 1;
  }
}

/** Checks that a page is private: it runs no script except assets, is not framed, is not cached, and does not send its address to linked sites. */
export function checkPageHeaders({ headers, text }: { headers: Headers; text: string }): void {
  assert.is(
    headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  );
  assert.equal(
    ['x-frame-options', 'x-content-type-options', 'cache-control', 'access-control-allow-origin'].map(
      (name) => headers.get(name),
    ),
    ['DENY', 'nosniff', 'no-store', null],
  );
  assert.ok(['no-referrer', 'strict-origin'].includes(headers.get('referrer-policy') ?? ''));
  checkMarkup(text);
}
