import { styleText } from 'node:util';
import { diff as diffLists } from 'json-diff';
import { cutApart, inOrder } from '../../diff/changes.ts';
import type { Change } from '../../diff/compare.ts';
import type { AttributeChanges, BuildDiff, DatasetDiff, RecordsDiff } from '../../diff/diff-builds.ts';
import type { Json } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import { countOf } from '../../text.ts';

/** Longer lists are shown as values, not element by element. */
const MAX_LIST_ELEMENTS = 100;
const MAX_VALUE_CHARACTERS = 80;
const MAX_NAME_CHARACTERS = 120;
/** A comment on GitHub has at most 65,536 characters; the rest is for text that is added to the diff. */
const MAX_CHARACTERS = 50_000;

/** What became of the characters or of a dataset, with the names of its records. */
interface Section {
  key: string;
  /** In words: `1 added, 2 changed`. */
  summary: string;
  attributes: AttributeChanges;
  /** Pairs of ids, as `1 → 2`. */
  renamed: string[];
  added: string[];
  removed: string[];
  /** The changes of each record; of a dataset that is one value, one without a name. */
  changed: { name: string | undefined; changes: readonly Change[] }[];
}

/** What differs, list by list. */
export function sectionsOf({ characters, datasets }: BuildDiff): Section[] {
  const { added, removed, changed, renamed, attributes } = characters;
  const isSame =
    added.length + removed.length + changed.length === 0 && !renamed && !attributes && !characters.folded;
  const base = (key: string, of: Pick<RecordsDiff, 'attributes' | 'renamed'>) => ({
    key,
    attributes: of.attributes ?? { gained: [], lost: [] },
    renamed: Object.entries(of.renamed ?? {}).map(([from, to]) => `${from} → ${to}`),
  });
  const ofGame = inOrder(changed);
  const first: Section = {
    ...base('characters', characters),
    summary: summarise(countRecords(added.length, 0, removed.length, ofGame.length), characters),
    added: added.map(nameOf),
    removed: removed.map(nameOf),
    changed: ofGame.map((record) => ({ name: nameOf(record), changes: record.changes })),
  };
  const others = Object.entries(datasets).map(([key, diff]): Section => {
    const summary = summariseDataset(diff);
    if ('changes' in diff) {
      const changes = diff.kind === undefined && diff.changes.length > 0 ? [diff.changes] : [];
      const changedValue = changes.map((each) => ({ name: undefined, changes: each }));
      return { ...base(key, diff), summary, added: [], removed: [], changed: changedValue };
    }
    const gained = new Set(diff.gained);
    const named = (id: string) => nameOf({ id, ...nameIn(diff.names, id) });
    return {
      ...base(key, diff),
      summary,
      added: diff.added.filter((id) => !gained.has(id)).map(named),
      removed: diff.removed.map(named),
      changed: inOrder(diff.changed).map((record) => ({ name: nameOf(record), changes: record.changes })),
    };
  });
  return isSame ? others : [first, ...others];
}

function nameOf({ id, name }: { id: string; name?: string }): string {
  return name ? `${id} ${name}` : id;
}

function nameIn(names: Record<string, string> | undefined, id: string): { name?: string } {
  const name = names && Object.hasOwn(names, id) ? names[id] : undefined;
  return name === undefined ? {} : { name };
}

