import { CsvError, parse } from 'csv-parse/sync';
import type { MembershipEvent } from '../accounts/membership.ts';
import { type Platform, type Row, RowError } from './platform.ts';

/** What an export tells. */
export interface Export {
  /** The events of each member, by the platform's ids of them, in the order of the rows. */
  members: ReadonlyMap<string, readonly [MembershipEvent, ...MembershipEvent[]]>;
  /** How many rows are not about what buys Pro. */
  ignored: number;
}

/** An export that cannot be read; the message says what is wrong, with the lines. */
export class ExportError extends Error {
  override name = 'ExportError';
}

/** How many wrong rows a message tells. */
const MOST_TOLD = 10;

/**
 * Reads a platform's export of its members: CSV with a header row, in which more columns may stand than are read.
 *
 * @throws ExportError when it is something else, or any of its rows cannot be read
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
      if (!(error instanceof RowError)) throw error;
      wrong.push(`line ${line}: ${error.message}`);
    }
  }
  if (wrong.length === 0) return { members, ignored };
  const more = wrong.length > MOST_TOLD ? [`and ${wrong.length - MOST_TOLD} more`] : [];
  throw new ExportError([...wrong.slice(0, MOST_TOLD), ...more].join('\n'));
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
    `it has no column ${missing.map((column) => JSON.stringify(column)).join(', ')}; expected what ${name} exports of its members`,
  );
}
