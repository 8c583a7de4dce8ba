import type { AccountKeeper } from '../store/accounts/ports.ts';
import { membershipGrants } from './membership/memberships.ts';
import { recordEvent } from './audit/audit-log.ts';

/** Keeps the log of an account, and grants what its memberships do. */
export const ACCOUNT_KEEPER: AccountKeeper = { record: recordEvent, grants: membershipGrants };
