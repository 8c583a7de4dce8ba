import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type GuidePart, searchGuides } from '../../../gateway/site/islands/lib/search-guides.ts';
import { ROOT } from '../../support/paths.ts';

const test = suite<{ parts: GuidePart[] }>('the search over the guides');
test.before(async (context) => {
  const cwd = path.join(ROOT, 'build/gateway/site/layout/public/assets');
  const [file = ''] = await fastGlob('guides.*.json', { cwd });
  context.parts = JSON.parse(await readFile(path.join(cwd, file), 'utf8')) as GuidePart[];
});

test('finds what readers call otherwise, in other scripts, and with typing mistakes', ({ parts }) => {
  const found = (text: string) =>
    searchGuides(parts, text)
      .slice(0, 5)
      .map(({ path: address }) => address.replace(/#.*/, ''));
  for (const [text, guide] of [
    ['pagination', '/docs/consumers/queries'],
    ['gacha', '/docs/'],
    ['images', '/docs/'],
    ['Discord', '/docs/examples'],
    ['日本語', '/docs/consumers/search'],
    ['webhok', '/docs/consumers/alerts'],
    ['etag header', '/docs/consumers/errors-and-limits'],
    ['paginatoin', '/docs/consumers/queries'],
  ] as const)
    assert.ok(
      found(text).some((address) => address.startsWith(guide)),
      `${text}: ${found(text)}`,
    );
  assert.equal(searchGuides(parts, 'xyzzyxyzzy'), []);
  assert.equal(searchGuides(parts, ' '), []);
});

test.run();
