import { createHash } from 'node:crypto';
import type { Mail } from '../lib/compose-mail.ts';
import { countOf } from '../lib/count-of.ts';

/** A build that was held back, for a person to decide about. */
export interface HeldNotice {
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
}

/** A notice as a webhook gets it, in the form that Standard Webhooks recommends. */
export interface NoticeEvent {
  /** The same each time the notice is sent. */
  id: string;
  type: 'build.held';
  /** When the build was held back, ISO 8601 UTC. */
  timestamp: string;
  data: {
    game: string;
    build: string;
    before: string | null;
    version: string;
    /** The number of errors, and the first ones. */
    errors: { count: number; first: readonly string[] };
    review: string | null;
  };
}

const MAX_LISTED = 10;
const MAX_LINE = 300;

/** Makes the event of a notice. @param at ISO 8601 in UTC */
export function makeEvent(
  { game, build, before, version, errors, review }: HeldNotice,
  at: string,
): NoticeEvent {
  const identity = JSON.stringify(['build.held', game, build, version, errors]);
  const first = errors.slice(0, MAX_LISTED).map(cut);
  return {
    id: `msg_${createHash('sha256').update(identity).digest('hex').slice(0, 32)}`,
    type: 'build.held',
    timestamp: at,
    data: {
      ...{ game, build, version },
      before: before ?? null,
      errors: { count: errors.length, first },
      review: review ?? null,
    },
  };
}

/** Makes the mail of a notice. */
export function makeMail(notice: HeldNotice, to: string): Mail {
  const { game, build, before, version, errors, review } = notice;
  const more = errors.length - MAX_LISTED;
  const lines = [
    `Build ${build} of ${game} is held back: its check has ${countOf(errors.length, 'error')}${before === undefined ? '' : `, compared with ${before}`}.`,
    '',
    ...errors.slice(0, MAX_LISTED).map((error) => `- ${cut(error)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    ...(review === undefined ? [] : [`The review: ${review}`]),
    `Upstream: ${version}`,
    '',
    `To decide: correct the mapping in game.json, or accept or skip the build in held.json of the game (docs/maintainers/pulling.md).`,
  ];
  return {
    to,
    subject: `${game} ${build} is held back: ${countOf(errors.length, 'error')}`,
    text: `${lines.join('\n')}\n`,
  };
}

function cut(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
