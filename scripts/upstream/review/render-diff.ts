import { styleText } from 'node:util';
import { diff as diffLists } from 'json-diff';
import type { Change } from '../../diff/compare.ts';
import type { AttributeChanges, BuildDiff, DatasetDiff, RecordsDiff } from '../../diff/diff-builds.ts';
import { cutApart, inOrder } from '../../diff/summary.ts';
import { type Json, ownValue } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import { countOf } from '../../text.ts';

/** Longer lists are shown as values, not by element. */
const MAX_LIST_ELEMENTS = 100;
const MAX_VALUE_CHARACTERS = 80;
const MAX_NAME_CHARACTERS = 120;
/** A comment on GitHub has at most 65,536 characters; the rest is for text around the diff. */
const MAX_CHARACTERS = 50_000;

/** The changes of the characters or of a dataset. */
interface Section {
  key: string;
  /** In words: `1 added, 2 changed`. */
  summary: string;
  lists: { label: string; sign: '+' | '-' | '='; prefix?: string; texts: string[] }[];
  /** The changes of each record; for a dataset that is one value, a single entry without a name. */
  changed: { name: string | undefined; changes: readonly Change[] }[];
}

type Changed = Extract<DatasetDiff, { added: unknown }>['changed'];

/** Lists the differences, list by list. */
function sectionsOf({ characters, datasets }: BuildDiff): Section[] {
  const { added, removed, changed } = characters;
  const counts = { added: added.length, removed: removed.length, changed: changed.length };
  const first = makeSection('characters', summarise(counts, characters), characters, {
    ...{ added: added.map(nameOf), removed: removed.map(nameOf), changed: changesOf(changed) },
  });
  const others = Object.entries(datasets).map(([key, diff]): Section => {
    if ('changes' in diff) {
      const isValue = diff.kind === undefined && diff.changes.length > 0;
      return makeSection(key, summariseDataset(diff), diff, {
        changed: isValue ? [{ name: undefined, changes: diff.changes }] : [],
      });
    }
    const gained = new Set(diff.gained);
    const named = (id: string) => nameOf({ id, name: ownValue(diff.names ?? {}, id) });
    return makeSection(key, summariseDataset(diff), diff, {
      added: diff.added.filter((id) => !gained.has(id)).map(named),
      removed: diff.removed.map(named),
      changed: changesOf(diff.changed),
    });
  });
  return first.summary === '' ? others : [first, ...others];
}

function makeSection(
  key: string,
  summary: string,
  {
    attributes: { gained = [], lost = [], elements = [] } = {},
    renamed = {},
  }: Partial<Pick<RecordsDiff, 'renamed'>> & { attributes?: Partial<AttributeChanges> },
  {
    added = [],
    removed = [],
    changed,
  }: { added?: string[]; removed?: string[]; changed: Section['changed'] },
): Section {
  const ofLists = elements.map(({ key: list, values }) =>
    values === undefined ? list : `${list}: ${values.map((value) => JSON.stringify(value)).join(', ')}`,
  );
  const pairs = Object.entries(renamed).map(([from, to]) => `${from} → ${to}`);
  const lists: Section['lists'] = [
    { label: 'Attributes gained', sign: '+', prefix: 'attribute ', texts: gained },
    { label: 'Attributes lost', sign: '-', prefix: 'attribute ', texts: lost },
    { label: 'Elements gained', sign: '+', prefix: 'elements ', texts: ofLists },
    { label: 'Renumbered', sign: '=', texts: pairs },
    { label: 'Added', sign: '+', texts: added },
    { label: 'Removed', sign: '-', texts: removed },
  ];
  return { key, summary, lists: lists.filter(({ texts }) => texts.length > 0), changed };
}

function changesOf(changed: Changed): Section['changed'] {
  return inOrder(changed).map((record) => ({ name: nameOf(record), changes: record.changes }));
}

function nameOf({ id, name }: { id: string; name?: string | undefined }): string {
  return name ? `${id} ${name}` : id;
}

function summarise(
  counts: Readonly<Record<string, number>>,
  of: Pick<RecordsDiff, 'attributes' | 'renamed' | 'folded'>,
): string {
  const { gained = [], lost = [], elements = [] } = of.attributes ?? {};
  const folded = Object.entries(of.folded ?? {}).map(([kind, records]) => [kind, records.length] as const);
  const all = [
    ...Object.entries(counts),
    ['renumbered', Object.keys(of.renamed ?? {}).length] as const,
    ...folded,
  ];
  return [
    ...all.flatMap(([what, count]) => (count > 0 ? `${count} ${what}` : [])),
    ...(gained.length > 0 ? [`${countOf(gained.length, 'attribute')} gained`] : []),
    ...(lost.length > 0 ? [`${countOf(lost.length, 'attribute')} lost`] : []),
    ...(elements.length > 0 ? [`elements of ${countOf(elements.length, 'list')} gained`] : []),
  ].join(', ');
}

/** Summarizes the changes of a dataset. One that the previous build lacked was not added by the game. */
function summariseDataset(diff: DatasetDiff): string {
  if (diff.kind === 'removed') return 'dataset removed';
  if ('changes' in diff) {
    if (diff.kind === 'added') return 'dataset gained';
    const isOfAttributes = diff.changes.length === 0 && diff.attributes !== undefined;
    return isOfAttributes
      ? summarise({}, diff)
      : [countOf(diff.changes.length, 'change'), summarise({}, diff) || []].flat().join(', ');
  }
  const { added, gained = [], removed, changed, kind } = diff;
  const counts = {
    ...{ added: added.length - gained.length, 'first served': gained.length },
    ...{ removed: removed.length, changed: changed.length },
  };
  return kind === 'added'
    ? ['dataset gained', summarise(counts, {}) || []].flat().join(', ')
    : summarise(counts, diff);
}

