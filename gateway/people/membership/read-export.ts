import { CsvError, parse } from 'csv-parse/sync';
import type { MembershipEvent } from './membership.ts';
import { type Platform, type Row, RowError } from './platform.ts';

/** The contents of an export. */
export interface Export {
  /** The events of each member in the order of the rows, by the platform's member id. */
  members: ReadonlyMap<string, readonly [MembershipEvent, ...MembershipEvent[]]>;
  /** The number of rows that are not about a membership that buys Pro. */
  ignored: number;
}

/** An export that cannot be read. The message says what is wrong in which lines. */
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
      if (!(error instanceof RowError)) throw error;
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
