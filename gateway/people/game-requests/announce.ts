import { type Account, tierAt, TIERS } from '../../access/account.ts';
import type { DistFollower } from '../../data/follow-dist.ts';
import type { Log } from '../../http/log.ts';
import { accountById } from '../../store/accounts.ts';
import { transact } from '../../store/records.ts';
import type { Store } from '../../store/sql.ts';
import { type Claim, claimJobs, settleJob } from '../jobs/queue.ts';
import { reportFailures } from '../jobs/report-failures.ts';
import { type Mailer, MailError, type MailFailure } from '../mail/mailer.ts';
import type { GameRequest } from './game-request.ts';
import { noticeMail } from './notice-mail.ts';
import { type Notice, NOTICES } from './notices.ts';
import { findRequest, finishRequests } from './requests.ts';

/** Options of an announcer. */
export interface AnnounceOptions {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** Without it, mails wait in the queue for a gateway that has a mailer, for a week at most. */
  mailer: Mailer | undefined;
  /** How often to check for available games and due mails, in ms. */
  interval?: number;
}

/** A running announcer. */
export interface Announcer {
  /** Starts a run now, unless one is under way; resolves when all due mails are sent. */
  run(): Promise<void>;
  /** Stops after the mail that is being sent. */
  close(): Promise<void>;
}

const INTERVAL_MS = 5000;
/** Twice the time of a mail; if the gateway dies while it sends one, another gateway sends it after this time. */
const LEASE_MS = 60_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The delays before a failed mail is retried, in ms; after the last one it is given up. */
const RETRIES = [1, 5, 30, 120, 300, 600, 1440].map((minutes) => minutes * MINUTE);

/**
 * Starts marking accepted requests as done when Pro can see their games, and mailing each supporter at least once, as soon as the
 * supporter can see the game. All gateways on a store share this work: each mail is sent by one of them.
 */
export function startAnnouncing(options: AnnounceOptions): Announcer {
  const { log, interval = INTERVAL_MS } = options;
  let isOpen = true;
  let running: Promise<void> | undefined;
  const finish = reportFailures(() => finishReady(options), log, 'game requests failed, and will be retried');
  const send = reportFailures(
    () => sendNext(options),
    log,
    'mails about game requests failed, and will be retried',
  );
  const work = async () => {
    await finish();
    while (isOpen && (await send()));
  };
  const run = () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(() => void run(), interval);
  timer.unref();
  void run();
  return {
    run,
    async close() {
      isOpen = false;
      clearInterval(timer);
      await running;
    },
  };
}

/** Marks requests as done. @returns false, since one call handles all requests */
async function finishReady({ follower, store, log, now }: AnnounceOptions): Promise<boolean> {
  const games = new Set(follower.catalog.viewAt(now(), 'pro').games.keys());
  for (const { id } of await finishRequests(store, games, now())) {
    log.info('a requested game is available', { request: id });
  }
  return false;
}

/** Sends the next due mail. @returns whether another mail may be due now */
async function sendNext({ mailer, ...options }: AnnounceOptions): Promise<boolean> {
  if (!mailer) return false;
  const { store, now } = options;
  const terms = { now: now(), lease: LEASE_MS, limit: 1, afterLease: addFailure };
  const [claim] = await claimJobs(store, NOTICES, terms);
  if (!claim) return false;
  const recipient = claim.job.failures > RETRIES.length ? undefined : await findRecipient(claim.job, store);
  const wait = recipient ? timeUntilVisible(recipient, options) : 0;
  if (wait > 0) {
    await settleNotice(store, claim, { at: now() + wait, job: claim.job });
    return true;
  }
  const failure = recipient && (await sendNotice(recipient, mailer, options));
  const delay = failure === 'unavailable' ? RETRIES[claim.job.failures] : undefined;
  const next = delay === undefined ? undefined : { at: now() + delay, job: addFailure(claim.job) };
  await settleNotice(store, claim, next);
  return failure !== 'unavailable';
}

/** A supporter of a request that is done. */
interface NoticeRecipient {
  request: GameRequest;
  account: Account;
}

/** Returns undefined when the request or the account no longer exists, or the account no longer supports the request. */
async function findRecipient(notice: Notice, store: Store): Promise<NoticeRecipient | undefined> {
  const request = await findRequest(store, notice.request);
  const account = await transact(store, (transaction) => accountById(transaction, notice.account));
  return request && account && request.supporters.includes(account.id) ? { request, account } : undefined;
}

/** Returns how long to wait until an account can see a game, in ms; at most an hour, because its tier can change. */
function timeUntilVisible(
  { request: { game }, account }: NoticeRecipient,
  { follower: { catalog }, now }: Pick<AnnounceOptions, 'follower' | 'now'>,
): number {
  const at = now();
  const tier = tierAt(account, at);
  if (game === null || catalog.viewAt(at, tier).games.has(game)) return 0;
  const releases = catalog.loaded.filter(({ slug }) => slug === game).map(({ released_at }) => released_at);
  const visible = Math.min(...releases.map(Date.parse)) + TIERS[tier].delayHours * HOUR;
  return Math.max(MINUTE, Math.min(HOUR, visible - at));
}

/** @returns why the mail was not sent; undefined when it was */
async function sendNotice(
  { request, account }: NoticeRecipient,
  mailer: Mailer,
  { log, now }: Pick<AnnounceOptions, 'log' | 'now'>,
): Promise<MailFailure | undefined> {
  try {
    await mailer.send(noticeMail(request, account, now()));
    return undefined;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a mail could not be sent', {
      request: request.id,
      failure: error.failure,
      error: error.message,
    });
    return error.failure;
  }
}

function addFailure(notice: Notice): Notice {
  return { ...notice, failures: notice.failures + 1 };
}

async function settleNotice(
  store: Store,
  claim: Claim<Notice>,
  next: { at: number; job: Notice } | undefined,
): Promise<void> {
  await transact(store, (transaction) => settleJob(transaction, NOTICES, claim, next));
}
