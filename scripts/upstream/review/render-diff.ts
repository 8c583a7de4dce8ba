import { diff as diffLists } from 'json-diff';
import { escapeControls } from '../../check/report.ts';
import type { Change } from '../../diff/compare.ts';
import type { BuildDiff } from '../../diff/diff-builds.ts';
import { arrangeDiff, cutApart, type Named } from '../../diff/summary.ts';
import type { Json } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';

/** If two lists have more, they are shown as values, not by element. */
const MAX_LIST_ELEMENTS = 100;
const MAX_VALUE_CHARACTERS = 80;
const MAX_NAME_CHARACTERS = 120;

/** Lists the differences, list by list. */
function sectionsOf(diff: BuildDiff) {
  const nameOf = ({ id, name }: Named) => (name && name !== id ? `${id} ${name}` : id);
  const sections = arrangeDiff(diff).map((part) => {
    const { key, added, removed, changed, changes, renamed, attributes } = part;
    const { gained, lost, elements = [] } = attributes;
    const ofLists = elements.map(({ key: list, values }) =>
      values === undefined ? list : `${list}: ${values.map((value) => JSON.stringify(value)).join(', ')}`,
    );
    const lists: { label: string; mark: string; texts: string[] }[] = [
      { label: 'Attributes gained', mark: '+ attribute', texts: gained },
      { label: 'Attributes lost', mark: '- attribute', texts: lost },
      { label: 'Elements gained', mark: '+ elements', texts: ofLists },
      { label: 'Renumbered', mark: '=', texts: Object.entries(renamed).map((pair) => pair.join(' → ')) },
      { label: 'Added', mark: '+', texts: added.map(nameOf) },
      { label: 'Removed', mark: '-', texts: removed.map(nameOf) },
    ];
    // A dataset that is one value has a single entry without a name.
    const ofRecords = changed.map((record) => ({ name: nameOf(record), changes: record.changes }));
    return {
      ...{ key, summary: [part.summary || [], part.ofData].flat().join(', ') },
      lists: lists.filter(({ texts }) => texts.length > 0),
      changed: changes.length > 0 ? [...ofRecords, { name: undefined, changes }] : ofRecords,
    };
  });
  return sections.filter(({ summary }) => summary !== '');
}

/** Renders a diff as lines of text. */
export function renderText(diff: BuildDiff): string {
  const renderChange = (change: Change): string => {
    const { path, from, to, growth } = describeChange(change);
    const label = path || 'all of it';
    if (from === undefined) return `+ ${label} ${to}`;
    if (to === undefined) return `- ${label} ${from}`;
    return `  ${label} ${diffElements(change) ?? `${from} → ${to}${growth}`}`;
  };
  const lines = sectionsOf(diff).flatMap(({ key, summary, lists, changed }) => [
    '',
    `${key}: ${summary}`,
    ...lists.flatMap(({ mark, texts }) => texts.map((text) => escapeControls(`${mark} ${text}`))),
    ...changed.flatMap(({ name, changes }) => [
      ...(name === undefined ? [] : [`~ ${escapeControls(name)}`]),
      ...changes.map((change) => `${name === undefined ? '  ' : '    '}${renderChange(change)}`),
    ]),
  ]);
  const title = `${diff.game} ${diff.from ?? 'nothing'} → ${diff.to}`;
  return `${[title, ...(lines.length === 0 ? ['no difference'] : lines)].join('\n')}\n`;
}

/**
 * Renders a diff as blocks of GitHub's Markdown; changes that do not fit are counted. All text from data is in code spans, so that none of it becomes
 * a link, a mention or HTML.
 */
export function renderChanges(diff: BuildDiff, maxCharacters: number): string[] {
  const sections = sectionsOf(diff);
  const most = maxCharacters / sections.length;
  const spanOf = (text: string) => code(text);
  const blocks = sections.flatMap(({ key, summary, lists, changed }) => {
    const isOfRecords = changed.some(({ name }) => name !== undefined);
    const subject = key === 'characters' ? 'character' : 'record';
    const head = [...(isOfRecords ? [subject] : []), 'attribute', 'before', 'after'];
    const rows = changed.flatMap(({ name, changes }) => changes.map((change) => rowOf(name, change)));
    const table = [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`);
    return [
      `#### ${key === 'characters' ? key : code(key)}: ${summary}`,
      ...lists.map(({ label, texts }) => `${label}: ${fit(texts.map(spanOf), most / 8, ', ')}`),
      ...(rows.length > 0 ? [fit(table, most / 2)] : []),
    ];
  });
  return blocks.length === 0 ? ['No difference.'] : blocks;
}

/** Joins the first texts that fit, at least one, and the number of the others. */
export function fit(texts: readonly string[], maxCharacters: number, between = '\n'): string {
  let left = maxCharacters;
  const end = texts.findIndex((text, at) => {
    left -= text.length + between.length;
    return left < 0 && at > 0;
  });
  return (end === -1 ? texts : [...texts.slice(0, end), `…and ${texts.length - end} more`]).join(between);
}

function rowOf(name: string | undefined, change: Change): string {
  const { path, from, to, growth } = describeChange(change);
  const cells = [...(name === undefined ? [] : [name]), path || '(all of it)', from, to];
  const row = cells.map((text) => (text === undefined ? '' : code(text).replaceAll('|', '\\|')));
  return row.join(' | ') + growth;
}

/** Returns the elements that a short list of scalars gained or lost; undefined if the values are shown instead. */
function diffElements({ from, to }: Change): string | undefined {
  if (!Array.isArray(from) || !Array.isArray(to)) return undefined;
  const all = [...from, ...to];
  if (all.length > MAX_LIST_ELEMENTS || all.some((each) => typeof each === 'object')) return undefined;
  const elements: string[] = [];
  for (const [sign, value] of diffLists(from, to) ?? []) {
    if (sign === ' ') continue;
    // The package loses texts that are names of inherited properties ("constructor").
    if (value === undefined) return undefined;
    elements.push(sign + cutShort(escapeControls(JSON.stringify(value)), MAX_VALUE_CHARACTERS));
  }
  return elements.join(' ');
}

/**
 * Describes a change with values as JSON of limited length, without unprintable characters. Positions in the dotted path count from 0; `growth` is the
 * relative change of a number, such as ` (+5%)`.
 */
function describeChange({ path: pointer, from, to }: Change) {
  const path = escapeControls(pointerSteps(pointer).join('.'));
  const texts = [from, to].map((value) => value !== undefined && escapeControls(JSON.stringify(value)));
  const [before, after] = cutApart(texts[0] || '', texts[1] || '', MAX_VALUE_CHARACTERS);
  return { path, from: before || undefined, to: after || undefined, growth: describeGrowth(from, to) };
}

/** The relative change of a number in per cent: rounded to a tenth, or to two digits if less than 1 %. */
function describeGrowth(from: Json | undefined, to: Json | undefined): string {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0) return '';
  const percent = ((to - from) / Math.abs(from)) * 100;
  const rounded = Number(Math.abs(percent) < 1 ? percent.toPrecision(2) : percent.toFixed(1));
  return ` (${rounded > 0 ? '+' : ''}${rounded}%)`;
}

/** The first characters of a text, with an ellipsis if it is longer. */
export function cutShort(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${[...text].slice(0, maxCharacters).join('')}…` : text;
}

/** A code span (CommonMark 6.1) of a text from data: its fence is longer than any run of backticks in it. */
export function code(text: string, maxCharacters = MAX_NAME_CHARACTERS): string {
  const content = cutShort(escapeControls(text), maxCharacters);
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
