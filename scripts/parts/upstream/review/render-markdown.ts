import { code, type Room, renderChanges } from './diff-markdown.ts';
import { cutShort, printable } from './describe-change.ts';
import type { Finding } from '../../../core/findings/findings.ts';
import { countOf } from '../../../core/lib/count-of.ts';
import { countFindings, escapeControls, renderFindings } from '../../../core/report/report.ts';
import type { Sample } from './choose-samples.ts';
import { drawText } from './draw.ts';
import type { GameReview } from './review.ts';

/** A comment on GitHub has at most 65,536 characters. */
const MAX_CHARACTERS = 60_000;
/** The largest part of a game's room that each section can use. */
const SHARES = { findings: 0.25, coverage: 0.15, changes: 0.35, distributions: 0.1 };
const MAX_RECORD_CHARACTERS = 3000;

/**
 * Renders reviews as GitHub's Markdown for a pull request, with about 60,000 characters at most; what does not fit is counted. All text that
 * comes from data is in code spans and fences, so that none of it is a link, a mention or HTML.
 */
export function renderMarkdown(reviews: readonly GameReview[]): string {
  if (reviews.length === 0) return 'No build differs.\n';
  const characters = Math.floor(MAX_CHARACTERS / Math.max(reviews.length, 1));
  return reviews.map((review) => `${renderGame(review, characters).join('\n\n')}\n`).join('\n');
}

function renderGame(review: GameReview, characters: number): string[] {
  const room = (share: number): Room => ({ left: Math.floor(characters * share) });
  const blocks = [
    `## ${code(review.game)} ${review.before ? `${code(review.before.build)} → ` : ''}${code(review.build ?? 'no build')}`,
    describeReview(review),
    ...review.notes.map((note) => `- ${code(note)}`),
    ...renderFound(review.findings, room(SHARES.findings)),
    ...renderTable(review, room(SHARES.coverage)),
    ...renderDiff(review, room(SHARES.changes)),
    ...renderDistributions(review, room(SHARES.distributions)),
  ];
  const used = blocks.reduce((sum, block) => sum + block.length + 2, 0);
  return [...blocks, ...renderSamples(review.samples, { left: characters - used })];
}

/** Says in one sentence what a review is about. */
function describeReview({ title, released_at, before, findings, isCompiled }: GameReview): string {
  const { errors, warnings } = countFindings(findings);
  const found = `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  const against = before ? `compared with ${before.place}` : 'a new game, compared with nothing';
  const shown = isCompiled ? '' : '. Its errors keep it from being compiled: the records cannot be shown';
  return `${code(title)}${released_at === undefined ? '' : `, released at ${released_at}`}; ${against}; ${found}${shown}.`;
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
    fence('text', cutShort(renderFindings(fitting), MAX_CHARACTERS / 4)),
    ...(rest > 0 ? [`…and ${rest} more.`] : []),
  ];
}

function renderTable({ table }: GameReview, room: Room): string[] {
  return table === '' ? [] : ['### What it has', fence('text', fitLines(table, room))];
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
  return [title, ...legend, fence('text', fitLines(lines.map(escapeControls).join('\n'), room))];
}

function renderSamples(samples: readonly Sample[], room: Room): string[] {
  if (samples.length === 0) return [];
  const blocks: string[] = [];
  for (const { collection, title, reason, address, record } of samples) {
    const head = `${code(collection)}: ${code(title)} (${code(reason)})${address === undefined ? '' : ` at ${code(address)}`}`;
    const text = cutShort(printable(JSON.stringify(record)), MAX_RECORD_CHARACTERS);
    const block = `${head}\n\n${fence('json', text)}`;
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

/** A fenced block of code (CommonMark 4.5): its fence is longer than any run of backticks in it. */
function fence(language: string, text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const marks = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `${marks}${language}\n${text.trimEnd()}\n${marks}`;
}
