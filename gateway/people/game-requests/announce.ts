import type { DistFollower } from '../../catalog/follow-dist.ts';
import { type Claim, claimJobs, settleJob } from '../../jobs/queue.ts';
import { reportFailures } from '../../jobs/report-failures.ts';
import type { Log } from '../../log/log.ts';
import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { accountById } from '../accounts/accounts.ts';
import { MailError, type Mailer, type MailFailure } from '../mail/mailer.ts';
import { noticeMail } from './notice-mail.ts';
import { NOTICES, type Notice } from './notices.ts';
import { findRequest, finishRequests } from './requests.ts';

/** What telling people that games are there takes. */
export interface AnnounceOptions {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** Without it mails wait for a gateway that has one, a week at most. */
  mailer: Mailer | undefined;
  /** How often to look for games that are there and mails that are due, in ms. */
  interval?: number;
}

/** Announcements at work. */
export interface Announcer {
  /** Looks now, unless it does already, and resolves when all that is due is sent. */
  look(): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

const INTERVAL_MS = 5000;
/** Twice what a mail takes: where the gateway that sends it dies, another does so then. */
const LEASE_MS = 60_000;
const MINUTE = 60_000;
/** When a mail that could not be sent is tried again, in ms; after the last it is given up. */
const RETRIES = [1, 5, 30, 120, 300, 600, 1440].map((minutes) => minutes * MINUTE);

/**
 * Starts to finish accepted requests whose games are there for Pro, and to mail those who asked, at least once. All gateways on a store do so side
 * by side, and each mail is sent by one of them.
 */
export function startAnnouncing(options: AnnounceOptions): Announcer {
  const { log, interval = INTERVAL_MS } = options;
  let isOpen = true;
  let running: Promise<void> | undefined;
  const finish = reportFailures(() => finishReady(options), log, 'requests for games wait');
  const send = reportFailures(() => sendNext(options), log, 'mails to those who asked for games wait');
  const work = async () => {
    await finish();
    while (isOpen && (await send()));
  };
  const look = () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  void look();
  return {
    look,
    async close() {
      isOpen = false;
      clearInterval(timer);
      await running;
    },
  };
}

/** @returns false: there is no more of it at once */
async function finishReady({ follower, store, log, now }: AnnounceOptions): Promise<boolean> {
  const games = new Set(follower.catalog.viewAt(now(), 'pro').games.keys());
  for (const { id } of await finishRequests(store, games, now())) {
    log.info('a game that was asked for is there', { request: id });
  }
  return false;
}

/** @returns whether there may be another mail to send at once */
async function sendNext({ mailer, ...options }: AnnounceOptions): Promise<boolean> {
  if (!mailer) return false;
  const { store, now } = options;
  const [claim] = await claimJobs(store, NOTICES, { now: now(), lease: LEASE_MS, limit: 1 });
  if (!claim) return false;
  const failure = await sendNotice(claim.job, mailer, options);
  await settleNotice(store, claim, failure, now());
  return failure !== 'unavailable';
}

/** @returns why it was not sent; undefined also where nobody is there to be told any more */
async function sendNotice(
  { request: id, account: accountId }: Notice,
  mailer: Mailer,
  { store, log, now }: Pick<AnnounceOptions, 'store' | 'log' | 'now'>,
): Promise<MailFailure | undefined> {
  const request = await findRequest(store, id);
  const account = await transact(store, (transaction) => accountById(transaction, accountId));
  if (!request || !account) return undefined;
  try {
    await mailer.send(noticeMail(request, account, now()));
    return undefined;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a mail was not taken', { request: id, failure: error.failure, error: error.message });
    return error.failure;
  }
}

async function settleNotice(
  store: Store,
  claim: Claim<Notice>,
  failure: MailFailure | undefined,
  now: number,
): Promise<void> {
  const { job } = claim;
  const delay = failure === 'unavailable' ? RETRIES[job.failures] : undefined;
  const next =
    delay === undefined ? undefined : { at: now + delay, job: { ...job, failures: job.failures + 1 } };
  await transact(store, (transaction) => settleJob(transaction, NOTICES, claim, next));
}
