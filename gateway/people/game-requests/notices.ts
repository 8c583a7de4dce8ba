import { addJob, type Queue } from '../../jobs/queue.ts';
import { type Transaction, table } from '../../store/transaction.ts';
import type { GameRequest } from './game-request.ts';

/** A mail to somebody who asked for a game that is there now. */
export interface Notice {
  /** The id of the request. */
  request: string;
  /** The id of the account. */
  account: string;
  /** How often it was tried before. */
  failures: number;
}

/** The mails that are to be sent. */
export const NOTICES: Queue<Notice> = table<Notice>('game-request-notice');

/**
 * Puts a mail to each who supports a request in line.
 *
 * @param now milliseconds since 1970
 */
export function addNotices(transaction: Transaction, { id, supporters }: GameRequest, now: number): void {
  for (const account of supporters) {
    addJob(transaction, NOTICES, `${id}:${account}`, now, { request: id, account, failures: 0 });
  }
}
