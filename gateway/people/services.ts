import type { BadAttempts } from '../access/attempts.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { ClientAddress } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import type { Store } from '../store/sql.ts';
import type { AddressPolicy } from './alerts/post.ts';
import type { Mailer } from './mailer.ts';
import type { Platform } from './membership/platform.ts';
import type { QueryReader } from './read-address-terms.ts';

/** What the pages and jobs for people are made from. Each of them names the members that it needs. */
export interface Services extends QueryReader {
  store: Store;
  follower: DistFollower;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** Where people reach the gateway, without a path, such as `https://api.example.org`. Links in mails and messages begin with it. */
  publicUrl: () => string;
  clientAddress: ClientAddress;
  /** Counts attempts with links and keys that do not work. */
  badAttempts: BadAttempts;
  mailer: Mailer;
  platforms: readonly Platform[];
  /** Where memberships are sold: https addresses; empty if the operator names none. */
  joinLinks?: readonly { name: string; address: string }[];
  /** Whether people can claim memberships of other email addresses. */
  hasClaims: boolean;
  policy: AddressPolicy;
  /** Whether there are pages about games, to which messages link. */
  hasSite: boolean;
}

export type Needs<Name extends keyof Services> = Pick<Services, Name>;
export type VisitorServices = Needs<
  'store' | 'log' | 'publicUrl' | 'clientAddress' | 'badAttempts' | 'mailer'
>;
export type AccountServices = Omit<Services, 'platforms' | 'hasSite'>;
