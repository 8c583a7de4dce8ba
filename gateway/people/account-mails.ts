// Mails about accounts: security events, and requested games that are available. They are rows of `mails`; among the gateways that share a store, one
// sends each mail.
import { type Account, TIERS, tierAt } from '../access/account.ts';
import { accountById, endPro } from '../store/accounts.ts';
import { describeEvent, type LogEntry } from '../store/audit.ts';
import { complete, fail, giveBack, type Leased, lease } from '../store/queues.ts';
import { type Runner, runJobs } from './jobs.ts';
import type { Mail, Mailer } from './mailer.ts';
import type { Needs } from './people.ts';
import { finishRequests } from './requests.ts';
import { ACCOUNT } from './sign-up.ts';
import { describeTime } from './web.ts';

export interface AccountMailOptions extends Needs<'store' | 'follower' | 'log' | 'now' | 'publicUrl'> {
  /** Without a mailer, mails wait in the queue for a gateway that has one. */
  mailer: Mailer | undefined;
  /** How often to check for due mails and available games, in ms. */
  interval?: number;
}

/** A row of `mails`. */
interface Notice extends Leased {
  account: string;
  content: string;
}

type Kind = 'security' | 'game-request';

const INTERVAL_MS = 2000;
/** Twice the longest time that a mail takes: if the gateway dies while it sends one, another gateway sends it after this time. */
const LEASE_MS = 60_000;
/** How often an account's view is read until it has the game. */
const AGAIN_MS = 60 * 60_000;
/** How many events a mail lists. */
const MAX_LISTED = 100;
/** Selects what the account has that has waited longest. */
const OF_ONE_ACCOUNT = `kind = $2 AND account = (
  SELECT account FROM mails WHERE kind = $2 AND done_at IS NULL AND failed_at IS NULL AND due_at <= $1 AND leased_until <= $1
  ORDER BY due_at, id LIMIT 1)`;

/** Starts sending the mails. `close` stops after the mail that is being sent. */
export function startAccountMails(options: AccountMailOptions): Runner {
  const { store, log, now, interval = INTERVAL_MS, mailer } = options;
  const finish = async () => {
    const { games } = options.follower.catalog.viewAt(options.now(), 'pro');
    for (const request of await finishRequests(store, games))
      log.info('a requested game is available', { request });
    return false;
  };
  const send = (kind: Kind) => () => (mailer ? sendNext(kind, options, mailer) : Promise.resolve(false));
  const steps = [() => endPro(store, now), finish, send('security'), send('game-request')];
  return runJobs(steps, { interval, log, message: 'mails about accounts failed, and will be retried' });
}

/** Sends one mail: the events of an account, or that a game is available. @returns whether another mail may be due now */
async function sendNext(kind: Kind, options: AccountMailOptions, mailer: Mailer): Promise<boolean> {
  const { store, log } = options;
  const limit = kind === 'security' ? MAX_LISTED : 1;
  const values = [store.now(), kind];
  const terms = { lease: LEASE_MS, limit, where: OF_ONE_ACCOUNT, values };
  const notices = await lease<Notice>(store, 'mails', terms);
  const [first] = notices;
  if (!first) return false;
  const account = await accountById(store, first.account);
  const write = kind === 'security' ? writeEvents : writeAvailable;
  const mail = account && (await write(account, notices, options));
  if (mail === 'later') {
    await giveBack(store, 'mails', first, store.now() + AGAIN_MS);
    return true;
  }
  const failure = mail && (await mailer.send(mail));
  if (failure) {
    log.error('a mail about an account could not be sent', { ...failure });
    const isFinal = failure.failure === 'refused';
    for (const notice of notices) await fail(store, 'mails', notice, { error: failure.error, isFinal });
    return isFinal;
  }
  await store.transaction(async (sql) => {
    for (const notice of notices) await complete(sql, 'mails', notice);
  });
  return true;
}

async function writeEvents(
  { email: to }: Account,
  notices: readonly Notice[],
  { publicUrl }: AccountMailOptions,
): Promise<Mail> {
  const events = notices.map(({ content }) => JSON.parse(content) as LogEntry);
  const lines = events.map((event) => {
    const from = event.network === null ? '' : `, from the network ${event.network}`;
    return `- ${describeTime(event.at)}: ${describeEvent(event)}${from}`;
  });
  const [first] = events;
  const subject =
    first && events.length === 1
      ? (describeTier(first) ?? `Your account: ${describeEvent(first)}`)
      : `Your account: ${events.length} events`;
  const text = `This happened to your Game Data Read API account:

${lines.join('\n')}

If it was you, or you expected it, there is nothing to do. If not,
end its sessions and revoke its keys at
${publicUrl()}${ACCOUNT}

--
You receive these mails because they are about the security of your account.
They cannot be turned off. Several events within a short time come in one mail.
`;
  return { to, subject, text };
}

/** Says what a change of memberships means for the account; undefined for other events. */
function describeTier({ event, about }: LogEntry): string | undefined {
  if (event !== 'membership.changed' || about === null) return undefined;
  const [, until] = /^pro until (\S+)$/.exec(about) ?? [];
  if (until !== undefined) return `You are Pro until ${describeTime(until)}`;
  return about === 'pro' ? 'You are Pro' : 'You are no longer Pro';
}

/** @returns `later` if the account cannot see the game yet; undefined if it no longer supports the request */
async function writeAvailable(
  account: Account,
  [notice]: readonly Notice[],
  { store, follower, now, publicUrl }: AccountMailOptions,
): Promise<Mail | 'later' | undefined> {
  const request = await store.get<{ name: string; game: string }>(
    `SELECT name, game FROM requests JOIN votes ON votes.request = requests.id
     WHERE requests.id = $1 AND votes.account = $2 AND game IS NOT NULL`,
    [Number(notice?.content), account.id],
  );
  if (!request) return undefined;
  const { name, game } = request;
  const tier = tierAt(account, now());
  if (!follower.catalog.viewAt(now(), tier).games.has(game)) return 'later';
  const { delayHours } = TIERS[tier];
  const delay = `\nWith a free key, a build becomes visible ${delayHours} hours after its release.\n`;
  const text = `You requested ${name} at the Game Data Read API. It is available now. Its
roster is at

    ${publicUrl()}/api/${game}/characters
${delayHours === 0 ? '' : delay}
--
You receive this mail once, because your account requested or supported this game.
`;
  return { to: account.email, subject: `${name} is available`, text };
}
