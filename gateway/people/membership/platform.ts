// What all membership platforms share: the fields of their webhooks and exports, and times.
import type { IncomingHttpHeaders } from 'node:http';
import { CsvError, type Options, parse } from 'csv-parse/sync';
import { HttpProblem, InputError } from '../../http/problem.ts';
import type { MembershipEvent } from './membership.ts';

/** A webhook or row that is not about a membership, with the reason. */
type Ignored = Record<'name' | 'ignored', string>;

/**
 * A platform that sells memberships. It knows nothing of accounts: it turns webhooks and exports into events, which say what was paid and until when.
 */
export interface Platform {
  /** Its name in addresses, in the store and on the command line. */
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
  /** Reads a row of an export. @throws InputError */
  readRow(row: Payload): MembershipEvent | Ignored;
}

/** The settings of platforms. An empty variable counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a comma-separated list of names from a setting. */
export function readNameList(text: string | undefined): ReadonlySet<string> {
  return new Set((text ?? '').split(',').flatMap((name) => name.trim() || []));
}

const US_TIME = /^(\d\d)\/(\d\d)\/(\d{4}) (.+)$/;
const TIME = /^2\d{3}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Reads a time, as UTC if it has no zone.
 *
 * @returns ms since 1970 in whole seconds, because a platform may report one moment with different fractions; undefined if it is not a time
 */
function readUtc(text: string): number | undefined {
  const iso = text.replace(US_TIME, '$3-$1-$2 $4');
  const [matched, , , zone] = TIME.exec(iso) ?? [];
  const time = matched === undefined ? Number.NaN : Date.parse(`${iso.replace(' ', 'T')}${zone ? '' : 'Z'}`);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000) * 1000;
}

type Refuse = (name: string, found: string, expected: string) => Error;

/** The fields of a payload by their paths, or the cells of a row by their columns. Absent and empty values are null. */
export class Payload {
  readonly #value: unknown;
  readonly #refuse: Refuse;

  /** @param refuse makes the error for a value that is not what is expected; `found` is the value as JSON */
  constructor(value: unknown, refuse: Refuse) {
    this.#value = value;
    this.#refuse = refuse;
  }

  get(name: string): unknown {
    const found = name
      .split('.')
      .reduce((within, key) => (within as Record<string, unknown> | null | undefined)?.[key], this.#value);
    return typeof found === 'string' ? found.trim() || null : (found ?? null);
  }

  list(name: string): Payload[] {
    const items = this.get(name);
    return Array.isArray(items) ? items.map((each) => new Payload(each, this.#refuse)) : [];
  }

  text(name: string): string | null {
    return this.#read(name, 'a text', (found) => (typeof found === 'string' ? found : undefined));
  }

  /** @returns ms since 1970 */
  time(name: string): number | null {
    return this.#read(name, 'a time such as 2026-05-31 07:46:37', (found) => readUtc(String(found)));
  }

  /** Reads an amount of money; neither `1,000.00` nor `$5.00`. */
  amount(name: string): number | null {
    return this.#read(name, 'an amount such as 5.00', (found) =>
      typeof found === 'string' && /^\d{1,7}(\.\d{1,2})?$/.test(found) ? Number(found) : undefined,
    );
  }

  count(name: string): number | null {
    return this.#read(name, 'a whole number', (found) =>
      Number.isInteger(found) ? (found as number) : undefined,
    );
  }

  /** Reads a field that may not be null. */
  need<Kind extends 'text' | 'time' | 'amount'>(kind: Kind, name: string) {
    const found = this[kind](name);
    if (found !== null) return found as NonNullable<ReturnType<Payload[Kind]>>;
    throw this.#refuse(name, '""', 'a value');
  }

  #read<T>(name: string, expected: string, read: (found: unknown) => T | undefined): T | null {
    const found = this.get(name);
    const result = found === null ? null : read(found);
    if (result === undefined) throw this.#refuse(name, JSON.stringify(found), expected);
    return result;
  }
}

/** @throws HttpProblem `invalid-parameter` */
export function readPayload(text: string | undefined): Payload {
  const refuse = (found: string) => {
    const detail = `the payload ${found}, expected what the platform sends to webhooks`;
    return new HttpProblem('invalid-parameter', detail, { parameter: 'body' });
  };
  if (text === undefined) throw refuse('is not a form with the field data');
  try {
    const payload: unknown = JSON.parse(text);
    return new Payload(payload, (at, found, expected) => refuse(`has ${found} at ${at}, not ${expected}`));
  } catch {
    throw refuse('is not JSON');
  }
}

const refuseCell: Refuse = (column, found, expected) =>
  new InputError(`"${column}" is ${found}, expected ${expected}`);

/** How many wrong rows a message lists. */
const MAX_LISTED = 10;

/**
 * Reads a platform's export of its members: CSV with a header row. Unused columns may be present.
 *
 * @returns the events of each member in the order of the rows, by the platform's member id; and how many rows are not about a membership that buys Pro
 * @throws InputError if the file is something else, or a row cannot be read
 */
export function readExport({ name, columns, readRow }: Platform, bytes: Buffer) {
  const [header = []] = readCsv(bytes, { to_line: 1 }) as string[][];
  const missing = columns.filter((column) => !header.includes(column)).map((column) => `"${column}"`);
  if (missing.length > 0)
    throw new InputError(`it has no column ${missing.join(', ')}; expected the member export of ${name}`);
  const rows = readCsv(bytes, { info: true, columns: true });
  const members = new Map<string, [MembershipEvent, ...MembershipEvent[]]>();
  const wrong: string[] = [];
  let ignored = 0;
  for (const { record, info } of rows as { record: Record<string, string>; info: { lines: number } }[]) {
    try {
      const event = readRow(new Payload(record, refuseCell));
      if ('ignored' in event) ignored++;
      else if (!members.get(event.member)?.push(event)) members.set(event.member, [event]);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      wrong.push(`line ${info.lines}: ${error.message}`);
    }
  }
  if (wrong.length > 0) throw new InputError(wrong.slice(0, MAX_LISTED).join('\n'));
  return { members, ignored };
}

function readCsv(bytes: Buffer, options: Options): unknown[] {
  try {
    return parse(bytes, { bom: true, skip_empty_lines: true, ...options });
  } catch (error) {
    throw error instanceof CsvError ? new InputError(error.message) : error;
  }
}
