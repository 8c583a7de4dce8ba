import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { ROOT } from '../support/paths.ts';

/** A fenced block of a page. Its info string is the language, followed by what the tests do with the block. */
export interface Block {
  /** The page, such as `docs/speed.md`. */
  page: string;
  /** The line of the opening fence, from 1. */
  line: number;
  language: string;
  /** The rest of the info string, such as `output`, `fails` or `not-run: needs a bucket`. */
  role: string;
  text: string;
}

/** README.md and all pages in docs/, by path, in order. */
export async function listPages(): Promise<string[]> {
  return ['README.md', ...(await fastGlob('docs/**/*.md', { cwd: ROOT })).sort()];
}

/** The text of a page. */
export async function readPage(page: string): Promise<string> {
  return await readFile(path.join(ROOT, page), 'utf8');
}

/** The fenced blocks of a page, in order. */
export async function readBlocks(page: string): Promise<Block[]> {
  return parseBlocks(page, await readPage(page));
}

/** @param text a page's Markdown */
function parseBlocks(page: string, text: string): Block[] {
  return [...text.matchAll(/^```(\S*) *(.*)\n((?:.*\n)*?)```$/gm)].map((match) => {
    const [, language = '', role = '', block = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    return { page, line, language, role, text: block };
  });
}

/** Where a block is, for messages. */
export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

/** The text of the only block with this language and role; throws unless exactly one exists. */
export async function readBlock(page: string, language: string, role = ''): Promise<string> {
  const found = (await readBlocks(page)).filter(
    (block) => block.language === language && block.role === role,
  );
  const [block, ...others] = found;
  if (block === undefined || others.length > 0) {
    throw new Error(`${page} has ${found.length} blocks \`${language} ${role}\`, expected one`);
  }
  return block.text;
}

/** A table of a page. Its cells hold Markdown. */
export interface Table {
  page: string;
  /** The heading above it. */
  heading: string;
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

/** The tables of a page, in order. @param text its Markdown */
export function readTables(page: string, text: string): Table[] {
  const tables: (Table & { rows: string[][] })[] = [];
  let heading = '';
  let before = '';
  for (const line of text.replace(/^```[^\n]*\n.*?^```$/gms, '').split('\n')) {
    heading = /^#{1,6} (.+)/.exec(line)?.[1] ?? heading;
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    const texts = cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
    const isFirst = line.startsWith('|') && !before.startsWith('|');
    if (isFirst) tables.push({ page, heading, header: texts, rows: [] });
    else if (line.startsWith('|') && !/^\|[-:| ]+\|$/.test(line)) tables.at(-1)?.rows.push(texts);
    before = line;
  }
  return tables;
}

/**
 * The rows of the first table with this header row, each as the texts of its cells; without the header row.
 *
 * @param first how the header row begins, such as `| option |`
 */
export function readTable(text: string, first: string): (readonly string[])[] {
  const found = readTables('', text).find(({ header }) => `| ${header.join(' | ')} |`.startsWith(first));
  if (found === undefined) throw new Error(`no table that begins with ${first}`);
  return [...found.rows];
}
