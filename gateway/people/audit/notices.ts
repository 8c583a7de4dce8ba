import { addJob, type Claim, type Queue, settleJob } from '../../jobs/queue.ts';
import { type Transaction, table } from '../../store/transaction.ts';
import type { AuditEvent } from './audit-event.ts';

/** The events of an account that are to be mailed, and when mails about it were sent. */
interface NoticeState {
  /** The oldest first; at most `MAX_LISTED`. */
  events: AuditEvent[];
  /** How many further events there were. */
  more: number;
  /** When the last mails were sent, ms since 1970, the oldest first. */
  sent: number[];
  /** When the job was added, ms since 1970; 0 without one. */
  queued: number;
}

/** A mail about an account that is due. */
export interface SecurityNotice {
  /** The id of the account. */
  account: string;
  /** How many attempts have failed. */
  failures: number;
}

/** What a mail reports. */
export type NoticeContent = Pick<NoticeState, 'events' | 'more'>;

/** Account id → what is to be mailed. */
const STATES = table<NoticeState>('security-notice-state');
/** The queue of mails to send; an account has at most one in it. */
export const SECURITY_NOTICES: Queue<SecurityNotice> = table<SecurityNotice>('security-notice');

const EMPTY: NoticeState = { events: [], more: 0, sent: [], queued: 0 };

/** How many events a mail lists. */
const MAX_LISTED = 30;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** The pause after a mail, and after each mail once there were `MANY` in a day. */
const PAUSE = { few: 10 * MINUTE, many: 60 * MINUTE };
const MANY = 5;
/** How long events wait for a gateway that can send mails, as jobs do. */
const KEEP_MS = 7 * DAY;

/** Queues an event to be mailed: at once, or together with others when the pause after the last mail is over. */
export async function addNotice(
  transaction: Transaction,
  account: string,
  event: AuditEvent,
  now: number,
): Promise<void> {
  const state = (await transaction.get(STATES, account)) ?? EMPTY;
  // A job that no gateway could do is dropped from its queue in the end.
  const isQueued = state.events.length > 0 && state.queued > now - DAY;
  const isFull = state.events.length >= MAX_LISTED;
  const changed: NoticeState = {
    events: isFull ? state.events : [...state.events, event],
    more: state.more + (isFull ? 1 : 0),
    sent: state.sent.filter((time) => time > now - DAY),
    queued: isQueued ? state.queued : now,
  };
  transaction.put(STATES, account, changed, now + KEEP_MS);
  if (!isQueued)
    addJob(transaction, SECURITY_NOTICES, account, nextMail(changed, now), { account, failures: 0 });
}

/** Returns what is to be mailed to an account; undefined when there is nothing. */
export async function readNotice(
  transaction: Transaction,
  account: string,
): Promise<NoticeContent | undefined> {
  const state = await transaction.get(STATES, account);
  return state && state.events.length > 0 ? state : undefined;
}

/**
 * Settles a mail that was sent or refused for good. Events that came after it was written are mailed later.
 *
 * @param content what the mail contained
 */
export async function settleNotice(
  transaction: Transaction,
  claim: Claim<SecurityNotice>,
  content: NoticeContent | undefined,
  now: number,
): Promise<void> {
  const { account } = claim.job;
  const state = await transaction.get(STATES, account);
  if (!state) return void (await settleJob(transaction, SECURITY_NOTICES, claim));
  const left = (content?.events.length ?? 0) < state.events.length || (content?.more ?? 0) < state.more;
  const changed: NoticeState = {
    events: state.events.slice(content?.events.length ?? 0),
    more: state.more - (content?.more ?? 0),
    sent: content ? [...state.sent.filter((time) => time > now - DAY), now] : state.sent,
    queued: left ? now : 0,
  };
  const next = left ? { at: nextMail(changed, now), job: { account, failures: 0 } } : undefined;
  if (await settleJob(transaction, SECURITY_NOTICES, claim, next))
    transaction.put(STATES, account, changed, now + KEEP_MS);
}

/** Removes what is to be mailed to a deleted account. Its job finds nothing. */
export function removeNotices(transaction: Transaction, account: string): void {
  transaction.remove(STATES, account);
}

function nextMail({ sent }: NoticeState, now: number): number {
  const last = sent.at(-1);
  if (last === undefined) return now;
  return Math.max(now, last + (sent.length < MANY ? PAUSE.few : PAUSE.many));
}
