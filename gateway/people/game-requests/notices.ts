import { addJob, type Queue } from '../jobs/queue.ts';
import { type Transaction, table } from '../../store/records.ts';
import type { GameRequest } from './game-request.ts';

/** A mail to a supporter of a game that is now available. */
export interface Notice {
  /** The id of the request. */
  request: string;
  /** The id of the account. */
  account: string;
  /** How many attempts have failed. */
  failures: number;
}

/** The queue of mails to send. */
export const NOTICES: Queue<Notice> = table<Notice>('game-request-notice');

/**
 * Queues a mail to each supporter of a request.
 *
 * @param now milliseconds since 1970
 */
export async function addNotices(
  transaction: Transaction,
  { id, supporters }: GameRequest,
  now: number,
): Promise<void> {
  for (const account of supporters) {
    await addJob(transaction, NOTICES, `${id}:${account}`, now, { request: id, account, failures: 0 });
  }
}
