import { addJob, type Queue } from '../jobs/queue.ts';
import { type Transaction, table } from '../../store/records.ts';

/** How far the fan-out of an event has come. */
export interface FanOut {
  /** The event's position in the log. */
  event: number;
  /** The index of the topic to continue with. */
  topic: number;
  /** The last follower of that topic that is done; empty before the first. */
  after: string;
}

/** The queue of events to fan out. */
export const FAN_OUTS: Queue<FanOut> = table<FanOut>('fan-out');

/**
 * Queues an event for fan-out.
 *
 * @param event the event's position in the log
 */
export async function addFanOut(transaction: Transaction, event: number, now: number): Promise<void> {
  await addJob(transaction, FAN_OUTS, String(event), now, { event, topic: 0, after: '' });
}
