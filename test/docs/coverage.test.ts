import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Facts, readFacts } from '../support/docs/code-facts.ts';
import { findGaps, findTableGaps } from '../support/docs/find-gaps.ts';
import { type DocPage, parsePage } from '../support/docs/markdown.ts';
import { ROOT } from '../support/paths.ts';

interface Context {
  facts: Facts;
  /** Each page by its path. */
  texts: Map<string, string>;
  pages: DocPage[];
}

const coverage = suite<Context>('the documents');
coverage.before(async (context) => {
  context.facts = await readFacts();
  const files = await fastGlob(['{README,CONTRIBUTING,SECURITY}.md', 'docs/**/*.md'], { cwd: ROOT });
  const read = async (file: string) => [file, await readFile(path.join(ROOT, file), 'utf8')] as const;
  context.texts = new Map(await Promise.all(files.sort().map(read)));
  context.pages = [...context.texts].map(([file, text]) => parsePage(file, text));
});

coverage('name what exists in the code, and nothing else', ({ pages, facts }) => {
  assert.equal(findGaps(pages, facts), []);
});

/** The heads of tables of which each row documents something that exists. */
const LISTS =
  /^\| (option|command \| option|environment variable|code|gate|function|address|extension) \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm;

coverage('fail if a row of their lists is removed', ({ texts, pages, facts }) => {
  const rows = [...texts].flatMap(([file, text]) => rowsOfLists(text).map((row) => ({ file, text, row })));
  assert.ok(rows.length > 150, `${rows.length} rows`);
  const unnoticed = rows.filter(({ file, text, row }) => {
    const without = parsePage(file, text.replace(`${row}\n`, ''));
    const changed = pages.map((page) => (page.file === file ? without : page));
    return findTableGaps(changed, facts).length === 0;
  });
  assert.equal(
    unnoticed.map(({ file, row }) => `${file}: ${row}`),
    [],
  );
});

/** The rows of all tables that list what exists. */
function rowsOfLists(text: string): string[] {
  const bodies = [...text.matchAll(LISTS)].map(([, , body = '']) => body);
  return bodies.flatMap((body) => body.trimEnd().split('\n'));
}

coverage.run();