const COLOURS = { '+': 'green', '-': 'red', '=': 'yellow', '~': 'yellow' } as const;

/** Renders a diff as lines of text. @param colour whether to use ANSI escape codes */
export function renderText(diff: BuildDiff, colour: boolean): string {
  const paint = (style: keyof typeof COLOURS | 'bold', text: string) =>
    colour ? styleText(style === 'bold' ? style : COLOURS[style], text, { validateStream: false }) : text;
  const renderChange = (change: Change): string => {
    const { path, from, to, growth } = describeChange(change);
    const label = path || 'all of it';
    if (from === undefined) return paint('+', `+ ${label} ${to}`);
    if (to === undefined) return paint('-', `- ${label} ${from}`);
    const elements = diffElements(change)?.map(([sign, value]) => paint(sign, `${sign}${value}`));
    const values = `${paint('-', from)} → ${paint('+', to)}${growth ? ` (${growth})` : ''}`;
    return `  ${label} ${elements?.join(' ') ?? values}`;
  };
  const lines = sectionsOf(diff).flatMap(({ key, summary, lists, changed }) => [
    '',
    `${paint('bold', key)}: ${summary}`,
    ...lists.flatMap(({ sign, prefix = '', texts }) =>
      texts.map((text) => paint(sign, `${sign} ${printable(prefix + text)}`)),
    ),
    ...changed.flatMap(({ name, changes }) => [
      ...(name === undefined ? [] : [`${paint('~', '~')} ${paint('bold', printable(name))}`]),
      ...changes.map((change) => `${name === undefined ? '  ' : '    '}${renderChange(change)}`),
    ]),
  ]);
  const title = paint('bold', `${diff.game} ${diff.from ?? 'nothing'} → ${diff.to}`);
  return `${[title, ...(lines.length === 0 ? ['no difference'] : lines)].join('\n')}\n`;
}

/**
 * Renders a diff as GitHub's Markdown for a comment on a pull request: at most about 50,000 characters; changes that do not fit are counted. All text
 * from data is in code spans, so that none of it becomes a link, a mention or HTML.
 */
export function renderMarkdown(diff: BuildDiff): string {
  const title = `## ${code(diff.game)} ${code(diff.from ?? 'nothing')} → ${code(diff.to)}`;
  return `${[title, ...renderChanges(diff, '###', MAX_CHARACTERS)].join('\n\n')}\n`;
}

/** Renders the diff as blocks, without a title. @param heading the marks of headings */
export function renderChanges(diff: BuildDiff, heading: string, maxCharacters: number): string[] {
  let left = maxCharacters;
  /** The first texts that fit, and the number of the others. */
  const fit = (texts: readonly string[]): [shown: string[], rest: number] => {
    const end = texts.findIndex((text) => {
      left -= text.length + 6;
      return left < 0;
    });
    return end === -1 ? [[...texts], 0] : [texts.slice(0, end), texts.length - end];
  };
  const table = (key: string, changed: Section['changed']) => {
    const [rows, rest] = fit(
      changed.flatMap(({ name, changes }) => changes.map((change) => rowOf(name, change))),
    );
    const isOfRecords = changed.some(({ name }) => name !== undefined);
    const subject = key === 'characters' ? 'character' : 'record';
    const head = [...(isOfRecords ? [subject] : []), 'attribute', 'before', 'after'];
    const lines = [head.join(' | '), head.map(() => '---').join(' | '), ...rows];
    return [
      ...(rows.length > 0 ? [lines.map((line) => `| ${line} |`).join('\n')] : []),
      ...(rest > 0 ? [`…and ${rest} more changes.`] : []),
    ];
  };
  const blocks = sectionsOf(diff).flatMap(({ key, summary, lists, changed }) => [
    `${heading} ${key === 'characters' ? key : code(key)}: ${summary}`,
    ...lists.map(({ label, texts }) => {
      const [shown, rest] = fit(texts.map((text) => code(text)));
      return `${label}: ${[...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')}`;
    }),
    ...table(key, changed),
  ]);
  return blocks.length === 0 ? ['No difference.'] : blocks;
}

function rowOf(name: string | undefined, change: Change): string {
  const { path, from, to, growth } = describeChange(change);
  const cells = [...(name === undefined ? [] : [name]), path || '(all of it)', from, to];
  const row = cells.map((text) => (text === undefined ? '' : code(text).replaceAll('|', '\\|')));
  return row.join(' | ') + (growth ? ` (${growth})` : '');
}

/** Returns the elements that a short list of scalars gained or lost; undefined if the values are shown instead. */
function diffElements({ from, to }: Change): ['+' | '-', string][] | undefined {
  const isShort = (value: Json | undefined): value is (string | number | boolean)[] =>
    Array.isArray(value) &&
    value.length <= MAX_LIST_ELEMENTS &&
    value.every((each) => typeof each !== 'object');
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

/** The texts that describe a change. `from` and `to` are undefined if the change lacks them. */
export interface ChangeText {
  /** The dotted path; positions in lists count from 0. Empty for the whole value. */
  path: string;
  from?: string | undefined;
  to?: string | undefined;
  /** The relative change of a number, such as `+5%`; absent if it was 0. */
  growth?: string | undefined;
}

/** Describes a change with values as JSON of limited length, without unprintable characters. */
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

/** The relative change of a number in per cent: rounded to a tenth, or to two digits if less than 1 %. */
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

/** The first characters of a text, with an ellipsis if it is longer. */
export function cutShort(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${[...text].slice(0, maxCharacters).join('')}…` : text;
}

/** Escapes characters that would move the cursor, change colors or reverse the direction of writing. */
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
