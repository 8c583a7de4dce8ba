import { existsSync } from 'node:fs';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listPages, readPage } from './pages.ts';
import { ROOT } from '../support/paths.ts';

const pages = suite('pages');

const MAX_README_LINES = 150;
const FENCED = /^(```|~~~).*\n(?:.*\n)*?\1$/gm;

/** The addresses of a page's links and images, in order. */
function findLinks(text: string): string[] {
  const plain = text.replace(FENCED, '').replace(/`[^`\n]*`/g, '');
  const inline = plain.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g);
  const references = plain.matchAll(/^\[[^\]]+\]: (\S+)/gm);
  return [...inline, ...references].map(([, address = '']) => address);
}

/** The anchors of a page's headings, as GitHub makes them; of headings alike, the first one's. */
function findAnchors(text: string): Set<string> {
  const headings = text.replace(FENCED, '').matchAll(/^#{1,6} (.+)$/gm);
  const plain = [...headings].map(([, heading = '']) => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
  const kept = plain.map((heading) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, ''),
  );
  return new Set(kept.map((heading) => heading.replace(/\s/g, '-')));
}

async function leadsSomewhere(page: string, link: string): Promise<boolean> {
  if (/^[a-z]+:/.test(link)) return true;
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
  if (target.startsWith('..') || !existsSync(path.join(ROOT, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && findAnchors(await readPage(target)).has(anchor));
}

pages('have only links to pages and anchors that exist', async () => {
  const written = await fastGlob(['*.md', '{docs,gateway,scripts,test,.github}/**/*.md'], { cwd: ROOT });
  const broken: string[] = [];
  for (const page of written.sort())
    for (const link of findLinks(await readPage(page)))
      if (!(await leadsSomewhere(page, link))) broken.push(`${page}: ${link}`);
  assert.equal(broken, []);
});

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
  const listed = new Set([...linked, 'README.md', 'docs/README.md']);
  assert.equal(
    (await listPages()).filter((page) => !listed.has(page)),
    [],
  );
});

pages(`are short at the front: README.md has at most ${MAX_README_LINES} lines`, async () => {
  const lines = (await readPage('README.md')).trimEnd().split('\n').length;
  assert.ok(lines <= MAX_README_LINES, String(lines));
});

pages.run();
