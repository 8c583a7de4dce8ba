import { brotliDecompressSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestGateway } from '../../support/harness.ts';
import { sendPlainly } from '../../support/plain-request.ts';
import { until } from '../../support/until.ts';
import { checkMarkup } from './page-headers.ts';
import { FURTHER, HIDDEN, HOSTILE, isPage, PATHS, startSite, visit } from './site-world.ts';

interface Context {
  gateway: TestGateway;
}

const HOUR_MS = 3_600_000;
const MAX_BYTES = 30_000;

const site = suite<Context>('the site');
site.before(async (context) => {
  context.gateway = await startSite();
});
site.after(({ gateway }) => gateway.stop());

site('shows visitors the games, and what the newest build changed', async ({ gateway }) => {
  const home = await visit(gateway, '/');
  assert.is(home.status, 200);
  assert.match(
    home.text,
    /Saga.*New: Member 2\., .*Member 5\. and 7 more.*\$5 a month.*https:\/\/ko-fi.com\/x"/s,
  );
  assert.match((await visit(gateway, '/games')).text, /12 characters · 1 dataset/);
  const game = await visit(gateway, '/games/saga');
  assert.match(game.text, /href="\/games\/saga\/characters\/c12"/);
  assert.match((await visit(gateway, '/games/saga/attributes')).text, /<code>stats\.atk<\/code>/);
});

site('has headings, a description and a link to the content on each page', async ({ gateway }) => {
  for (const path of [...PATHS.filter(isPage), '/docs/api']) {
    const { status, text, headers } = await visit(gateway, path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'[^']*;/, path);
    assert.not.match(policy, /unsafe/, path);
    assert.is(status, 200, path);
    assert.is(text.match(/<h1[ >]/g)?.length, 1, path);
    const isListed = !/^\/search/.test(path);
    assert.is(/<meta name="description" content="[^"]{20,}"/.test(text), isListed, path);
    assert.is(text.includes('<meta name="robots" content="noindex"'), !isListed || path.includes('?'), path);
    assert.match(text, /<a class="skip-link" href="#content">/, path);
    checkMarkup(text, path);
    assert.not.match(text, /undefined|NaN|\[object/, path);
  }
});

site(
  'shows nothing that a free key does not see yet, and shows it a day after its release',
  async ({ gateway }) => {
    for (const path of [...PATHS, ...FURTHER]) {
      const { text, headers } = await visit(gateway, path);
      // What was asked for may be shown again.
      const asked = new Set(path.match(/[\w-]*qz[\w-]*/g) ?? []);
      const all = `${[...headers].join('\n')}\n${text}`
        .toLowerCase()
        .replace(/[\w-]*qz[\w-]*/g, (word) => (asked.has(word) ? '' : word));
      for (const word of HIDDEN) assert.not.ok(all.includes(word), `${path} has ${word}`);
      assert.not.match(all, /value="ko"/, `${path} has a language of a later build`);
    }
    const c02 = await fetch(`${gateway.address}/games/saga/characters/c02`, { redirect: 'manual' });
    assert.is(c02.status, 200, 'a rename of a later build redirects nothing');
    const hidden = [
      '/games/qzpro-young',
      '/games/qzpro-young/patches/1',
      '/games/saga/patches/1.2-qzpro',
      '/games/saga/patches/1.3-qzembargo',
      ...['qzpro', 'c02qzpro', 'qzembargo'].map((id) => `/games/saga/characters/${id}`),
    ];
    for (const path of hidden) {
      const never = path.replace(/qz\w+/, 'never');
      const shown = await visit(gateway, path);
      assert.is(shown.status, 404, path);
      // The same as for what never was, except for the name in the request.
      const name = /qz\w+/.exec(path)?.[0] ?? '';
      assert.is(shown.text.replaceAll(name, 'never'), (await visit(gateway, never)).text, path);
      if (path.startsWith('/games/saga/patches')) assert.not.match(shown.text, /qz/i, path);
    }
    assert.match((await visit(gateway, '/search?q=qzpro')).text, /Nothing has this name/);
    assert.is((await visit(gateway, '/games/saga/qzpro_list')).status, 404);
    assert.is((await visit(gateway, '/games/saga/explore?qzpro_key=qzpro')).status, 400);
    gateway.clock.now += 12.5 * HOUR_MS;
    try {
      for (const path of [
        '/',
        '/games/saga',
        '/games/saga/patches',
        '/status',
        '/contents',
        '/games/saga/patches/1.2-qzpro',
      ])
        assert.match((await visit(gateway, path)).text, /1\.2-qzpro/, path);
      assert.not.match((await visit(gateway, '/games/saga')).text, /qzembargo/i);
    } finally {
      // A time that goes back hides the build again.
      gateway.clock.now -= 12.5 * HOUR_MS;
    }
    // The builds of before are loaded again.
    await until(async () => (await visit(gateway, '/games/saga')).status === 200);
    assert.not.match((await visit(gateway, '/games/saga')).text, /qzpro/i);
  },
);

