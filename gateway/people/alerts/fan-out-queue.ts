import { addJob, type Queue } from '../../jobs/queue.ts';
import { type Transaction, table } from '../../store/transaction.ts';

/** An event that is to become deliveries to all who follow it, and how far that is. */
export interface FanOut {
  /** The event's position in the log. */
  event: number;
  /** Which of the event's topics is next. */
  topic: number;
  /** The last account of that topic that is done; empty before the first. */
  after: string;
}

/** Events that are to be fanned out. */
export const FAN_OUTS: Queue<FanOut> = table<FanOut>('fan-out');

/**
 * Puts an event in line.
 *
 * @param event its position in the log
 */
export function addFanOut(transaction: Transaction, event: number, now: number): void {
  addJob(transaction, FAN_OUTS, String(event), now, { event, topic: 0, after: '' });
}
