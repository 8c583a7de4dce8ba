// The features for people: what they are made from, their settings, endpoints and jobs.
import { CommandError } from '../../scripts/system.ts';
import { HOUR_MS } from '../access/account.ts';
import type { BadAttempts } from '../access/attempts.ts';
import { isStrict, type ReachOptions, type ServeSettings } from '../commands/settings.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { ClientAddress, Endpoint } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import { sweep } from '../store/open.ts';
import type { Store } from '../store/sql.ts';
import { accountEndpoints } from './account/account.ts';
import { startAccountMails } from './account-mails.ts';
import { startAlerts } from './alerts/deliver.ts';
import { feedEndpoint } from './alerts/feed.ts';
import type { AddressPolicy } from './alerts/post.ts';
import { type Runner, runJobs } from './jobs.ts';
import { type Mailer, openMailer } from './mailer.ts';
import type { Platform } from './membership/platform.ts';
import { readPlatforms, webhookEndpoints } from './membership/webhooks.ts';
import type { QueryReader } from './read-address-terms.ts';
import { revocationEndpoint } from './revoke-key.ts';
import { ACCOUNT, closedEndpoint, SIGNUP, signupEndpoints } from './sign-up.ts';

/** What the pages and jobs for people are made from. Each of them names the members that it needs. */
interface Services extends QueryReader {
  store: Store;
  follower: DistFollower;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** Where people reach the gateway, without a path, such as `https://api.example.org`. Links in mails and messages begin with it. */
  publicUrl: () => string;
  clientAddress: ClientAddress;
  /** Counts attempts with keys, links and webhooks that are not valid, in this process. */
  badAttempts: BadAttempts;
  mailer: Mailer;
  platforms: readonly Platform[];
  /** Where memberships are sold: https addresses; empty if the operator names none. */
  joinLinks?: readonly { name: string; address: string }[];
  policy: AddressPolicy;
  /** Whether there are pages about games, to which messages link. */
  hasSite: boolean;
}

export type Needs<Name extends keyof Services> = Pick<Services, Name>;
export type VisitorServices = Needs<
  'store' | 'log' | 'publicUrl' | 'clientAddress' | 'badAttempts' | 'mailer'
>;
export type AccountServices = Omit<Services, 'hasSite'>;

/** The settings for people, from the command line and the environment. */
export interface PeopleSettings extends Needs<'platforms' | 'policy'> {
  /** Without a mailer, mails wait for a gateway that has one. */
  mailer: Mailer | undefined;
  /** For sign-up; without it, sign-up is closed. */
  signupMailer: Mailer | undefined;
  /** For the account pages; without it, they are closed. */
  accountMailer: Mailer | undefined;
}

type SignupChoice = ReachOptions & Partial<Pick<ServeSettings, 'signup'>>;

/**
 * Decides whether people may sign up, and whether there are account pages. A strict gateway needs a mail server, and a public URL for the links in
 * mails: the host that a request names can be forged. Account pages need TLS too, so that nobody on the network can read a session.
 *
 * @throws CommandError if something is missing for a feature that was turned on
 */
export function readPeopleSettings(options: SignupChoice, log: Log): PeopleSettings {
  const { signup, publicUrl } = options;
  const strict = isStrict(options);
  const open = () => openMailer(process.env, { hasOutbox: !strict, now: Date.now, log });
  const mailer = open();
  if (!mailer && signup)
    throw new CommandError('--signup on needs SMTP_URL where others can reach the gateway', 2);
  if (mailer && strict && signup !== false && publicUrl === undefined)
    throw new CommandError(
      'sign-up needs --public-url for the links in mails; set it, or turn sign-up off with --signup off',
      2,
    );
  const isReachable = !strict || publicUrl?.startsWith('https:') === true;
  const off = mailer ? '--public-url is not an address that begins with https://' : 'SMTP_URL is not set';
  if (!mailer || !isReachable) log.info(`the account page is off, because ${off}`);
  return {
    mailer,
    // With connections of their own, so that no visitor waits for alerts.
    signupMailer: signup === false ? undefined : open(),
    accountMailer: isReachable ? open() : undefined,
    platforms: readPlatforms(process.env),
    policy: { isStrict: strict },
  };
}

type PeopleOptions = PeopleSettings & Omit<Services, 'mailer'>;

/** The endpoints for people: sign-up, accounts, webhooks of platforms, and feeds. */
export function peopleEndpoints(options: PeopleOptions): Endpoint[] {
  const { signupMailer, accountMailer } = options;
  return [
    ...(signupMailer
      ? signupEndpoints({ ...options, mailer: signupMailer })
      : [closedEndpoint(SIGNUP, 'No sign-up', 'does not offer sign-up. Ask its operator for a key.')]),
    ...(accountMailer
      ? accountEndpoints({ ...options, mailer: accountMailer })
      : [closedEndpoint(ACCOUNT, 'No account page', 'has no account pages. Ask its operator instead.')]),
    revocationEndpoint(options),
    ...webhookEndpoints(options),
    feedEndpoint(options),
  ];
}

/** Starts the jobs for people: alerts, mails about accounts, and the sweep. `close` ends the work under way, or leaves it to other gateways. */
export function startPeopleJobs(options: Omit<PeopleOptions, 'routes' | 'read'>): Runner {
  const { store, log, now } = options;
  // By the store's clock and one that ignores jumps.
  const removeEnded = () => sweep(store, Math.min(store.now(), now())).then(() => false);
  const message = 'what has ended could not be removed from the store';
  const sweeping = runJobs([removeEnded], { interval: HOUR_MS, log, message });
  const jobs = [startAlerts(options), startAccountMails(options), sweeping];
  return { close: async () => void (await Promise.all(jobs.map((job) => job.close()))) };
}
