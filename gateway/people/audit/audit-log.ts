import { type AuditRow, type Change, readLog, recordChange } from '../../store/audit.ts';
import type { Sql } from '../../store/sql.ts';
import type { AuditEvent, EventName } from './audit-event.ts';

/** For how many days events are kept. */
export const KEEP_DAYS = 90;
export { MAX_ENTRIES as MAX_EVENTS } from '../../store/audit.ts';

/** What `recordEvent` needs to know of an event. */
export interface Happening extends Change {
  event: EventName;
}

/** Adds an event to the log of an account, and queues a mail if the account holder should know of it at once. */
export async function recordEvent(sql: Sql, happening: Happening): Promise<void> {
  await recordChange(sql, happening);
}

/** Returns the events of an account, the newest first. */
export async function readEvents(sql: Sql, account: string): Promise<AuditEvent[]> {
  return (await readLog(sql, account)).map(toEvent);
}

/** Returns the events of all accounts by the accounts' ids, the oldest of each account first. */
export async function listEvents(sql: Sql): Promise<[account: string, events: AuditEvent[]][]> {
  const accounts = await sql.all<{ account: string }>('SELECT DISTINCT account FROM audit');
  return await Promise.all(
    accounts.map(
      async ({ account }): Promise<[string, AuditEvent[]]> => [
        account,
        (await readEvents(sql, account)).reverse(),
      ],
    ),
  );
}

function toEvent({ at, event, about, by, network }: AuditRow): AuditEvent {
  return { at: new Date(at).toISOString(), event: event as EventName, about, by, network };
}
