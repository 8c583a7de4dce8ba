import type { Actor } from '../../store/accounts/ports.ts';
import type { Store } from '../../store/store.ts';
import { type Transaction, table } from '../../store/transaction.ts';
import { find, list } from '../../lists/lists.ts';
import { type AuditEvent, type EventName, isMailed } from './audit-event.ts';
import { addNotice, readNoticeState, removeNotices } from './notices.ts';

/** Account id → its events, the oldest first. */
const LOGS = table<AuditEvent[]>('audit');
/** How many events of an account are kept. */
export const MAX_EVENTS = 100;
/** For how many days they are kept. */
export const KEEP_DAYS = 90;
const KEEP_MS = KEEP_DAYS * 86_400_000;

/** What `recordEvent` needs to know of an event. */
export interface Happening {
  /** The id of the account. */
  account: string;
  event: EventName;
  about?: string | null;
  actor: Actor;
  /** ms since 1970. */
  now: number;
}

/**
 * Adds an event to the log of an account, and queues a mail if the account holder should know of it at once. Do not call it concurrently
 * within a transaction: it reads what it then writes.
 */
export async function recordEvent(
  transaction: Transaction,
  { account, event, about = null, actor: { by, network }, now }: Happening,
): Promise<void> {
  const added: AuditEvent = { at: new Date(now).toISOString(), event, about, by, network };
  const [known = [], state] = await Promise.all([
    transaction.get(LOGS, account),
    isMailed(added) ? readNoticeState(transaction, account) : undefined,
  ]);
  const events = notBefore(known, now - KEEP_MS);
  transaction.put(LOGS, account, dropOne([...events, added]), now + KEEP_MS);
  if (state) addNotice(transaction, account, state, added, now);
}

/** Returns the events of an account, the newest first. @param now ms since 1970 */
export async function readEvents(store: Store, account: string, now: number): Promise<AuditEvent[]> {
  return notBefore((await find(store, LOGS, account)) ?? [], now - KEEP_MS).reverse();
}

/** Returns the events of all accounts by the accounts' ids, the oldest of each account first. @param now ms since 1970 */
export async function listEvents(
  store: Store,
  now: number,
): Promise<[account: string, events: AuditEvent[]][]> {
  const logs = await list(store, LOGS);
  return logs.map(([account, events]) => [account, notBefore(events, now - KEEP_MS)]);
}

/** Removes the log of a deleted account, and the mails about it. */
export async function removeEvents(transaction: Transaction, account: string): Promise<void> {
  transaction.remove(LOGS, account);
  await removeNotices(transaction, account);
}

function notBefore(events: readonly AuditEvent[], time: number): AuditEvent[] {
  return events.filter(({ at }) => Date.parse(at) > time);
}

/** Drops the oldest event of the most frequent kind if there are too many. README.md says why not simply the oldest. */
function dropOne(events: AuditEvent[]): AuditEvent[] {
  if (events.length <= MAX_EVENTS) return events;
  const counts = new Map<EventName, number>();
  for (const { event } of events) counts.set(event, (counts.get(event) ?? 0) + 1);
  const [[most] = []] = [...counts].sort(([, a], [, b]) => b - a);
  return events.toSpliced(
    events.findIndex(({ event }) => event === most),
    1,
  );
}
