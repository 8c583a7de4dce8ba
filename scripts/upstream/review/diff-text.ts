import { styleText } from 'node:util';
import { diff as diffLists } from 'json-diff';
import type { Json } from '../../format/dist-format.ts';
import { countOf } from '../../text.ts';
import type {
  AttributeChanges,
  BuildDiff,
  ChangedRecord,
  DatasetDiff,
  RecordsDiff,
} from '../../diff/diff-builds.ts';
import type { Change } from '../../diff/compare.ts';
import { cutApart, type GainedElements, inOrder } from '../../diff/changes.ts';
import { ofTheGame } from '../../diff/history.ts';
import { pointerSteps } from '../../format/json.ts';

/** Longer lists are shown as values, not element by element. */
const MAX_LIST_ELEMENTS = 100;

/**
 * Renders a diff as lines of text.
 *
 * @param colour whether to colour it with ANSI escape codes
 */
export function renderText({ game, from, to, characters, datasets }: BuildDiff, colour: boolean): string {
  const paint = colour
    ? (style: Parameters<typeof styleText>[0], text: string) =>
        styleText(style, text, { validateStream: false })
    : (_style: unknown, text: string) => text;

  const renderName = ({ id, name }: { id: string; name?: string }) => printable(name ? `${id} ${name}` : id);
  const renderList = (sign: '+' | '-', names: string[]) =>
    names.map((name) => paint(sign === '+' ? 'green' : 'red', `${sign} ${name}`));
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
  const renderChanged = (record: ChangedRecord & { name?: string }): string[] => [
    `${paint('yellow', '~')} ${paint('bold', renderName(record))}`,
    ...record.changes.map((change) => `    ${renderChange(change)}`),
  ];
  const renderData = (part: Pick<BuildDiff['characters'], 'attributes' | 'renamed'>) =>
    describeData(part).map(([style, line]) => paint(style, line));
  const renderDataset = ([key, diff]: [string, DatasetDiff]): string[] => {
    const heading = `${paint('bold', key)}: ${summariseDataset(diff)}`;
    if ('changes' in diff) {
      const changes = diff.kind ? [] : diff.changes.map((change) => `  ${renderChange(change)}`);
      return ['', heading, ...renderData(diff), ...changes];
    }
    const named = (id: string) => renderName({ id, ...nameIn(diff.names, id) });
    return [
      '',
      heading,
      ...renderData(diff),
      ...renderList('+', newIn(diff).map(named)),
      ...renderList('-', diff.removed.map(named)),
      ...inOrder(ofTheGame(diff)).flatMap(renderChanged),
    ];
  };

  const title = paint('bold', `${game} ${from ?? 'nothing'} → ${to}`);
  const { added, removed } = characters;
  const lines = isEmpty(characters)
    ? []
    : [
        '',
        `${paint('bold', 'characters')}: ${summarise(characters)}`,
        ...renderData(characters),
        ...renderList('+', added.map(renderName)),
        ...renderList('-', removed.map(renderName)),
        ...inOrder(ofTheGame(characters)).flatMap(renderChanged),
      ];
  lines.push(...Object.entries(datasets).flatMap(renderDataset));
  return `${[title, ...(lines.length === 0 ? ['no difference'] : lines)].join('\n')}\n`;
}

type StyledLine = [style: 'green' | 'red' | 'yellow', text: string];

/** The lines about attributes and ids of a whole list, each with its style. */
function describeData({
  attributes = { gained: [], lost: [] },
  renamed = {},
}: Pick<BuildDiff['characters'], 'attributes' | 'renamed'>): StyledLine[] {
  return [
    ...attributes.gained.map((key): StyledLine => ['green', `+ attribute ${printable(key)}`]),
    ...attributes.lost.map((key): StyledLine => ['red', `- attribute ${printable(key)}`]),
    ...(attributes.elements ?? []).map(
      (each): StyledLine => ['green', `+ elements ${printable(describeElements(each))}`],
    ),
    ...Object.entries(renamed).map(
      ([from, to]): StyledLine => ['yellow', `= ${printable(`${from} → ${to}`)}`],
    ),
  ];
}

/** Records, or the changes of one value, that a text summarises. */
type Counted = (
  | {
      added: readonly unknown[];
      gained?: readonly string[];
      removed: unknown[];
      changed: readonly ChangedRecord[];
    }
  | { changes: unknown[] }
) & {
  renamed?: Record<string, string>;
  attributes?: AttributeChanges;
};

