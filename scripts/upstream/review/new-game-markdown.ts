import { countOf } from '../../lib/count-of.ts';
import { cutShort, printable } from './describe-change.ts';
import { code, type Room } from './diff-markdown.ts';
import { summarise, summariseDataset } from './diff-text.ts';
import type { DescribedCollection, DescribedRecord, NewGame } from './new-game.ts';
import type { GameReview } from './review.ts';

const MAX_VALUE = 40;
const MAX_OTHERS = 160;
const MAX_FACT = 500;
const MAX_LINES = 18;
/** The largest part of the room that the roster uses. */
const ROSTER_SHARE = 0.65;
const MAX_NAMED = 40;

/** The parts of a review that only a new game has, as lines of text with titles; text from data may hold anything. */
export interface NewGameParts {
  /** Sentences about source, licence and mapping. */
  facts: string[];
  /** What a reader should look at first. */
  doubts: string[];
}

/** Says where a game comes from, who wrote its mapping, and which values do not fit to the names of their columns. */
export function describeNewGame({ source, proposal, collections }: NewGame): NewGameParts {
  const from = source.map(
    ({ kind, address, licence }) =>
      `source: ${address} (${kind}); licence: ${licence ?? 'not stated, ask who contributes it'}`,
  );
  const facts = [
    ...(from.length > 0 ? from : ['source: not stated, ask who contributes it, and for its licence']),
    ...describeProposal(proposal),
  ];
  const doubts = collections.flatMap(({ list, origins }) =>
    origins.flatMap(({ doubt }) => (doubt === undefined ? [] : [`${list}: ${doubt}`])),
  );
  return { facts, doubts };
}

function describeProposal(proposal: NewGame['proposal']): string[] {
  if (proposal === undefined) return ['mapping: gamedata new proposes nothing for these files'];
  const { roster, same, different, datasets } = proposal;
  const { written = 'none', proposed = 'none' } = roster;
  const lines = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what}: ${names.slice(0, MAX_NAMED).join(', ')}`];
  return [
    written === proposed
      ? `roster: table ${written}, as gamedata new proposes`
      : `roster: table ${written}, chosen by a person; gamedata new proposes ${proposed}`,
    ...lines('attributes of the roster as proposed', same),
    ...lines(
      'proposed, and left out or written by a person',
      different.map((each) => `${each.attribute} (${each.proposed})`),
    ),
    ...lines('datasets as proposed', datasets.same),
    ...lines('datasets changed by a person', datasets.changed),
    ...lines('datasets written by a person', datasets.written),
  ];
}

/** Says in one line what a build is, and what its step changes. */
export function describeStep({ build, released_at, before, diff, isCompiled, findings }: GameReview): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const changes = diff && [
    `characters: ${summarise(diff.characters) || 'no difference'}`,
    ...Object.entries(diff.datasets).map(([key, dataset]) => `${key}: ${summariseDataset(dataset)}`),
  ];
  const parts = [
    ...(released_at === undefined ? [] : [`released at ${released_at}`]),
    ...(errors > 0 ? [countOf(errors, 'error')] : []),
    ...(isCompiled ? [] : ['cannot be compiled']),
    ...(changes ?? (before ? [] : ['the first build'])),
  ];
  return `${before ? `${before.build} → ` : ''}${build ?? 'no build'}: ${parts.join('; ')}`;
}

/** A record as lines: each value beside the columns of the raw row that have it. */
export function linesOfRecord({ title, place, values, others }: DescribedRecord): string[] {
  // Elements of lists are in the HTML file: a comment has to hold ten records.
  const plain = values.filter(({ attribute }) => !attribute.includes('[]'));
  const shown = [...plain].sort((a, b) => rank(a.attribute) - rank(b.attribute)).slice(0, MAX_LINES);
  const width = Math.min(MAX_VALUE, Math.max(0, ...shown.map(({ attribute }) => attribute.length)));
  const rows = shown.map(({ attribute, value, columns }) => {
    const from = columns.length > 0 ? `= ${columns.join(', ')}` : '(in no column)';
    return `  ${attribute.padEnd(width)}  ${cutShort(value, MAX_VALUE)} ${from}`;
  });
  const rest = others.map(({ path, value }) => `${path} ${cutShort(JSON.stringify(value), MAX_VALUE)}`);
  const unserved = rest.length > 0 ? [`  not served: ${cutShort(rest.join(', '), MAX_OTHERS)}`] : [];
  return [`${title}: ${place}`, ...rows, ...unserved].map(printable);
}

function rank(attribute: string): number {
  if (attribute === 'id' || attribute === 'name') return 0;
  return attribute.startsWith('stats.') ? 1 : 2;
}

/** The blocks of a new game as Markdown. @param room is used up */
export function renderNewGame(newGame: NewGame, steps: readonly GameReview[], room: Room): string[] {
  const { facts, doubts } = describeNewGame(newGame);
  const list = (lines: readonly string[]) =>
    fence(
      fit(
        lines.map((line) => cutShort(printable(line), MAX_FACT)),
        room,
      ).join('\n'),
    );
  return [
    '### Where it comes from, and who wrote the mapping',
    list(facts),
    ...(steps.length > 1 ? ['### Its builds', list(steps.map(describeStep))] : []),
    ...(doubts.length > 0 ? ['### Values that do not fit to the names of their columns', list(doubts)] : []),
    '### Records beside the raw rows that they come from',
    ...renderCollections(newGame.collections, room),
  ];
}

/** Datasets share what the roster leaves. */
function renderCollections(collections: readonly DescribedCollection[], room: Room): string[] {
  return collections.flatMap((each, index) => {
    const isRoster = each.list === 'characters';
    const share = isRoster ? ROSTER_SHARE : 1 / (collections.length - index);
    const ownRoom = { left: Math.floor(room.left * share) };
    const roomBefore = ownRoom.left;
    const blocks = renderCollection(each, ownRoom);
    room.left -= roomBefore - ownRoom.left;
    return blocks;
  });
}

function renderCollection({ list, from, count, records }: DescribedCollection, room: Room): string[] {
  const where = from === undefined ? 'served as it is' : `from table ${code(from)}`;
  const head = `${code(list)}, ${where}, ${countOf(count, 'row')}:`;
  const shown: string[] = [];
  room.left -= head.length;
  for (const record of records) {
    const text = linesOfRecord(record).join('\n');
    if (text.length + 20 > room.left) break;
    room.left -= text.length + 1;
    shown.push(text);
  }
  const rest = records.length - shown.length;
  const more = rest > 0 ? [`…and ${rest} more: see gamedata review --html.`] : [];
  if (shown.length === 0) return [`${head} ${more.join('')}`];
  return [head, fence(shown.join('\n')), ...more];
}

function fit(lines: readonly string[], room: Room): string[] {
  const shown: string[] = [];
  for (const line of lines) {
    if (line.length + 1 > room.left) break;
    room.left -= line.length + 1;
    shown.push(line);
  }
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `…and ${rest} more`] : shown;
}

/** A fenced block of code (CommonMark 4.5): its fence is longer than any run of backticks in it. */
export function fence(text: string, language = 'text'): string {
  const runs = text.match(/`+/g) ?? [];
  const marks = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `${marks}${language}\n${text.trimEnd()}\n${marks}`;
}
