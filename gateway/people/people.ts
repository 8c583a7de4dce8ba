import type { DistFollower } from '../data/follow-dist.ts';
import type { ClientAddress, Endpoint } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import type { Store } from '../store/sql.ts';
import { BadAttempts } from '../access/attempts.ts';
import { accountEndpoints } from './account/account.ts';
import { ACCOUNT, closedAccountEndpoints } from './account/sign-in.ts';
import { startAccountMails } from './account-mails.ts';
import { Alerts, type ChannelState } from './alerts/deliver.ts';
import { feedEndpoint } from './alerts/feed.ts';
import type { AddressPolicy } from './alerts/post.ts';
import { cspReportEndpoint } from './csp-reports.ts';
import type { Mailer } from './mailer.ts';
import { claimEndpoints } from './membership/claims.ts';
import type { Platform } from './membership/platform.ts';
import { webhookEndpoints } from './membership/webhooks.ts';
import type { QueryReader } from './read-address-terms.ts';
import { revocationEndpoint } from './revoke-key.ts';
import { closedSignupEndpoints, signupEndpoints } from './sign-up.ts';

/** Options of the endpoints and jobs for people. */
export interface PeopleOptions extends QueryReader {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** Where people reach the gateway, without a path. */
  publicUrl: () => string;
  clientAddress: ClientAddress;
  /** Sends mails; without it, mails wait for a gateway that has a mailer. */
  mailer: Mailer | undefined;
  /** Sends the mails of sign-up; without it, sign-up is closed. */
  signupMailer: Mailer | undefined;
  /** Sends the mails of the account pages; without it, they are closed. */
  accountMailer: Mailer | undefined;
  /** Platforms that sell memberships. */
  platforms: readonly Platform[];
  /** Where people join them. */
  joinLinks?: readonly { name: string; address: string }[];
  /** Which addresses webhooks of accounts may have. */
  policy: AddressPolicy;
}

/** Options of the jobs for people. */
export interface JobOptions extends Omit<PeopleOptions, keyof QueryReader> {
  /** Whether there are pages about games, to which messages link. */
  hasSite: boolean;
}

/** Jobs that run beside requests. */
export interface PeopleJobs {
  /**
   * Reads the state of the alerts of each channel.
   *
   * @throws StoreError when the store does not respond
   */
  readAlerts(): Promise<ChannelState[]>;
  /** Ends what is under way, or leaves it to other gateways. */
  close(): Promise<void>;
}

/** The addresses for people: sign-up, accounts, claims of memberships, webhooks of platforms, and feeds. */
export function peopleEndpoints(options: PeopleOptions): Endpoint[] {
  const { store, log, now, publicUrl, clientAddress, follower, policy, platforms } = options;
  const { signupMailer, accountMailer, joinLinks = [] } = options;
  const badAttempts = new BadAttempts();
  const services = { store, log, now, publicUrl, clientAddress, badAttempts };
  const signup = signupMailer && { ...services, mailer: signupMailer };
  const hasClaims = signup !== undefined && platforms.length > 0;
  return [
    ...(signup ? signupEndpoints(signup) : closedSignupEndpoints()),
    ...(hasClaims ? claimEndpoints(signup) : []),
    ...(accountMailer
      ? accountEndpoints({
          ...services,
          ...{ routes: options.routes, read: options.read },
          mailer: accountMailer,
          follower,
          policy,
          hasClaims,
          joinLinks,
        })
      : closedAccountEndpoints()),
    revocationEndpoint(services),
    ...webhookEndpoints({ platforms, store, log, now }),
    feedEndpoint({ store, now, publicUrl }),
    cspReportEndpoint({ log, now }),
  ];
}

/** Starts the jobs for people: alerts, and mails about accounts. */
export function startPeopleJobs(options: JobOptions): PeopleJobs {
  const { follower, store, log, now, mailer, accountMailer, policy, publicUrl, hasSite } = options;
  const alerts = new Alerts({ follower, store, log, now, mailer, policy, publicUrl, hasSite });
  const page = () => (accountMailer ? publicUrl() + ACCOUNT : undefined);
  const mails = startAccountMails({ follower, store, log, now, mailer, page });
  return {
    readAlerts: () => alerts.readState(),
    async close() {
      await Promise.all([alerts.close(), mails.close()]);
    },
  };
}
