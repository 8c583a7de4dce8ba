/** A table of a page. Its cells hold Markdown. */
export interface Table {
  /** The headings above it, beginning with the page's title. */
  headings: readonly string[];
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

/** What the checks of the documents read of a page. */
export interface DocPage {
  /** Its path in the repository. */
  file: string;
  /** The text without code blocks. */
  prose: string;
  /** The text of its code blocks. */
  blocks: readonly string[];
  /** Its inline code. */
  code: readonly string[];
  tables: readonly Table[];
  /** The targets of its links, as written. */
  links: readonly string[];
  /** The anchors of its headings. */
  anchors: readonly string[];
}

const FENCE = /^```[^\n]*\n(.*?)^```$/gms;
const INDENTED = /(?<=\n\n)(?: {4}.*\n?)+/g;
const HEADING = /^#{1,6} (.+)$/;

/** Parses a page of Markdown, as far as the checks need it. */
export function parsePage(file: string, text: string): DocPage {
  const blocks = [...text.matchAll(FENCE)].map(([, block = '']) => block);
  const prose = text.replace(FENCE, '').replace(INDENTED, '');
  const headings = prose.split('\n').flatMap((line) => HEADING.exec(line)?.[1] ?? []);
  return {
    file,
    prose,
    blocks,
    code: codeIn(prose),
    tables: readTables(prose),
    links: [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link),
    anchors: headings.map(anchorOf),
  };
}

/** The inline code of a text. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** The anchor that GitHub makes of a heading. */
function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return kept.trim().replaceAll(' ', '-');
}

function readTables(prose: string): Table[] {
  const tables: Table[] = [];
  let headings: string[] = [];
  let rows: string[][] | undefined;
  for (const line of prose.split('\n')) {
    const [marks = ''] = /^#{1,6}(?= )/.exec(line) ?? [];
    if (marks) headings = [...headings.slice(0, marks.length - 1), line.slice(marks.length + 1)];
    if (!line.startsWith('|')) rows = undefined;
    else if (rows === undefined) {
      rows = [];
      tables.push({ headings, header: cellsOf(line), rows });
    } else if (!/^\|[-:| ]+\|$/.test(line)) rows.push(cellsOf(line));
  }
  return tables;
}

function cellsOf(line: string): string[] {
  const cells = line.trim().split(/(?<!\\)\|/);
  return cells.slice(1, -1).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
