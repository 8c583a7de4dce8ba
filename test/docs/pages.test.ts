import { existsSync } from 'node:fs';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findAnchors, findLinks } from '../support/docs/links.ts';
import { listPages, readPage } from '../support/docs/pages.ts';
import { ROOT } from '../support/paths.ts';

const pages = suite('pages');

const MAX_README_LINES = 150;

pages('have only links to pages and anchors that exist', async () => {
  const written = await fastGlob(['*.md', '{docs,gateway,scripts,test,.github}/**/*.md'], { cwd: ROOT });
  const broken: string[] = [];
  for (const page of written.sort()) {
    for (const link of findLinks(await readPage(page))) {
      if (!(await leadsSomewhere(page, link))) broken.push(`${page}: ${link}`);
    }
  }
  assert.equal(broken, []);
});

async function leadsSomewhere(page: string, link: string): Promise<boolean> {
  if (/^[a-z]+:/.test(link)) return true;
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
  if (target.startsWith('..') || !existsSync(path.join(ROOT, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && findAnchors(await readPage(target)).has(anchor));
}

pages('say at the top for whom they are, and begin with an example', async () => {
  for (const page of await listPages()) {
    if (page === 'README.md') continue;
    const text = await readPage(page);
    assert.match(text, /^# .+\n\nFor .+/, page);
    const firstSection = text.indexOf('\n## ');
    const firstBlock = text.indexOf('\n```');
    assert.ok(firstBlock > 0 && (firstSection < 0 || firstBlock < firstSection), page);
  }
});

pages('in docs/ are all listed in docs/README.md', async () => {
  const linked = findLinks(await readPage('docs/README.md')).map((link) => path.posix.join('docs', link));
  const missing = (await listPages()).filter(
    (page) => page.startsWith('docs/') && page !== 'docs/README.md' && !linked.includes(page),
  );
  assert.equal(missing, []);
});

pages(`are short at the front: README.md has at most ${MAX_README_LINES} lines`, async () => {
  const lines = (await readPage('README.md')).trimEnd().split('\n').length;
  assert.ok(lines <= MAX_README_LINES, String(lines));
});

pages('have the anchors that GitHub makes', () => {
  const text = '# What `find()` does, really\n\n```sh\n# no heading\n```\n\n## A [link](b.md)\n\n## A link\n';
  assert.equal([...findAnchors(text)], ['what-find-does-really', 'a-link', 'a-link-1']);
});

pages('have links only outside code', () => {
  const text = '[a](b.md#c) and ![d](e.png) `[f](g)`\n\n```text figure\n[h](i)\n```\n\n[j]: k.md\n';
  assert.equal(findLinks(text), ['b.md#c', 'e.png', 'k.md']);
});

pages.run();