/** What became of a dataset, as text: one that the build before did not have was not added by the game. */
export function summariseDataset(diff: DatasetDiff): string {
  if (diff.kind === undefined) return summarise(diff);
  if (diff.kind === 'removed') return 'dataset removed';
  return ['dataset gained', ...('added' in diff ? summariseRecords(diff) : [])].join(', ');
}

/** The ids of records that a build added, without those that it is only the first to serve. */
export function newIn({ added, gained }: Pick<RecordsDiff, 'added' | 'gained'>): string[] {
  if (gained === undefined) return added;
  const first = new Set(gained);
  return added.filter((id) => !first.has(id));
}

/** The elements that a list gained: `traits: "Dragon", "King"`. */
export function describeElements({ key, values }: GainedElements): string {
  return values === undefined ? key : `${key}: ${values.map((value) => JSON.stringify(value)).join(', ')}`;
}

/** How many records were added, removed and changed, or how many changes one value has, and attributes gained and lost, as text. */
export function summarise(diff: Counted): string {
  const { gained, lost, elements = [] } = diff.attributes ?? { gained: [], lost: [] };
  const renamed = Object.keys(diff.renamed ?? {}).length;
  return [
    ...summariseRecords(diff),
    ...(renamed > 0 ? [`${renamed} renumbered`] : []),
    ...(gained.length > 0 ? [`${countOf(gained.length, 'attribute')} gained`] : []),
    ...(lost.length > 0 ? [`${countOf(lost.length, 'attribute')} lost`] : []),
    ...(elements.length > 0 ? [`elements of ${countOf(elements.length, 'list')} gained`] : []),
  ].join(', ');
}

function summariseRecords(diff: Counted): string[] {
  if ('changes' in diff) {
    return diff.changes.length === 0 && diff.attributes ? [] : [countOf(diff.changes.length, 'change')];
  }
  const { added, gained = [], removed } = diff;
  const counts = Object.entries({
    added: added.length - gained.length,
    'first served': gained.length,
    removed: removed.length,
    changed: ofTheGame(diff).length,
  });
  return counts.filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`);
}

/** Whether the characters of two builds do not differ. */
export function isEmpty({ added, removed, changed, renamed, attributes }: BuildDiff['characters']): boolean {
  return added.length + removed.length + changed.length === 0 && !renamed && !attributes;
}

/** The name of a record, as an object with the name if it has one. */
export function nameIn(names: Record<string, string> | undefined, id: string): { name?: string } {
  const name = names && Object.hasOwn(names, id) ? names[id] : undefined;
  return name === undefined ? {} : { name };
}

/** The elements that were added to or removed from a short list of scalars; undefined if the values are to be shown instead. */
function diffElements({ from, to }: Change): ['+' | '-', string][] | undefined {
  if (!isShortList(from) || !isShortList(to)) return undefined;
  const elements: ['+' | '-', string][] = [];
  for (const [sign, value] of diffLists(from, to) ?? []) {
    if (sign === ' ') continue;
    // The package loses texts that are names of inherited properties ("constructor").
    if (value === undefined) return undefined;
    elements.push([sign, quoteShort(value)]);
  }
  return elements;
}

function isShortList(value: Json | undefined): value is (string | number | boolean)[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_LIST_ELEMENTS &&
    value.every((element) => typeof element !== 'object')
  );
}

const MAX_VALUE_CHARACTERS = 80;

/** The texts that describe a change. `from` and `to` are undefined where the change has none. */
export interface ChangeText {
  /** The dotted path; positions in lists count from 0. Empty for the whole value. */
  path: string;
  from?: string;
  to?: string;
  /** How much a number grew, such as `+5%`; only if it was not 0 before. */
  growth?: string;
}

/** Describes a change: values as JSON of limited length, without characters that cannot be printed. */
export function describeChange({ path, from, to }: Change): ChangeText {
  const growth = describeGrowth(from, to);
  if (from !== undefined && to !== undefined) {
    const texts = [from, to].map((value) => printable(JSON.stringify(value)));
    const [before, after] = cutApart(texts[0] ?? '', texts[1] ?? '', MAX_VALUE_CHARACTERS);
    const dotted = printable(pointerSteps(path).join('.'));
    return { path: dotted, from: before, to: after, ...(growth !== undefined && { growth }) };
  }
  return {
    path: printable(pointerSteps(path).join('.')),
    ...(from !== undefined && { from: quoteShort(from) }),
    ...(to !== undefined && { to: quoteShort(to) }),
  };
}

/** How much a number grew, in per cent of its absolute value before: rounded to a tenth, or to two digits if less than 1 %. */
function describeGrowth(from: Json | undefined, to: Json | undefined): string | undefined {
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
