import { type Claim, claimJobs, settleJob } from '../jobs/queue.ts';
import { reportFailures } from '../jobs/report-failures.ts';
import { StepRunner } from '../jobs/run-steps.ts';
import type { Log } from '../../http/log.ts';
import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { accountById } from '../../store/accounts/accounts.ts';
import { readNotice, SECURITY_NOTICES, type SecurityNotice, settleNotice } from '../audit/notices.ts';
import { type Mail, MailError, type Mailer, type MailFailure } from '../mail/mailer.ts';
import { securityMail } from './security-mail.ts';

/** Options of the mails. */
export interface SecurityMailOptions {
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** Without it, mails wait in the queue for a gateway that has a mailer, for a week at most. */
  mailer: Mailer | undefined;
  /** The address of the account page; undefined if there is none. */
  page: () => string | undefined;
  /** How often to check for due mails, in ms. */
  interval?: number;
}

const INTERVAL_MS = 2000;
/** Twice the time of a mail; if the gateway dies while it sends one, another gateway sends it after this time. */
const LEASE_MS = 60_000;
/** The delays before a failed mail is retried, in ms; after the last one it is given up. */
const RETRIES = [1, 5, 30, 120, 300, 600, 1440].map((minutes) => minutes * 60_000);

/** Starts sending the mails. `close` stops after the mail that is being sent. */
export function startSecurityMails(options: SecurityMailOptions): Pick<StepRunner, 'close' | 'wake'> {
  const { log, interval = INTERVAL_MS } = options;
  const step = reportFailures(() => sendNext(options), log, 'security mails failed, and will be retried');
  const runner = new StepRunner({ steps: [step], interval });
  runner.wake();
  return runner;
}

/** Sends the next due mail. @returns whether another one may be due now */
async function sendNext({ store, log, now, mailer, page }: SecurityMailOptions): Promise<boolean> {
  if (!mailer) return false;
  const terms = { now: now(), lease: LEASE_MS, limit: 1, afterLease: addFailure };
  const [claim] = await claimJobs(store, SECURITY_NOTICES, terms);
  if (!claim) return false;
  const [account, content] = await transact(store, async (transaction) => [
    await accountById(transaction, claim.job.account),
    await readNotice(transaction, claim.job.account),
  ]);
  const isLive = account !== undefined && content !== undefined;
  const failure = isLive ? await send(mailer, securityMail(account, content, page()), log) : undefined;
  const delay = failure === 'unavailable' ? RETRIES[claim.job.failures] : undefined;
  await transact(store, async (transaction) => {
    if (delay === undefined) await settleNotice(transaction, claim, content, now());
    else await retry(transaction, claim, now() + delay);
  });
  return failure !== 'unavailable';
}

async function retry(
  transaction: Parameters<typeof settleJob>[0],
  claim: Claim<SecurityNotice>,
  at: number,
): Promise<void> {
  await settleJob(transaction, SECURITY_NOTICES, claim, { at, job: addFailure(claim.job) });
}

/** @returns why the mail was not sent; undefined when it was */
async function send(mailer: Mailer, mail: Mail, log: Log): Promise<MailFailure | undefined> {
  try {
    await mailer.send(mail);
    return undefined;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a security mail could not be sent', { failure: error.failure, error: error.message });
    return error.failure;
  }
}

function addFailure(notice: SecurityNotice): SecurityNotice {
  return { ...notice, failures: notice.failures + 1 };
}
