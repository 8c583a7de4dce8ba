import type { AttributeChanges, BuildDiff, ChangedRecord } from '../../diff/diff-builds.ts';
import type { Change } from '../../diff/compare.ts';
import { inOrder } from '../../diff/changes.ts';
import { ofTheGame } from '../../diff/history.ts';
import {
  cutShort,
  describeChange,
  describeElements,
  isEmpty,
  nameIn,
  newIn,
  printable,
  summarise,
  summariseDataset,
} from './diff-text.ts';

/** A comment on GitHub has at most 65,536 characters; the rest is for text that is added to the diff. */
const MAX_CHARACTERS = 50_000;
const MAX_NAME_CHARACTERS = 120;

/** How many characters a text of limited length may still grow by. */
export interface Room {
  left: number;
}

/**
 * Renders a diff as GitHub's Markdown for a comment on a pull request: about 50,000 characters at most; changes that do not fit are counted.
 * All text that comes from data is in code spans, so that none of it is a link, a mention or HTML.
 */
export function renderMarkdown(diff: BuildDiff): string {
  const title = `## ${code(diff.game)} ${code(diff.from ?? 'nothing')} → ${code(diff.to)}`;
  return `${[title, ...renderChanges(diff, '###', { left: MAX_CHARACTERS })].join('\n\n')}\n`;
}

/** The same without the title, as blocks. @param heading the marks of headings @param room is used up */
export function renderChanges({ characters, datasets }: BuildDiff, heading: string, room: Room): string[] {
  const blocks: string[] = [];
  const sections = Object.entries(datasets);
  const { added, removed } = characters;
  if (isEmpty(characters) && sections.length === 0) blocks.push('No difference.');
  else if (!isEmpty(characters)) {
    blocks.push(`${heading} characters: ${summarise(characters)}`);
    blocks.push(...renderAttributes(characters.attributes, room));
    blocks.push(...renderRenamed(characters.renamed, room));
    blocks.push(...renderNames('Added', added.map(nameOf), room));
    blocks.push(...renderNames('Removed', removed.map(nameOf), room));
    blocks.push(...renderTable(rowsOf(inOrder(ofTheGame(characters))), 'character', room));
  }
  for (const [key, diff] of sections) {
    blocks.push(`${heading} ${code(key)}: ${summariseDataset(diff)}`);
    blocks.push(...renderAttributes(diff.attributes, room));
    if ('changes' in diff) {
      if (diff.kind === undefined) blocks.push(...renderTable(diff.changes.map(rowOf), undefined, room));
      continue;
    }
    blocks.push(...renderRenamed(diff.renamed, room));
    const named = (id: string) => nameOf({ id, ...nameIn(diff.names, id) });
    blocks.push(...renderNames('Added', newIn(diff).map(named), room));
    blocks.push(...renderNames('Removed', diff.removed.map(named), room));
    blocks.push(...renderTable(rowsOf(inOrder(ofTheGame(diff))), 'record', room));
  }
  return blocks;
}

function renderAttributes(
  { gained, lost, elements = [] }: AttributeChanges = { gained: [], lost: [] },
  room: Room,
): string[] {
  return [
    ...renderNames('Attributes gained', gained, room),
    ...renderNames('Attributes lost', lost, room),
    ...renderNames('Elements gained', elements.map(describeElements), room),
  ];
}

function renderRenamed(renamed: Record<string, string> = {}, room: Room): string[] {
  const pairs = Object.entries(renamed).map(([from, to]) => `${from} → ${to}`);
  return renderNames('Renumbered', pairs, room);
}

function nameOf({ id, name }: { id: string; name?: string }): string {
  return name ? `${id} ${name}` : id;
}

function renderNames(label: string, names: readonly string[], room: Room): string[] {
  if (names.length === 0) return [];
  const { fitting, rest } = chooseFitting(names.map(code), room);
  return [`${label}: ${[...fitting, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')}`];
}

function rowsOf(records: readonly (ChangedRecord & { name?: string })[]): string[] {
  return records.flatMap((record) =>
    record.changes.map((change) => `${cell(nameOf(record))} | ${rowOf(change)}`),
  );
}

function rowOf(change: Change): string {
  const { path, from, to, growth } = describeChange(change);
  const cells = [path || '(all of it)', from, to].map((text) => (text === undefined ? '' : cell(text)));
  return cells.join(' | ') + (growth ? ` (${growth})` : '');
}

function renderTable(rows: readonly string[], subject: string | undefined, room: Room): string[] {
  if (rows.length === 0) return [];
  const { fitting, rest } = chooseFitting(rows, room);
  const head = [...(subject ? [subject] : []), 'attribute', 'before', 'after'];
  const more = rest > 0 ? [`…and ${rest} more changes.`] : [];
  if (fitting.length === 0) return more;
  const lines = [head.join(' | '), head.map(() => '---').join(' | '), ...fitting];
  return [lines.map((line) => `| ${line} |`).join('\n'), ...more];
}

/** The first texts, as many as there is room for, and the number of the others. */
function chooseFitting(texts: readonly string[], room: Room): { fitting: string[]; rest: number } {
  const fitting: string[] = [];
  for (const text of texts) {
    if (text.length + 6 > room.left) break;
    room.left -= text.length + 6;
    fitting.push(text);
  }
  return { fitting, rest: texts.length - fitting.length };
}

/** A code span in a table, where a `|` would end the cell. */
function cell(text: string): string {
  return code(text).replaceAll('|', '\\|');
}

/** A code span (CommonMark 6.1) of a text from data: its fence is longer than any run of backticks in it. */
export function code(text: string): string {
  const content = cutShort(printable(text), MAX_NAME_CHARACTERS);
  const runs = content.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + runs.reduce((longest, run) => Math.max(longest, run.length), 0));
  const padding = /^`|`$|^ .* $/.test(content) ? ' ' : '';
  return fence + padding + content + padding + fence;
}

/** A fenced block of code (CommonMark 4.5): its fence is longer than any run of backticks in it. */
export function fence(text: string, language = 'text'): string {
  const runs = text.match(/`+/g) ?? [];
  const marks = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `${marks}${language}\n${text.trimEnd()}\n${marks}`;
}
