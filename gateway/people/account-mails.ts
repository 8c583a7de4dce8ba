// Mails about accounts: security events, and requested games that are available. They are rows of `mails`; among the gateways that share a store, one
// sends each mail.
import { type Account, TIERS, tierAt } from '../access/account.ts';
import { accountById, endPro, toIso } from '../store/accounts.ts';
import { type AuditRow, describeEvent } from '../store/audit.ts';
import { complete, fail, giveBack, type Leased, lease } from '../store/queues.ts';
import { type Runner, runJobs } from './jobs.ts';
import type { Mail, Mailer } from './mailer.ts';
import type { Needs } from './people.ts';
import { finishRequests } from './requests.ts';
import { describeTime } from './web.ts';

export interface AccountMailOptions extends Needs<'store' | 'follower' | 'log' | 'now'> {
  /** Without a mailer, mails wait in the queue for a gateway that has one. */
  mailer: Mailer | undefined;
  /** The address of the account page; undefined if there is none. */
  page: () => string | undefined;
  /** How often to check for due mails and available games, in ms. */
  interval?: number;
}

/** A row of `mails`. */
interface Notice extends Leased {
  account: string;
  content: string;
}

const INTERVAL_MS = 2000;
/** Twice the longest time that a mail takes: if the gateway dies while it sends one, another gateway sends it after this time. */
const LEASE_MS = 60_000;
/** How often an account's view is read until it has the game. */
const AGAIN_MS = 5 * 60_000;
/** How many events a mail lists, and how many it counts. */
const MAX_LISTED = 30;
const MAX_REPORTED = 500;
/** Selects the events of the account that has waited longest. */
const OF_ONE_ACCOUNT = `kind = 'security' AND account = (
  SELECT account FROM mails WHERE kind = 'security' AND done_at IS NULL AND failed_at IS NULL AND due_at <= $1 AND leased_until <= $1
  ORDER BY due_at, id LIMIT 1)`;

/** Starts sending the mails. `close` stops after the mail that is being sent. */
export function startAccountMails(options: AccountMailOptions): Runner {
  const { log, interval = INTERVAL_MS, mailer } = options;
  const finish = async () => {
    const { games } = options.follower.catalog.viewAt(options.now(), 'pro');
    for (const request of await finishRequests(options.store, games))
      log.info('a requested game is available', { request });
    return false;
  };
  const senders = mailer ? [() => sendEvents(options, mailer), () => sendAvailable(options, mailer)] : [];
  const message = 'mails about accounts failed, and will be retried';
  return runJobs([() => endPro(options.store), finish, ...senders], { interval, log, message });
}

/** Sends the events of one account in a mail. @returns whether another mail may be due now */
async function sendEvents({ store, log, page }: AccountMailOptions, mailer: Mailer): Promise<boolean> {
  const notices = await lease<Notice>(store, 'mails', {
    ...{ lease: LEASE_MS, limit: MAX_REPORTED, where: OF_ONE_ACCOUNT, values: [store.now()] },
  });
  const [first] = notices;
  const account = first && (await accountById(store, first.account));
  if (!account) return false;
  const events = notices.map(({ content }) => JSON.parse(content) as AuditRow);
  return await sendMail(eventsMail(account, events, page()), notices, { store, log, mailer });
}

/** Sends a supporter the mail that a game is available, as soon as the supporter's account can see the game. */
async function sendAvailable(
  { store, log, follower, now }: AccountMailOptions,
  mailer: Mailer,
): Promise<boolean> {
  const where = "kind = 'game-request'";
  const [notice] = await lease<Notice>(store, 'mails', { lease: LEASE_MS, limit: 1, where });
  if (!notice) return false;
  const account = await accountById(store, notice.account);
  const request = await store.get<{ name: string; game: string }>(
    `SELECT name, game FROM requests JOIN votes ON votes.request = requests.id
     WHERE requests.id = $1 AND votes.account = $2 AND game IS NOT NULL`,
    [Number(notice.content), notice.account],
  );
  if (!account || !request) {
    await complete(store, 'mails', notice);
    return true;
  }
  if (follower.catalog.viewAt(now(), tierAt(account, now())).games.has(request.game))
    return await sendMail(availableMail(account, request, now()), [notice], { store, log, mailer });
  await giveBack(store, 'mails', notice, store.now() + AGAIN_MS);
  return true;
}

/** Sends a mail, then completes its notices or notes their failure. @returns whether another mail may be sent now */
async function sendMail(
  mail: Mail,
  notices: readonly Notice[],
  { store, log, mailer }: Needs<'store' | 'log' | 'mailer'>,
): Promise<boolean> {
  const failure = await mailer.send(mail);
  if (failure) {
    log.error('a mail about an account could not be sent', { ...failure });
    const { error } = failure;
    const isFinal = failure.failure === 'refused';
    for (const notice of notices) await fail(store, 'mails', notice, { error, isFinal });
    return isFinal;
  }
  await store.transaction(async (sql) => {
    for (const notice of notices) await complete(sql, 'mails', notice);
  });
  return true;
}

/** @param events oldest first @param page the address of the account page, if there is one */
function eventsMail(account: Account, events: readonly AuditRow[], page: string | undefined): Mail {
  const [first] = events;
  const isOne = events.length === 1 && first !== undefined;
  const lines = events.slice(0, MAX_LISTED).map((event) => {
    const from = event.network === null ? '' : `, from the network ${event.network}`;
    return `- ${describeTime(toIso(event.at))}: ${describeEvent(event)}${from}`;
  });
  const more = events.length > MAX_LISTED ? `\nand ${events.length - MAX_LISTED} more` : '';
  const advice = page
    ? `end its sessions and revoke its keys at\n${page}`
    : 'ask the operator to revoke its keys';
  return {
    to: account.email,
    subject: isOne
      ? (describeTier(first) ?? `Your account: ${describeEvent(first)}`)
      : `Your account: ${events.length} events`,
    text: `This happened to your Game Data Read API account:

${lines.join('\n')}${more}

If it was you, or you expected it, there is nothing to do. If not,
${advice}

--
You receive these mails because they are about the security of your account.
They cannot be turned off. Several events within a short time come in one mail.
`,
  };
}

/** Says what a change of memberships means for the account; undefined for other events. */
function describeTier({ event, about }: AuditRow): string | undefined {
  if (event !== 'membership.changed' || about === null) return undefined;
  const [, until] = /^pro until (\S+)$/.exec(about) ?? [];
  if (until !== undefined) return `You are Pro until ${describeTime(until)}`;
  return about === 'pro' ? 'You are Pro' : 'You are no longer Pro';
}

function availableMail(account: Account, { name, game }: { name: string; game: string }, now: number): Mail {
  const { delayHours } = TIERS[tierAt(account, now)];
  const delay = `\nWith a free key, a build becomes visible ${delayHours} hours after its release.\n`;
  return {
    to: account.email,
    subject: `${name} is available`,
    text: `You requested ${name} at the Game Data Read API. It is available now. Its
roster is at

    /api/${game}/characters
${delayHours === 0 ? '' : delay}
--
You receive this mail once, because your account requested or supported this game.
`,
  };
}
