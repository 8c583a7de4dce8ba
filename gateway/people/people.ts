import { BadAttempts } from '../access/attempts.ts';
import type { Endpoint } from '../http/incoming.ts';
import { accountEndpoints } from './account/account.ts';
import { ACCOUNT, closedAccountEndpoints } from './account/sign-in.ts';
import { startAccountMails } from './account-mails.ts';
import { Alerts, type ChannelState } from './alerts/deliver.ts';
import { feedEndpoint } from './alerts/feed.ts';
import { cspReportEndpoint } from './csp-reports.ts';
import type { Mailer } from './mailer.ts';
import { claimEndpoints } from './membership/claims.ts';
import { webhookEndpoints } from './membership/webhooks.ts';
import { revocationEndpoint } from './revoke-key.ts';
import type { Services } from './services.ts';
import { closedSignupEndpoints, signupEndpoints } from './sign-up.ts';

export interface PeopleOptions extends Omit<Services, 'mailer' | 'badAttempts' | 'hasClaims' | 'hasSite'> {
  /** Without a mailer, mails wait for a gateway that has one. */
  mailer: Mailer | undefined;
  /** For sign-up; without it, sign-up is closed. */
  signupMailer: Mailer | undefined;
  /** For the account pages; without it, they are closed. */
  accountMailer: Mailer | undefined;
}

export type JobOptions = Omit<PeopleOptions, 'routes' | 'read'> & Pick<Services, 'hasSite'>;

export interface PeopleJobs {
  /** @throws StoreError when the store does not respond */
  readAlerts(): Promise<ChannelState[]>;
  /** Ends the work under way, or leaves it to other gateways. */
  close(): Promise<void>;
}

/** The endpoints for people: sign-up, accounts, claims of memberships, webhooks of platforms, and feeds. */
export function peopleEndpoints(options: PeopleOptions): Endpoint[] {
  const { signupMailer, accountMailer, platforms } = options;
  const hasClaims = signupMailer !== undefined && platforms.length > 0;
  const services = { ...options, badAttempts: new BadAttempts(), hasClaims };
  const signup = signupMailer && { ...services, mailer: signupMailer };
  return [
    ...(signup ? signupEndpoints(signup) : closedSignupEndpoints()),
    ...(signup && hasClaims ? claimEndpoints(signup) : []),
    ...(accountMailer ? accountEndpoints({ ...services, mailer: accountMailer }) : closedAccountEndpoints()),
    revocationEndpoint(services),
    ...webhookEndpoints(options),
    feedEndpoint(options),
    cspReportEndpoint(options),
  ];
}

/** Starts the jobs for people: alerts, and mails about accounts. */
export function startPeopleJobs(options: JobOptions): PeopleJobs {
  const alerts = new Alerts(options);
  const page = () => (options.accountMailer ? options.publicUrl() + ACCOUNT : undefined);
  const mails = startAccountMails({ ...options, page });
  return {
    readAlerts: () => alerts.readState(),
    async close() {
      await Promise.all([alerts.close(), mails.close()]);
    },
  };
}