site(
  'says of each build who and what changed, and in which direction, without the values',
  async ({ gateway }) => {
    const list = await visit(gateway, '/games/saga/patches');
    assert.match(list.text, /11 new characters, 1 character changed/);
    assert.match(list.text, /The first build, with 1 character/);
    const newest = await visit(gateway, '/games/saga/patches/1.1');
    assert.match(newest.text, /kr: 3 Feb 2026/);
    const [, patch = ''] = /<div id="public-patch">(.*?)<section class="notice"/s.exec(newest.text) ?? [];
    assert.match(patch, /href="\/games\/saga\/characters\/c12"/);
    const text = patch.replace(/<[^>]*>/g, '');
    assert.match(text, /Buffs: 1\s*OO Old One ATK ▲up Rank ▼down/);
    assert.not.match(text, /→|\b1[02]\b(?!\.)/, 'values are for Pro');
    assert.not.match(newest.text, /a note/);
    assert.not.match((await visit(gateway, '/games/saga/patches/1.0')).text, /Member|Old One/);
  },
);

site(
  'sends the same bytes with and without a session or a key, and caches may keep them until the view changes',
  async ({ gateway }) => {
    const { keys } = gateway;
    const own = { accept: 'text/html', cookie: `session=${keys.pro}; other=1`, 'x-api-key': keys.pro };
    for (const path of [...PATHS, '/search?part=suggestions&q=member', '/robots.txt']) {
      const shown = await visit(gateway, path);
      const signedIn = await fetch(gateway.address + path, { headers: own });
      assert.is(await signedIn.text(), shown.text, path);
      assert.is(signedIn.headers.get('set-cookie'), null, path);
      const cached = shown.headers.get('cache-control') ?? '';
      assert.match(cached, /^public, max-age=0, s-maxage=(300|[0-2]), must-revalidate$/, path);
    }
    const missing = await visit(gateway, '/games/saga/characters/nobody');
    assert.is(missing.headers.get('cache-control'), 'no-store');
  },
);

site(
  'has one page for all builds that visitors do not see, which says for whom they are',
  async ({ gateway }) => {
    const path = '/games/saga/patches/1.2-qzpro';
    const { status, text, headers } = await visit(gateway, path);
    assert.is(status, 404);
    assert.match(text, /24 hours after its release/);
    assert.match(text, /href="\/account">sign in<\/a>/);
    assert.match(text, /href="https:\/\/ko-fi.com\/x">Join on Ko-fi/);
    assert.match(text, /href="\/games\/saga\/patches\/1\.1"/);
    assert.not.match(text, /<meta name="description"/, 'it is not indexed');
    checkMarkup(text);
    checkMarkup((await visit(gateway, '/games/hostile/patches/never')).text);
    const again = { accept: 'text/html', 'if-none-match': headers.get('etag') ?? '' };
    assert.is((await fetch(gateway.address + path, { headers: again })).status, 404);
    const program = await fetch(gateway.address + path);
    assert.is(program.headers.get('content-type'), 'application/problem+json');
    const problem = (await program.json()) as { code: string; detail: string };
    assert.is(problem.code, 'unknown-build');
    assert.not.match(problem.detail, /qz/);
  },
);

