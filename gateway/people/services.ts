import type { BadAttempts } from '../access/attempts.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { ClientAddress } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import type { Store } from '../store/sql.ts';
import type { AddressPolicy } from './alerts/post.ts';
import type { Mailer } from './mailer.ts';
import type { Platform } from './membership/platform.ts';
import type { QueryReader } from './read-address-terms.ts';

/** What the pages and jobs for people are made of. Each names what it needs. */
export interface Services extends QueryReader {
  store: Store;
  follower: DistFollower;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** Where people reach the gateway, without a path, such as `https://api.example.org`: links in mails and messages begin with it. */
  publicUrl: () => string;
  clientAddress: ClientAddress;
  /** Counts links and keys that do not work. */
  badAttempts: BadAttempts;
  mailer: Mailer;
  /** Platforms that sell memberships. */
  platforms: readonly Platform[];
  /** Where people join them, at https addresses; empty if the operator does not say. */
  joinLinks?: readonly { name: string; address: string }[];
  /** Whether memberships under other email addresses can be claimed. */
  hasClaims: boolean;
  /** Which addresses webhooks of accounts may have. */
  policy: AddressPolicy;
  /** Whether there are pages about games, to which messages link. */
  hasSite: boolean;
}

export type Needs<Name extends keyof Services> = Pick<Services, Name>;
/** What the pages of sign-up, sign-in and claims need. */
export type VisitorServices = Needs<
  'store' | 'log' | 'publicUrl' | 'clientAddress' | 'badAttempts' | 'mailer'
>;
/** What the account pages need. */
export type AccountServices = Omit<Services, 'platforms' | 'hasSite'>;
