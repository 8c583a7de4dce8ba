import { existsSync } from 'node:fs';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/paths.ts';
import { listPages, readPage } from './pages.ts';

const pages = suite('pages');

const MAX_README_LINES = 100;
/** Of the guides with their examples. */
const MAX_PAGES = 19;
const MAX_LINES = 3500;
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

pages('begin with a sentence or two and an example', async () => {
  for (const page of await listPages())
    if (page !== 'README.md') assert.match(await readPage(page), /^# .+\n\n(?:.+\n){1,3}\n```/, page);
});

pages('in docs/ are all listed in README.md, and few', async () => {
  const linked = findLinks(await readPage('README.md'));
  const written = (await listPages()).filter((page) => page.startsWith('docs/'));
  assert.equal(
    written.filter((page) => !linked.includes(page)),
    [],
  );
  assert.ok(written.length <= MAX_PAGES, `${written.length} pages`);
  const files = await fastGlob('docs/**/*', { cwd: ROOT });
  const lines = (await Promise.all(files.map(readPage))).join('').split('\n').length - 1;
  assert.ok(lines <= MAX_LINES, `docs/ has ${lines} lines, at most ${MAX_LINES}`);
});

pages(`are short at the front: README.md has at most ${MAX_README_LINES} lines`, async () => {
  const lines = (await readPage('README.md')).trimEnd().split('\n').length;
  assert.ok(lines <= MAX_README_LINES, String(lines));
});

pages.run();
