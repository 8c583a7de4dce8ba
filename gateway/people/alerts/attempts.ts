import type { Store } from '../../store/sql.ts';
import { type Transaction, table, transact } from '../../store/records.ts';
import { list } from '../../store/records.ts';
import type { PostChannel } from './channels/chat-hook.ts';
import type { GameEvent } from './events/event.ts';

/** How an event is sent to an account. */
export type ChannelName = PostChannel | 'mail';

/** One attempt to send an event to an account. */
export interface Attempt {
  /** ISO 8601 UTC. */
  at: string;
  channel: ChannelName;
  event: Pick<GameEvent, 'id' | 'type'> & { game: string; build: string };
  /** 1 for the first. */
  attempt: number;
  outcome: 'delivered' | 'failed';
  /** What the receiver responded, or why it was not reached. */
  detail: string;
  /** When it is retried, ISO 8601 UTC; null when it is not. */
  next_at: string | null;
  /** The event's position in the log, with which it can be sent again; null for a test; absent in records of earlier versions. */
  position?: number | null;
  /** The status of the response; absent without one. */
  status?: number;
  /** How long it took until the response was complete, in ms; absent without one. */
  ms?: number;
}

/** `<account id>:<time, of 15 digits>:<event id>:<channel>` → attempt. */
const ATTEMPTS = table<Attempt>('attempt');
/** How long attempts are stored. */
const KEEP_MS = 30 * 86_400_000;
/** How many attempts of an account are stored. */
export const MAX_ATTEMPTS_KEPT = 50;
/** How many are removed in one transaction. */
const PAGE = 500;

/** Stores an attempt for 30 days. Call `trimAttempts` afterwards. */
export async function putAttempt(transaction: Transaction, account: string, attempt: Attempt): Promise<void> {
  const at = Date.parse(attempt.at);
  const id = [account, String(at).padStart(15, '0'), attempt.event.id, attempt.channel].join(':');
  await transaction.put(ATTEMPTS, id, attempt, at + KEEP_MS);
}

/** Removes the oldest attempts of an account if there are too many. */
export async function trimAttempts(store: Store, account: string): Promise<void> {
  const ids = (await list(store, ATTEMPTS, `${account}:`)).map(([id]) => id);
  if (ids.length > MAX_ATTEMPTS_KEPT) await removeAll(store, ids.slice(0, -MAX_ATTEMPTS_KEPT));
}

/** Finds an attempt of an account. */
export async function findAttempt(
  store: Store,
  account: string,
  { at, event, channel }: { at: string; event: string; channel: string },
): Promise<Attempt | undefined> {
  const attempts = await listAttempts(store, account, MAX_ATTEMPTS_KEPT);
  return attempts.find((each) => each.at === at && each.event.id === event && each.channel === channel);
}

/** Lists an account's latest attempts, the newest first. */
export async function listAttempts(store: Store, account: string, limit = 20): Promise<Attempt[]> {
  const attempts = await list(store, ATTEMPTS, `${account}:`);
  return attempts
    .slice(-limit)
    .reverse()
    .map(([, attempt]) => attempt);
}

/** Removes the attempts of a deleted account. */
export async function removeAttempts(store: Store, account: string): Promise<void> {
  await removeAll(
    store,
    (await list(store, ATTEMPTS, `${account}:`)).map(([id]) => id),
  );
}

async function removeAll(store: Store, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += PAGE) {
    await transact(store, async (transaction) => {
      for (const id of ids.slice(at, at + PAGE)) await transaction.remove(ATTEMPTS, id);
    });
  }
}
