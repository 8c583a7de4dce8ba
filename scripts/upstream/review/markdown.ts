import type { BuildDiff } from '../../diff/diff-builds.ts';
import type { Finding } from '../../findings.ts';
import type { JsonObject } from '../../format/dist-format.ts';
import { countOf } from '../../text.ts';
import { countFindings, renderFindings } from '../../check/report.ts';
import { code, cutShort, fence, printable, type Room, renderChanges, sectionsOf } from './render-diff.ts';
import type { NewGame } from './new-game.ts';

/** A build of a review. */
export interface BuildReview {
  build: string;
  released_at: string;
  /** The build that it is compared with, and where that is; undefined for the first one. */
  before: { build: string; place: string } | undefined;
  /** What a reader should know first, as sentences. */
  notes: string[];
  /** A build that was released says something else now: why, and how many values. */
  rewritten?: { reasons: string[]; values: number } | undefined;
  diff: BuildDiff | undefined;
  /** What it has, as a table for people. */
  table: string;
  /** Records as the gateway serves them. */
  samples: { title: string; record: JsonObject }[];
  /** Texts that are long enough to be a story or a profile. */
  longTexts: string[];
}

/** What a person needs to approve the builds of a game. */
export interface GameReview {
  game: string;
  title: string;
  /** What changes in what is published without a person. */
  deciding: string[];
  findings: readonly Finding[];
  newGame: NewGame | undefined;
  /** The newest first; none if errors keep the game from being compiled. */
  builds: BuildReview[];
}

/** A comment on GitHub has at most 65,536 characters. */
const MAX_CHARACTERS = 60_000;
const MAX_RECORD = 3000;
const MAX_LISTED = 20;
/** So many builds are shown with their records; of the others, what changed. */
const MAX_FULL = 3;
const MAX_CONCERNS = 10;
const MAX_LINE = 600;

/** Whether a review needs the approval of a person: released builds say something else, or other builds are published without one. */
export function needsApproval(reviews: readonly GameReview[]): boolean {
  return reviews.some(({ builds }) => builds.some(({ rewritten }) => rewritten !== undefined));
}

/**
 * Renders reviews as GitHub's Markdown for a pull request: what a reader has to see first, then each build once. All text that comes from data is in
 * code spans and fences, so that none of it is a link, a mention or HTML.
 */
export function renderReviews(reviews: readonly GameReview[], maxCharacters = MAX_CHARACTERS): string {
  if (reviews.length === 0) return 'No build differs.\n';
  const first = reviews.flatMap(renderFirst);
  const whole = first.join('\n').length;
  const parts = reviews.flatMap((review) =>
    (review.builds.length > 0 ? review.builds : [undefined]).map((build, at) => ({ review, build, at })),
  );
  const texts = [...first];
  let left = maxCharacters - whole;
  for (const [index, { review, build, at }] of parts.entries()) {
    const room = { left: Math.floor(left / (parts.length - index)) };
    const text = `${renderBuild(review, build, at, room).join('\n\n')}\n`;
    texts.push(text);
    left -= text.length;
  }
  return texts.join('\n');
}

/** What a reader has to see in the first minute. */
function renderFirst({ game, deciding, builds, newGame }: GameReview): string[] {
  const texts = [...new Set(builds.flatMap(({ longTexts }) => longTexts))];
  const concerns = [
    ...(newGame?.licence === '' ? ['no licence is stated: ask who contributes it before you approve'] : []),
    ...texts.map((each) => `${each}: stories and profiles of a game may not be copied`),
    ...(newGame?.doubts ?? []),
  ];
  const more = concerns.length - MAX_CONCERNS;
  const rewritten = builds.flatMap(({ build, rewritten: of, diff }) => {
    if (of === undefined) return [];
    const samples = diff
      ? renderChanges(diff, '####', { left: 1200 }).filter((block) => block.startsWith('|'))
      : [];
    const why =
      of.reasons.length > 0 ? of.reasons.map((reason) => code(reason)).join(', ') : '**no reason is stated**';
    return [
      `- ${code(`${game} ${build}`)}: ${countOf(of.values, 'value')} changed; ${why}`,
      ...samples.map((each) => `\n${each}\n`),
    ];
  });
  return [
    ...(deciding.length > 0
      ? [
          `**This changes what is published without you** (${code(game)}):\n\n${deciding.map((line) => `- **${code(line, MAX_LINE)}**`).join('\n')}\n`,
        ]
      : []),
    ...(rewritten.length > 0
      ? [`**Builds that are released say something else now:**\n\n${rewritten.join('\n')}\n`]
      : []),
    ...(concerns.length > 0
      ? [
          `**Look at this before you approve it** (${code(game)}):\n\n${[
            ...concerns.slice(0, MAX_CONCERNS).map((line) => `- ${code(line, MAX_LINE)}`),
            ...(more > 0 ? [`- and ${more} more`] : []),
          ].join('\n')}\n`,
        ]
      : []),
  ];
}

