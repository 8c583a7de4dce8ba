import { createHash } from 'node:crypto';
import type { Mail } from '../../notices/compose-mail.ts';
import { countOf } from '../../lib/count-of.ts';

/** What needs a person, or does not any more. */
export type Notice = HeldNotice | AcceptedNotice | FailureNotice;

/** A build that was held back, for a person to decide about. */
export interface HeldNotice {
  type: 'build.held';
  game: string;
  build: string;
  /** The build that it would follow; undefined for the first one. */
  before: string | undefined;
  /** What identifies its content upstream, such as a commit. */
  version: string;
  /** The errors of its check, one line each. */
  errors: readonly string[];
  /** The file with the review; undefined if it could not be written. */
  review: string | undefined;
  /** The datasets that are held back alone: the build is served, and keeps those of the build before. */
  carried?: readonly string[];
}

/** A build that was held back, and is served now without a person, as upstream keeps its change. */
export interface AcceptedNotice {
  type: 'build.accepted';
  game: string;
  build: string;
  version: string;
  /** The later builds that have the change. */
  by: readonly string[];
  /** What was strange: checks, and what they are about. */
  questions: readonly string[];
}

/** A step that has failed for some time, or works again. */
export interface FailureNotice {
  type: 'pull.failing' | 'pull.recovered';
  /** Undefined if it concerns all games. */
  game: string | undefined;
  /** What fails: to pull a game from its upstream, to build it, or to publish what was built; or that upstream is quiet for long. */
  step: 'pull' | 'build' | 'publish' | 'quiet';
  /** When it failed first, ISO 8601 in UTC. */
  since: string;
  /** Why it failed last. */
  error: string;
}

/** A notice as a webhook gets it, in the form that Standard Webhooks recommends. */
export interface NoticeEvent {
  /** The same each time the notice is sent. */
  id: string;
  type: Notice['type'];
  /** When it happened, ISO 8601 UTC. */
  timestamp: string;
  data: HeldData | AcceptedData | FailureData;
}

/** The data of `build.held`. */
export interface HeldData {
  game: string;
  build: string;
  before: string | null;
  version: string;
  /** The number of errors, and the first ones. */
  errors: { count: number; first: readonly string[] };
  review: string | null;
  /** Only if the build is served with these datasets of the build before. */
  carried?: readonly string[];
}

/** The data of `build.accepted`. */
export type AcceptedData = Omit<AcceptedNotice, 'type'>;

/** The data of `pull.failing` and `pull.recovered`. */
export interface FailureData {
  game: string | null;
  step: FailureNotice['step'];
  since: string;
  error: string;
}

const MAX_LISTED = 10;
const MAX_LINE = 300;

/** Makes the event of a notice. @param at ISO 8601 in UTC */
export function makeEvent(notice: Notice, at: string): NoticeEvent {
  const { type } = notice;
  const [identity, data] = describe(notice);
  const hash = createHash('sha256').update(JSON.stringify([type, ...identity]));
  return { id: `msg_${hash.digest('hex').slice(0, 32)}`, type, timestamp: at, data };
}

/** What identifies a notice, and its data. */
function describe(notice: Notice): [identity: unknown[], NoticeEvent['data']] {
  if (notice.type === 'build.held') return describeBuild(notice);
  if (notice.type !== 'build.accepted') return describeStep(notice);
  const { type: _, ...data } = notice;
  return [[notice.game, notice.build, notice.version], data];
}

function describeBuild({
  game,
  build,
  before,
  version,
  errors,
  review,
  carried,
}: HeldNotice): [identity: unknown[], HeldData] {
  const first = errors.slice(0, MAX_LISTED).map(cut);
  const data = {
    ...{ game, build, version },
    before: before ?? null,
    errors: { count: errors.length, first },
    review: review ?? null,
    ...(carried && { carried }),
  };
  return [[game, build, version, errors], data];
}

function describeStep({ game, step, since, error }: FailureNotice): [identity: unknown[], FailureData] {
  return [[game ?? null, step, since], { game: game ?? null, step, since, error: cut(error) }];
}

/** Makes the mail of a notice. */
export function makeMail(notice: Notice, to: string): Mail {
  const { subject, lines } = write(notice);
  return { to, subject, text: `${lines.join('\n')}\n` };
}

interface Letter {
  subject: string;
  lines: string[];
}

function write(notice: Notice): Letter {
  if (notice.type === 'build.held') return writeHeld(notice);
  return notice.type === 'build.accepted' ? writeAccepted(notice) : writeFailure(notice);
}

function writeAccepted({ game, build, version, by, questions }: AcceptedNotice): Letter {
  const subject = `${game} ${build} is accepted, as upstream keeps its change`;
  const lines = [
    `Build ${build} of ${game} was held back, and is served now: ${by.join(' and ')} have its change too.`,
    '',
    ...questions.slice(0, MAX_LISTED).map((question) => `- ${cut(question)}`),
    '',
    `Upstream: ${version}`,
    '',
    'If it is wrong, correct the mapping, or set "accept_after": false in "source" so that only a person accepts (docs/maintainers/pulling.md).',
  ];
  return { subject, lines };
}

function writeHeld({ game, build, before, version, errors, review, carried }: HeldNotice): Letter {
  const more = errors.length - MAX_LISTED;
  const lines = [
    `${carried ? `${carried.join(', ')} of build` : 'Build'} ${build} of ${game} is held back: its check has ${countOf(errors.length, 'error')}${before === undefined ? '' : `, compared with ${before}`}.`,
    '',
    ...errors.slice(0, MAX_LISTED).map((error) => `- ${cut(error)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    ...(review === undefined ? [] : [`The review: ${review}`]),
    `Upstream: ${version}`,
    '',
    carried
      ? `The build is served with ${carried.join(', ')} of the build before. To take them up, remove "carried" from its build.json, add the overrides of the review, and run gamedata build --amend.`
      : `To decide: correct the mapping in game.json, or accept or skip the build in held.json of the game (docs/maintainers/pulling.md).`,
  ];
  const label = carried ? `${build}: ${carried.join(', ')}` : build;
  return { subject: `${game} ${label} is held back: ${countOf(errors.length, 'error')}`, lines };
}

const FAILS = {
  pull: 'cannot be pulled',
  build: 'cannot be built',
  publish: 'cannot be published',
  quiet: 'has no new build',
} as const;
const WORKS = {
  pull: 'can be pulled again',
  build: 'can be built again',
  publish: 'can be published again',
  quiet: 'has a new build, or a successor',
} as const;

function writeFailure({ type, game: name = 'The games', step, since, error }: FailureNotice): Letter {
  if (type === 'pull.recovered') {
    const subject = `${name} ${WORKS[step]}`;
    return {
      subject,
      lines: [
        `${subject}. This had ${step === 'quiet' ? 'not been so' : 'failed'} since ${since}:`,
        '',
        `- ${cut(error)}`,
      ],
    };
  }
  const subject = `${name} ${FAILS[step]}`;
  const lines = [
    `${subject}. This has ${step === 'quiet' ? 'been so' : 'failed'} since ${since}, each time it was tried:`,
    '',
    `- ${cut(error)}`,
    '',
    'It is tried again in each round. You get one more mail when it works again (docs/maintainers/pulling.md).',
  ];
  return { subject, lines };
}

function cut(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
