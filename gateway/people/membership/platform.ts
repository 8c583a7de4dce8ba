// What all platforms that sell memberships have in common: their settings, payloads, exports and times.
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv } from 'ajv';
import { CsvError, parse } from 'csv-parse/sync';
import { once } from '../../../scripts/system.ts';
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
 * A platform that sells memberships. It knows nothing of accounts: it turns the platform's webhooks and exports into events,
 * which say what was paid for and until when.
 */
export interface Platform {
  /** The name in addresses, in the store and on the command line. */
  readonly name: string;
  /**
   * Reads a request to the platform's webhook. Absent if the secret that proves the sender is not set.
   *
   * @param now milliseconds since 1970
   * @throws HttpProblem `invalid-link`, or `invalid-parameter` for what the platform never sends
   */
  readWebhook?(headers: IncomingHttpHeaders, body: Buffer, now: number): MembershipEvent | Ignored;
  /** The columns that every export of the platform's members has. */
  readonly columns: readonly string[];
  /**
   * Reads a row of an export.
   *
   * @throws ExportError
   */
  readRow(row: Row): MembershipEvent | Ignored;
}

/** The settings of platforms. An empty variable counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Makes a 403 for a request that the platform did not send. */
export function invalidSignature(detail: string): HttpProblem {
  return new HttpProblem('invalid-link', detail);
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

const prepareAjv = once(() =>
  new Ajv({ allowUnionTypes: true }).addFormat('time', (text: string) => readUtc(text) !== undefined),
);

/**
 * Makes a function that validates a platform's payloads. The schema is compiled for the first payload.
 *
 * @param schema JSON Schema (draft 7) of the part of a payload that is used; `time` is a format
 * @returns a function that returns a valid value, and throws HttpProblem `invalid-parameter` for any other
 */
export function payloadReader<T>(schema: object): (value: unknown) => T {
  const compile = once(() => prepareAjv().compile<T>(schema));
  return (value) => {
    const isValid = compile();
    if (isValid(value)) return value;
    const [{ instancePath = '', message = '' } = {}] = isValid.errors ?? [];
    throw unreadable(`the payload${instancePath && ` at ${instancePath}`} ${message}`);
  };
}

/** Parses a payload. @throws HttpProblem `invalid-parameter` */
export function parsePayload(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('the payload is not JSON');
  }
}

/** Makes a 400 for a payload that the platform never sends. */
export function unreadable(found: string): HttpProblem {
  const detail = `${found}, expected what the platform sends to webhooks`;
  return new HttpProblem('invalid-parameter', detail, { parameter: 'body' });
}

/** The contents of an export. */
export interface Export {
  /** The events of each member in the order of the rows, by the platform's member id. */
  members: ReadonlyMap<string, readonly [MembershipEvent, ...MembershipEvent[]]>;
  /** The number of rows that are not about a membership that buys Pro. */
  ignored: number;
}

/** An export or a row of it that cannot be read. The message says what is wrong where, and what was expected. */
export class ExportError extends Error {
  override name = 'ExportError';
}

/** The maximum number of wrong rows that a message lists. */
const MAX_LISTED = 10;

/**
 * Reads a platform's export of its members: CSV with a header row. Columns that are not used may be present.
 *
 * @throws ExportError if the file is something else, or any row cannot be read
 */
export function readExport(platform: Platform, bytes: Buffer): Export {
  const members = new Map<string, [MembershipEvent, ...MembershipEvent[]]>();
  const wrong: string[] = [];
  let ignored = 0;
  for (const { record, line } of parseRows(platform, bytes)) {
    try {
      const event = platform.readRow(record);
      if ('ignored' in event) ignored++;
      else members.set(event.member, addTo(members.get(event.member), event));
    } catch (error) {
      if (!(error instanceof ExportError)) throw error;
      wrong.push(`line ${line}: ${error.message}`);
    }
  }
  if (wrong.length === 0) return { members, ignored };
  const more = wrong.length > MAX_LISTED ? [`and ${wrong.length - MAX_LISTED} more`] : [];
  throw new ExportError([...wrong.slice(0, MAX_LISTED), ...more].join('\n'));
}

function addTo(
  events: [MembershipEvent, ...MembershipEvent[]] | undefined,
  event: MembershipEvent,
): [MembershipEvent, ...MembershipEvent[]] {
  return events ? [...events, event] : [event];
}

function parseRows({ name, columns }: Platform, bytes: Buffer): { record: Row; line: number }[] {
  let missing = columns;
  try {
    const rows = parse(bytes, {
      bom: true,
      info: true,
      skip_empty_lines: true,
      columns: (header: string[]) => {
        missing = columns.filter((column) => !header.includes(column));
        return header;
      },
    }) as unknown as { record: Row; info: { lines: number } }[];
    if (missing.length === 0) return rows.map(({ record, info }) => ({ record, line: info.lines }));
  } catch (error) {
    if (error instanceof CsvError) throw new ExportError(error.message);
    throw error;
  }
  throw new ExportError(
    `it has no column ${missing.map((column) => JSON.stringify(column)).join(', ')}; expected the member export of ${name}`,
  );
}