function renderBuild(review: GameReview, build: BuildReview | undefined, at: number, room: Room): string[] {
  const { game, title, findings, newGame } = review;
  const { errors, warnings } = countFindings(findings);
  const counts = `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  const against = build?.before ? `compared with ${build.before.place}` : 'a new game, compared with nothing';
  const head = [
    `## ${code(game)} ${build?.before ? `${code(build.before.build)} → ` : ''}${code(build?.build ?? 'no build')}`,
    `${code(title)}${build ? `, released at ${build.released_at}; ${against}` : ''}; ${counts}${build ? '' : '. Its errors keep it from being compiled: the records cannot be shown'}.`,
    ...(build?.notes ?? []).map((note) => `- ${code(note)}`),
  ];
  const blocks = (share: number, make: (part: Room) => string[]) => {
    const part = { left: Math.floor(room.left * share) };
    const made = make(part);
    room.left -= made.reduce((sum, block) => sum + block.length + 2, 0);
    return made;
  };
  if (at === 0) head.push(...blocks(0.3, (part) => renderFindingsIn(findings, part)));
  if (at === 0 && newGame) head.push(...blocks(0.6, (part) => renderNewGame(newGame, review.builds, part)));
  if (build === undefined) return head;
  const { diff, table, samples } = build;
  if (table !== '' && at < MAX_FULL)
    head.push('### What it has', ...blocks(0.3, (part) => [fence(fit(table.trimEnd().split('\n'), part))]));
  if (diff) head.push('### What changed', ...blocks(0.6, (part) => renderChanges(diff, '####', part)));
  if (samples.length === 0 || at >= MAX_FULL) return head;
  head.push('### Records as the API will serve them');
  for (const { title: of, record } of samples) {
    const block = `${code(of)}\n\n${fence(cutShort(printable(JSON.stringify(record)), MAX_RECORD), 'json')}`;
    if (block.length > room.left) break;
    room.left -= block.length;
    head.push(block);
  }
  return head;
}

function renderFindingsIn(findings: readonly Finding[], room: Room): string[] {
  if (findings.length === 0) return ['### Findings', 'None.'];
  const shown = findings.slice(0, MAX_LISTED).map((finding) => cutShort(renderFindings([finding]), 2000));
  const rest = findings.length - shown.length;
  const more = rest > 0 ? [`…and ${rest} more.`] : [];
  return ['### Findings', fence(fit(shown, room)), ...more];
}

function renderNewGame({ source, lists }: NewGame, builds: readonly BuildReview[], room: Room): string[] {
  const shown = lists.flatMap(({ title, records }, index) => {
    const part = { left: Math.floor(room.left / (index === 0 ? 2 : lists.length - index + 1)) };
    const text = fit(records, part);
    room.left -= text.length;
    return [`${code(title)}:`, fence(text)];
  });
  return [
    '### Where it comes from',
    fence(source.map(printable).join('\n')),
    ...(builds.length > 1 ? ['### Its builds', fence(fit(builds.map(describeStep), { left: 4000 }))] : []),
    '### Records beside the raw rows that they come from',
    ...shown,
  ];
}

/** Says in one line what a build changes. */
function describeStep({ build, released_at, before, diff }: BuildReview): string {
  const sections = diff ? sectionsOf(diff) : [];
  const isSame = diff && sections[0]?.key !== 'characters' ? ['characters: no difference'] : [];
  const changes = diff
    ? [...isSame, ...sections.map(({ key, summary }) => `${key}: ${summary}`)]
    : ['the first build'];
  return printable(
    `${before ? `${before.build} → ` : ''}${build}: released at ${released_at}; ${changes.join('; ')}`,
  );
}

/** The first texts that there is room for, and the number of the others. */
function fit(lines: readonly string[], room: Room): string {
  const shown: string[] = [];
  for (const line of lines) {
    if (line.length + 1 > room.left && shown.length > 0) break;
    room.left -= line.length + 1;
    shown.push(line);
  }
  const rest = lines.length - shown.length;
  return [...shown, ...(rest > 0 ? [`…and ${rest} more`] : [])].join('\n');
}
