import { addJob, type Claim, type Queue, settleJob } from '../jobs/queue.ts';
import { type Transaction, table } from '../../store/transaction.ts';
import type { AuditEvent } from './audit-event.ts';

/** The events of an account that are to be mailed, and when mails about it were sent. */
export interface NoticeState {
  /** The oldest first; at most `MAX_LISTED`. */
  events: AuditEvent[];
  /** How many further events there were. */
  more: number;
  /** When the last mails were sent, ms since 1970, the oldest first. */
  sent: number[];
  /** When the job was added, ms since 1970; 0 without one. */
  queued: number;
  /** The name of the job's record, unless it was claimed since. */
  job: string;
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

const EMPTY: NoticeState = { events: [], more: 0, sent: [], queued: 0, job: '' };

/** How many events a mail lists. */
const MAX_LISTED = 30;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** The pause after a mail, and after each mail once there were `MANY` in a day. */
const PAUSE = { few: 10 * MINUTE, many: 60 * MINUTE };
const MANY = 5;
/** How long events wait for a gateway that can send mails, as jobs do. */
const KEEP_MS = 7 * DAY;

/** Reads the state that `addNotice` changes. */
export async function readNoticeState(transaction: Transaction, account: string): Promise<NoticeState> {
  return (await transaction.get(STATES, account)) ?? EMPTY;
}

/** Queues an event to be mailed: at once, or together with others when the pause after the last mail is over. */
export function addNotice(
  transaction: Transaction,
  account: string,
  state: NoticeState,
  event: AuditEvent,
  now: number,
): void {
  // A job that no gateway could do is dropped from its queue in the end.
  const isQueued = state.events.length > 0 && state.queued > now - DAY;
  const isFull = state.events.length >= MAX_LISTED;
  const changed: NoticeState = {
    ...state,
    events: isFull ? state.events : [...state.events, event],
    more: state.more + (isFull ? 1 : 0),
    sent: state.sent.filter((time) => time > now - DAY),
  };
  putState(transaction, account, isQueued ? changed : queue(transaction, account, changed, now), now);
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
  if (!(await settleJob(transaction, SECURITY_NOTICES, claim)) || !state) return;
  const { events, more } = content ?? EMPTY;
  const changed: NoticeState = {
    ...EMPTY,
    events: state.events.slice(events.length),
    more: state.more - more,
    sent: content ? [...state.sent.filter((time) => time > now - DAY), now] : state.sent,
  };
  const isLeft = changed.events.length > 0 || changed.more > 0;
  putState(transaction, account, isLeft ? queue(transaction, account, changed, now) : changed, now);
}

/** Removes what is to be mailed to a deleted account. */
export async function removeNotices(transaction: Transaction, account: string): Promise<void> {
  const state = await transaction.get(STATES, account);
  if (state?.job) transaction.remove(SECURITY_NOTICES, state.job);
  transaction.remove(STATES, account);
}

/** Adds the job of a mail. @returns the state with it */
function queue(transaction: Transaction, account: string, state: NoticeState, now: number): NoticeState {
  const at = nextMail(state, now);
  const job = addJob(transaction, SECURITY_NOTICES, account, at, { account, failures: 0 });
  return { ...state, queued: now, job };
}

function putState(transaction: Transaction, account: string, state: NoticeState, now: number): void {
  transaction.put(STATES, account, state, now + KEEP_MS);
}

function nextMail({ sent }: NoticeState, now: number): number {
  const last = sent.at(-1);
  if (last === undefined) return now;
  return Math.max(now, last + (sent.length < MANY ? PAUSE.few : PAUSE.many));
}
