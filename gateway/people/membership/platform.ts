import type { IncomingHttpHeaders } from 'node:http';
import { HttpProblem } from '../../http/problem.ts';
import type { MembershipEvent } from '../accounts/membership.ts';

/** Something that is no event of a membership, and why. */
export interface Ignored {
  /** What it is, as the log tells it. */
  name: string;
  ignored: string;
}

/** A row of a platform's export by the names of its columns. */
export type Row = Readonly<Record<string, string>>;

/**
 * The port that platforms stand behind which sell memberships. It knows nothing of accounts: it reads what the platform says into
 * events, and they say what was paid for until when.
 */
export interface Platform {
  /** As it stands in addresses, in the store and on the command line. */
  readonly name: string;
  /**
   * Reads a request to the platform's webhook; absent where the secret is not set by which it is known to come from there.
   *
   * @param now milliseconds since 1970
   * @throws HttpProblem `invalid-signature`, or `invalid-parameter` for what the platform never sends
   */
  readWebhook?(headers: IncomingHttpHeaders, body: Buffer, now: number): MembershipEvent | Ignored;
  /** The columns without which a file is no export of the platform's members. */
  readonly columns: readonly string[];
  /**
   * Reads a row of an export.
   *
   * @throws RowError
   */
  readRow(row: Row): MembershipEvent | Ignored;
}

/** The settings that a platform is made of; a variable that is empty is not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that contradict themselves or say nothing; the message is one line and says what to set. */
export class SettingError extends Error {
  override name = 'SettingError';
}

/** A row that cannot be read; the message tells the column, what is in it, and what was expected. */
export class RowError extends Error {
  override name = 'RowError';
}

/** A 403: whoever sent this is not the platform. */
export function invalidSignature(detail: string): HttpProblem {
  return new HttpProblem('invalid-signature', detail);
}

/** Reads a list of names from a setting, separated by commas. */
export function readNames(text: string | undefined): ReadonlySet<string> {
  return new Set((text ?? '').split(',').flatMap((name) => name.trim() || []));
}

/** Milliseconds of a day. */
const DAY_MS = 86_400_000;

/** Adds days to a time in ISO 8601. */
export function addDays(time: string, days: number): string {
  return new Date(Date.parse(time) + days * DAY_MS).toISOString();
}

const TIME = /^2\d{3}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Reads a time; where it has no zone it is UTC.
 *
 * @returns ISO 8601 UTC in whole seconds, because not all that a platform says of one moment has the same fractions; undefined when it is none
 */
export function readUtc(text: string): string | undefined {
  const [matched, , , zone] = TIME.exec(text) ?? [];
  const time = matched === undefined ? Number.NaN : Date.parse(`${text.replace(' ', 'T')}${zone ? '' : 'Z'}`);
  return Number.isNaN(time) ? undefined : new Date(Math.floor(time / 1000) * 1000).toISOString();
}
