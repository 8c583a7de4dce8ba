import { code, type Room, renderChanges } from './diff-markdown.ts';
import { cutShort, printable } from './describe-change.ts';
import type { Finding } from '../../findings/findings.ts';
import { countOf } from '../../lib/count-of.ts';
import { countFindings, escapeControls, renderFindings } from '../../report/report.ts';
import type { Sample } from './choose-samples.ts';
import { drawText } from './draw.ts';
import { describeStep, fence, renderNewGame } from './new-game-markdown.ts';
import type { GameReview } from './review.ts';

/** A comment on GitHub has at most 65,536 characters. */
const MAX_CHARACTERS = 60_000;
/** The largest part of a game's room that each section can use. */
const SHARES = { findings: 0.2, coverage: 0.1, changes: 0.35, distributions: 0.05, newGame: 0.6 };
/** With less room, a build is one line. */
const MIN_ROOM = 800;
const MAX_RECORD_CHARACTERS = 3000;

/**
 * Renders reviews as GitHub's Markdown for a pull request, with about 60,000 characters at most; what does not fit is counted. All text that
 * comes from data is in code spans and fences, so that none of it is a link, a mention or HTML.
 */
export function renderMarkdown(reviews: readonly GameReview[]): string {
  if (reviews.length === 0) return 'No build differs.\n';
  // A new game has to be read in full: it gets half of the room, and its builds the rest.
  const weights = reviews.map(({ newGame }) => (newGame ? Math.max(1, reviews.length - 1) : 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const texts: string[] = [];
  let left = MAX_CHARACTERS;
  for (const [index, review] of reviews.entries()) {
    const characters = Math.floor((MAX_CHARACTERS * (weights[index] ?? 1)) / whole);
    const blocks =
      characters < MIN_ROOM
        ? [`- ${code(`${review.game} ${describeStep(review)}`)}`]
        : renderGame(review, reviews, characters);
    const text = `${blocks.join('\n\n')}\n`;
    if (text.length + MIN_ROOM > left && index > 0) {
      texts.push(`…and ${countOf(reviews.length - index, 'more build')}: see gamedata review --html.\n`);
      break;
    }
    left -= text.length + 1;
    texts.push(text);
  }
  return texts.join('\n');
}

function renderGame(review: GameReview, all: readonly GameReview[], characters: number): string[] {
  const { newGame } = review;
  const steps = all.filter(({ game }) => game === review.game);
  const room = (share: number): Room => ({ left: Math.floor(characters * share) });
  const blocks = [
    `## ${code(review.game)} ${review.before ? `${code(review.before.build)} → ` : ''}${code(review.build ?? 'no build')}`,
    describeReview(review),
    ...review.notes.map((note) => `- ${code(note)}`),
    ...renderFound(review.findings, room(SHARES.findings)),
    ...(newGame ? renderNewGame(newGame, steps, room(SHARES.newGame)) : []),
    ...renderTable(review, room(SHARES.coverage)),
    ...renderDiff(review, room(newGame ? SHARES.changes - SHARES.newGame / 2 : SHARES.changes)),
    ...renderDistributions(review, room(SHARES.distributions)),
  ];
  const used = blocks.reduce((sum, block) => sum + block.length + 2, 0);
  return [...blocks, ...renderSamples(review.samples, { left: characters - used })];
}

/** Says in one sentence what a review is about. */
function describeReview({ title, released_at, before, findings, isCompiled }: GameReview): string {
  const { errors, warnings } = countFindings(findings);
  const counts = `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  const against = before ? `compared with ${before.place}` : 'a new game, compared with nothing';
  const shown = isCompiled ? '' : '. Its errors keep it from being compiled: the records cannot be shown';
  return `${code(title)}${released_at === undefined ? '' : `, released at ${released_at}`}; ${against}; ${counts}${shown}.`;
}

function renderFound(findings: readonly Finding[], room: Room): string[] {
  if (findings.length === 0) return ['### Findings', 'None.'];
  const fitting: Finding[] = [];
  for (const finding of findings) {
    const { length } = renderFindings([finding]);
    if (length > room.left && fitting.length > 0) break;
    room.left -= length;
    fitting.push(finding);
  }
  const rest = findings.length - fitting.length;
  return [
    '### Findings',
    fence(cutShort(renderFindings(fitting), MAX_CHARACTERS / 4)),
    ...(rest > 0 ? [`…and ${rest} more.`] : []),
  ];
}

function renderTable({ table }: GameReview, room: Room): string[] {
  return table === '' ? [] : ['### What it has', fence(fitLines(table, room))];
}

function renderDiff({ diff }: GameReview, room: Room): string[] {
  return diff === undefined ? [] : ['### What changed', ...renderChanges(diff, '####', room)];
}

function renderDistributions({ distributions, before }: GameReview, room: Room): string[] {
  if (distributions.length === 0) return [];
  const lines = distributions.flatMap((distribution) => [
    `${distribution.collection}.${distribution.attribute}`,
    ...drawText(distribution).map((line) => `  ${line}`),
  ]);
  const title = before ? '### Distributions that moved' : '### Distributions';
  const legend = before ? ['░ is before, █ is now.'] : [];
  return [title, ...legend, fence(fitLines(lines.map(escapeControls).join('\n'), room))];
}

function renderSamples(samples: readonly Sample[], room: Room): string[] {
  if (samples.length === 0) return [];
  const blocks: string[] = [];
  for (const { collection, title, reason, address, record } of samples) {
    const head = `${code(collection)}: ${code(title)} (${code(reason)})${address === undefined ? '' : ` at ${code(address)}`}`;
    const text = cutShort(printable(JSON.stringify(record)), MAX_RECORD_CHARACTERS);
    const block = `${head}\n\n${fence(text, 'json')}`;
    if (block.length + 40 > room.left) break;
    room.left -= block.length + 2;
    blocks.push(block);
  }
  const rest = samples.length - blocks.length;
  return [
    '### Records as the API will serve them',
    ...blocks,
    ...(rest > 0 ? [`…and ${rest} more: see gamedata review --html.`] : []),
  ];
}

function fitLines(text: string, room: Room): string {
  const lines = text.trimEnd().split('\n');
  const fitting: string[] = [];
  for (const line of lines) {
    if (line.length + 1 > room.left) break;
    room.left -= line.length + 1;
    fitting.push(line);
  }
  const rest = lines.length - fitting.length;
  return [...fitting, ...(rest > 0 ? [`…and ${countOf(rest, 'more line')}`] : [])].join('\n');
}
