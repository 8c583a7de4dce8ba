import type { Log } from '../../http/log.ts';
import { accountById } from '../../store/accounts.ts';
import { complete, fail, lease, type Leased } from '../../store/queues.ts';
import type { Store } from '../../store/sql.ts';
import type { AuditEvent } from '../audit/audit-event.ts';
import { reportFailures } from '../jobs/report-failures.ts';
import { StepRunner } from '../jobs/run-steps.ts';
import { type Mailer, MailError } from '../mail/mailer.ts';
import { securityMail } from './security-mail.ts';

/** Options of the mails. */
export interface SecurityMailOptions {
  store: Store;
  log: Log;
  /** Without it, mails wait in the queue for a gateway that has a mailer. */
  mailer: Mailer | undefined;
  /** The address of the account page; undefined if there is none. */
  page: () => string | undefined;
  /** How often to check for due mails, in ms. */
  interval?: number;
}

interface Notice extends Leased {
  account: string;
  content: string;
}

const INTERVAL_MS = 2000;
/** Twice the time of a mail; if the gateway dies while it sends one, another gateway sends it after this time. */
const LEASE_MS = 60_000;
/** How many events a mail lists, and how many it reports. */
const MAX_LISTED = 30;
const MAX_REPORTED = 500;
/** The events of the account whose event waits longest. */
const OF_ONE_ACCOUNT = `kind = 'security' AND account = (
  SELECT account FROM mails WHERE kind = 'security' AND done_at IS NULL AND failed_at IS NULL AND due_at <= $1 AND leased_until <= $1
  ORDER BY due_at, id LIMIT 1)`;

/** Starts sending the mails. `close` stops after the mail that is being sent. */
export function startSecurityMails(options: SecurityMailOptions): Pick<StepRunner, 'close' | 'wake'> {
  const { log, interval = INTERVAL_MS } = options;
  const step = reportFailures(() => sendNext(options), log, 'security mails failed, and will be retried');
  const runner = new StepRunner({ steps: [step], interval });
  runner.wake();
  return runner;
}

/** Sends the events of one account in a mail. @returns whether another mail may be due now */
async function sendNext({ store, log, mailer, page }: SecurityMailOptions): Promise<boolean> {
  if (!mailer) return false;
  const notices = await lease<Notice>(store, 'mails', {
    ...{ lease: LEASE_MS, limit: MAX_REPORTED, where: OF_ONE_ACCOUNT, values: [store.now()] },
  });
  const [first] = notices;
  const account = first && (await accountById(store, first.account));
  if (!account) return false;
  const events = notices.map(({ content }) => readEvent(content));
  const content = { events: events.slice(0, MAX_LISTED), more: Math.max(0, events.length - MAX_LISTED) };
  try {
    await mailer.send(securityMail(account, content, page()));
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.error('a security mail could not be sent', { failure: error.failure, error: error.message });
    const failure = { error: error.message, isFinal: error.failure !== 'unavailable' };
    for (const notice of notices) await fail(store, 'mails', notice, failure);
    return error.failure !== 'unavailable';
  }
  await store.transaction(async (sql) => {
    for (const notice of notices) await complete(sql, 'mails', notice);
  });
  return true;
}

function readEvent(content: string): AuditEvent {
  const { at, ...event } = JSON.parse(content) as Omit<AuditEvent, 'at'> & { at: number };
  return { ...event, at: new Date(at).toISOString() };
}
