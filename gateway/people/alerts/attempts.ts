import type { Store } from '../../store/store.ts';
import { list, type Transaction, table, transact } from '../../store/transaction.ts';
import type { GameEvent } from './event.ts';

/** How an event is sent to an account. */
export type ChannelName = 'webhook' | 'mail';

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
}

/** `<account id>:<time, of 15 digits>:<event id>:<channel>` → attempt. */
const ATTEMPTS = table<Attempt>('attempt');
/** How long attempts are stored. */
const KEEP_MS = 30 * 86_400_000;
/** How many are removed in one transaction. */
const PAGE = 500;

/** Stores an attempt for 30 days. */
export function putAttempt(transaction: Transaction, account: string, attempt: Attempt): void {
  const at = Date.parse(attempt.at);
  const id = [account, String(at).padStart(15, '0'), attempt.event.id, attempt.channel].join(':');
  transaction.put(ATTEMPTS, id, attempt, at + KEEP_MS);
}

/** Lists an account's latest attempts, the newest first. */
export async function listAttempts(store: Store, account: string, limit = 20): Promise<Attempt[]> {
  const found = await list(store, ATTEMPTS, `${account}:`);
  return found
    .slice(-limit)
    .reverse()
    .map(([, attempt]) => attempt);
}

/** Removes the attempts of a deleted account. */
export async function removeAttempts(store: Store, account: string): Promise<void> {
  const ids = (await list(store, ATTEMPTS, `${account}:`)).map(([id]) => id);
  for (let at = 0; at < ids.length; at += PAGE) {
    await transact(store, async (transaction) => {
      for (const id of ids.slice(at, at + PAGE)) transaction.remove(ATTEMPTS, id);
    });
  }
}
