import type { IncomingHttpHeaders } from 'node:http';
import { HttpProblem } from '../../http/problem.ts';
import type { MembershipEvent } from './membership.ts';

/** A webhook or row that is not about a membership, and why. */
export interface Ignored {
  /** The name of the event in the log. */
  name: string;
  ignored: string;
}

/** A row of a platform's export by the names of its columns. */
export type Row = Readonly<Record<string, string>>;

/**
 * The port to a platform that sells memberships. It knows nothing of accounts: it turns the platform's webhooks and exports into events,
 * which say what was paid for and until when.
 */
export interface Platform {
  /** The name in addresses, in the store and on the command line. */
  readonly name: string;
  /**
   * Reads a request to the platform's webhook. Absent if the secret that proves the sender is not set.
   *
   * @param now milliseconds since 1970
   * @throws HttpProblem `invalid-signature`, or `invalid-parameter` for what the platform never sends
   */
  readWebhook?(headers: IncomingHttpHeaders, body: Buffer, now: number): MembershipEvent | Ignored;
  /** The columns that every export of the platform's members has. */
  readonly columns: readonly string[];
  /**
   * Reads a row of an export.
   *
   * @throws RowError
   */
  readRow(row: Row): MembershipEvent | Ignored;
}

/** The settings of platforms. An empty variable counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that contradict each other, or have no effect. The message is one line and says what to set. */
export class SettingError extends Error {
  override name = 'SettingError';
}

/** A row that cannot be read. The message names the column, its value, and what was expected. */
export class RowError extends Error {
  override name = 'RowError';
}

/** Makes a 403 for a request that the platform did not send. */
export function invalidSignature(detail: string): HttpProblem {
  return new HttpProblem('invalid-signature', detail);
}

/** Reads a comma-separated list of names from a setting. */
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
 * Reads a time, in UTC if it has no zone.
 *
 * @returns ISO 8601 UTC in whole seconds, because a platform may report one moment with different fractions; undefined if it is not a time
 */
export function readUtc(text: string): string | undefined {
  const [matched, , , zone] = TIME.exec(text) ?? [];
  const time = matched === undefined ? Number.NaN : Date.parse(`${text.replace(' ', 'T')}${zone ? '' : 'Z'}`);
  return Number.isNaN(time) ? undefined : new Date(Math.floor(time / 1000) * 1000).toISOString();
}