function countRecords(added: number, gained: number, removed: number, changed: number): string[] {
  const counts = Object.entries({ added: added - gained, 'first served': gained, removed, changed });
  return counts.filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`);
}

function summarise(
  counts: readonly string[],
  of: Pick<RecordsDiff, 'attributes' | 'renamed' | 'folded'>,
): string {
  const { gained, lost, elements = [] } = of.attributes ?? { gained: [], lost: [] };
  const renamed = Object.keys(of.renamed ?? {}).length;
  return [
    ...counts,
    ...(renamed > 0 ? [`${renamed} renumbered`] : []),
    ...Object.entries(of.folded ?? {}).map(([kind, records]) => `${records.length} ${kind}`),
    ...(gained.length > 0 ? [`${countOf(gained.length, 'attribute')} gained`] : []),
    ...(lost.length > 0 ? [`${countOf(lost.length, 'attribute')} lost`] : []),
    ...(elements.length > 0 ? [`elements of ${countOf(elements.length, 'list')} gained`] : []),
  ].join(', ');
}

/** What became of a dataset: one that the build before did not have was not added by the game. */
function summariseDataset(diff: DatasetDiff): string {
  if (diff.kind === 'removed') return 'dataset removed';
  const isOfAttributes = 'changes' in diff && diff.changes.length === 0 && diff.attributes !== undefined;
  const counts =
    'changes' in diff
      ? isOfAttributes || diff.kind
        ? []
        : [countOf(diff.changes.length, 'change')]
      : countRecords(diff.added.length, diff.gained?.length ?? 0, diff.removed.length, diff.changed.length);
  return diff.kind === 'added' ? ['dataset gained', ...counts].join(', ') : summarise(counts, diff);
}

/** The elements that lists gained: `traits: "Dragon", "King"`. */
function describeElements({ elements = [] }: AttributeChanges): string[] {
  return elements.map(({ key, values }) =>
    values === undefined ? key : `${key}: ${values.map((value) => JSON.stringify(value)).join(', ')}`,
  );
}

type Style = Parameters<typeof styleText>[0];

/** Renders a diff as lines of text. @param colour whether to colour it with ANSI escape codes */
export function renderText(diff: BuildDiff, colour: boolean): string {
  const paint = (style: Style, text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const green = (text: string) => paint('green', `+ ${printable(text)}`);
  const red = (text: string) => paint('red', `- ${printable(text)}`);
  const renderChange = (change: Change): string => {
    const { path, from, to, growth } = describeChange(change);
    const label = path || 'all of it';
    if (from === undefined) return paint('green', `+ ${label} ${to}`);
    if (to === undefined) return paint('red', `- ${label} ${from}`);
    const elements = diffElements(change);
    const values = elements
      ? elements.map(([sign, value]) => paint(sign === '+' ? 'green' : 'red', `${sign}${value}`)).join(' ')
      : `${paint('red', from)} → ${paint('green', to)}${growth ? ` (${growth})` : ''}`;
    return `  ${label} ${values}`;
  };
  const lines = sectionsOf(diff).flatMap(({ key, summary, attributes, renamed, added, removed, changed }) => [
    '',
    `${paint('bold', key)}: ${summary}`,
    ...attributes.gained.map((each) => green(`attribute ${each}`)),
    ...attributes.lost.map((each) => red(`attribute ${each}`)),
    ...describeElements(attributes).map((each) => green(`elements ${each}`)),
    ...renamed.map((each) => paint('yellow', `= ${printable(each)}`)),
    ...added.map(green),
    ...removed.map(red),
    ...changed.flatMap(({ name, changes }) =>
      name === undefined
        ? changes.map((change) => `  ${renderChange(change)}`)
        : [
            `${paint('yellow', '~')} ${paint('bold', printable(name))}`,
            ...changes.map((change) => `    ${renderChange(change)}`),
          ],
    ),
  ]);
  const title = paint('bold', `${diff.game} ${diff.from ?? 'nothing'} → ${diff.to}`);
  return `${[title, ...(lines.length === 0 ? ['no difference'] : lines)].join('\n')}\n`;
}

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
export function renderChanges(diff: BuildDiff, heading: string, room: Room): string[] {
  const fitting = (texts: readonly string[]) => {
    const shown: string[] = [];
    for (const text of texts) {
      if (text.length + 6 > room.left) break;
      room.left -= text.length + 6;
      shown.push(text);
    }
    return { shown, rest: texts.length - shown.length };
  };
  const names = (label: string, all: readonly string[]) => {
    if (all.length === 0) return [];
    const { shown, rest } = fitting(all.map((text) => code(text)));
    return [`${label}: ${[...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')}`];
  };
  const table = (key: string, changed: Section['changed']) => {
    const rows = changed.flatMap(({ name, changes }) =>
      changes.map((change) => {
        const { path, from, to, growth } = describeChange(change);
        const cells = [...(name === undefined ? [] : [name]), path || '(all of it)', from, to];
        const row = cells.map((text) => (text === undefined ? '' : code(text).replaceAll('|', '\\|')));
        return row.join(' | ') + (growth ? ` (${growth})` : '');
      }),
    );
    if (rows.length === 0) return [];
    const { shown, rest } = fitting(rows);
    const isOfRecords = changed.some(({ name }) => name !== undefined);
    const subject = key === 'characters' ? 'character' : 'record';
    const head = [...(isOfRecords ? [subject] : []), 'attribute', 'before', 'after'];
    const lines = [head.join(' | '), head.map(() => '---').join(' | '), ...shown];
    return [
      ...(shown.length > 0 ? [lines.map((line) => `| ${line} |`).join('\n')] : []),
      ...(rest > 0 ? [`…and ${rest} more changes.`] : []),
    ];
  };
  const blocks = sectionsOf(diff).flatMap(
    ({ key, summary, attributes, renamed, added, removed, changed }) => [
      `${heading} ${key === 'characters' ? key : code(key)}: ${summary}`,
      ...names('Attributes gained', attributes.gained),
      ...names('Attributes lost', attributes.lost),
      ...names('Elements gained', describeElements(attributes)),
      ...names('Renumbered', renamed),
      ...names('Added', added),
      ...names('Removed', removed),
      ...table(key, changed),
    ],
  );
  return blocks.length === 0 ? ['No difference.'] : blocks;
}

/** The elements that were added to or removed from a short list of scalars; undefined if the values are to be shown instead. */
function diffElements({ from, to }: Change): ['+' | '-', string][] | undefined {
  const isShort = (value: Json | undefined): value is (string | number | boolean)[] =>
    Array.isArray(value) &&
    value.length <= MAX_LIST_ELEMENTS &&
    value.every((element) => typeof element !== 'object');
  if (!isShort(from) || !isShort(to)) return undefined;
  const elements: ['+' | '-', string][] = [];
  for (const [sign, value] of diffLists(from, to) ?? []) {
    if (sign === ' ') continue;
    // The package loses texts that are names of inherited properties ("constructor").
    if (value === undefined) return undefined;
    elements.push([sign, quoteShort(value)]);
  }
  return elements;
}

/** The texts that describe a change. `from` and `to` are undefined where the change has none. */
export interface ChangeText {
  /** The dotted path; positions in lists count from 0. Empty for the whole value. */
  path: string;
  from?: string | undefined;
  to?: string | undefined;
  /** How much a number grew, such as `+5%`; only if it was not 0 before. */
  growth?: string | undefined;
}

/** Describes a change: values as JSON of limited length, without characters that cannot be printed. */
export function describeChange({ path: pointer, from, to }: Change): ChangeText {
  const path = printable(pointerSteps(pointer).join('.'));
  if (from === undefined || to === undefined) {
    const [before, after] = [from, to].map((value) => (value === undefined ? value : quoteShort(value)));
    return { path, from: before, to: after };
  }
  const texts = [from, to].map((value) => printable(JSON.stringify(value)));
  const [before, after] = cutApart(texts[0] ?? '', texts[1] ?? '', MAX_VALUE_CHARACTERS);
  return { path, from: before, to: after, growth: describeGrowth(from, to) };
}

/** How much a number grew, in per cent of its absolute value before: rounded to a tenth, or to two digits if less than 1 %. */
function describeGrowth(from: Json, to: Json): string | undefined {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0) return undefined;
  const percent = ((to - from) / Math.abs(from)) * 100;
  const rounded = Number(Math.abs(percent) < 1 ? percent.toPrecision(2) : percent.toFixed(1));
  return `${rounded > 0 ? '+' : ''}${rounded}%`;
}

/** A value as JSON of limited length. */
function quoteShort(value: Json): string {
  return cutShort(printable(JSON.stringify(value)), MAX_VALUE_CHARACTERS);
}

/** The first characters of a text; followed by an ellipsis if it has more. */
export function cutShort(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${[...text].slice(0, maxCharacters).join('')}…` : text;
}

/** Escapes the characters of a text that would move the cursor, change colours or reverse the direction of writing. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** A code span (CommonMark 6.1) of a text from data: its fence is longer than any run of backticks in it. */
export function code(text: string, maxCharacters = MAX_NAME_CHARACTERS): string {
  const content = cutShort(printable(text), maxCharacters);
  const marks = '`'.repeat(longestRun(content) + 1);
  const padding = /^`|`$|^ .* $/.test(content) ? ' ' : '';
  return marks + padding + content + padding + marks;
}

/** A fenced block of code (CommonMark 4.5): its fence is longer than any run of backticks in it. */
export function fence(text: string, language = 'text'): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}${language}\n${text.trimEnd()}\n${marks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