site('shows hostile names, titles and descriptions as text', async ({ gateway }) => {
  for (const path of ['/', '/status', ...PATHS.filter((each) => each.startsWith('/games/hostile'))]) {
    const { text } = await visit(gateway, path);
    checkMarkup(text, path);
    assert.ok(text.includes('&lt;script&gt;alert(2)&lt;/script&gt;'), path);
  }
  const echoed = await visit(gateway, `/games/${encodeURIComponent(HOSTILE)}`);
  assert.is(echoed.status, 404);
  assert.not.match(echoed.text, /<img|<script>/);
  const long = await visit(gateway, `/games/${'a'.repeat(9000)}`);
  assert.equal([long.status, /Error 414<\/p><h1>The address is too long/.test(long.text)], [414, true]);
});

site('compresses its pages to less than 30 KB, and sends none twice', async ({ gateway }) => {
  for (const path of PATHS) {
    const { headers, body } = await sendPlainly(gateway.address + path, {
      headers: { 'accept-encoding': 'br' },
    });
    assert.is(headers['content-encoding'], 'br', path);
    assert.ok(body.length < MAX_BYTES, `${path}: ${body.length} bytes`);
    assert.is(brotliDecompressSync(body).toString(), (await visit(gateway, path)).text, path);
    const again = await sendPlainly(gateway.address + path, {
      headers: { 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' },
    });
    assert.is(again.status, 304, path);
  }
});

site('serves its scripts and styles forever, and says so', async ({ gateway }) => {
  const { text } = await visit(gateway, '/');
  const assets = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, asset]) => asset as string);
  for (const asset of assets) {
    const { headers, status } = await visit(gateway, asset);
    assert.equal([status, headers.get('cache-control')], [200, 'public, max-age=31536000, immutable'], asset);
  }
});

/** Checks that what the texts for programs link to exists. */
async function checkTexts(gateway: TestGateway): Promise<void> {
  for (const path of ['/llms.txt', '/llms-full.txt', '/changes.atom']) {
    const { status, text } = await visit(gateway, path);
    assert.is(status, 200, path);
    const days = [...text.matchAll(/<updated>(.*?)</g)].map(([, day = '']) => day);
    assert.is(days.length, path.endsWith('.atom') ? text.split('<id>').length - 1 : 0);
    assert.ok(days.every((day) => day > '2025'));
    const links = [...text.matchAll(/\]\(([^)\s]+)\)|href="([^"]+)"/g)].map(
      ([, one, other]) => one ?? other ?? '',
    );
    const targets = new Set(
      links.map((link) => link.replace(/#.*/, '')).filter((link) => !/^https?:|\{|^$/.test(link)),
    );
    assert.ok(targets.size > 0, path);
    for (const target of targets) {
      assert.match(target, /^\//, `${path} links to ${target}`);
      assert.is.not((await visit(gateway, target)).status, 404, `${path} links to ${target}`);
    }
  }
}

site(
  'that is off leaves the pages to which responses link; texts for programs have only links that lead there',
  async ({ gateway }) => {
    await checkTexts(gateway);
    const off = await startSite(false);
    for (const path of ['/', '/games', '/games/saga', '/docs', '/status.json'])
      assert.is((await visit(off, path)).status, 404, path);
    const terms = await visit(off, '/terms');
    assert.is(terms.status, 200);
    assert.not.match(terms.text, /href="\/(games|docs|status)?"/);
    await checkTexts(off);
  },
);

site.run();
