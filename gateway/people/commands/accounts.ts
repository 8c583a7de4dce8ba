import { Command } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import { type Account, describeUsage, TIERS, type Tier, tierAt } from '../../access/account.ts';
import { readCountersOf } from '../../access/quota.ts';
import { describeKey, readGrant, untilOption } from '../../commands/keys.ts';
import {
  addCommand,
  type Clock,
  parseEmail,
  type Report,
  reportOn,
  type StoreCommand,
  type StoreOptions,
} from '../../commands/store.ts';
import { findAccount, grantTier } from '../../store/accounts.ts';
import { readEvents } from '../../store/audit.ts';
import { keysOf } from '../../store/keys.ts';
import type { Store } from '../../store/sql.ts';
import { describeMembership, listMemberships, OF_PERSON } from '../membership/membership.ts';
import { deleteAccount, exportAccount } from '../privacy.ts';

/** A command whose first argument is the email address of an account. */
type AccountCommand<Options> = Omit<StoreCommand<Options>, 'run'> & {
  run(store: Store, account: Account, options: Options & StoreOptions, ...args: never[]): Promise<Report>;
};

const EMAIL = ['<email>', 'the email address of the account', parseEmail] as const;

/** Adds a command on an account. It fails if the email address has no account. */
export function addAccountCommand<Options = object>(
  parent: Command,
  name: string,
  { args = [], run, ...command }: AccountCommand<Options>,
): void {
  addCommand<Options>(parent, name, {
    ...command,
    args: [[...EMAIL], ...args],
    async run(store, options, email: string, ...rest: never[]) {
      const account = (await findAccount(store, email)) ?? refuseUnknown(store, email);
      return await run(store, account, options, ...rest);
    },
  });
}

/** @throws CommandError */
function refuseUnknown(store: Store, email: string): never {
  throw new CommandError(
    `no account of ${email} in the store ${store.name}; gateway keys list shows all accounts`,
  );
}

/** `gateway accounts`: shows, grants, exports and deletes accounts, also while gateways use the store. @param now ms since 1970 */
export function accountsCommand(now: Clock = Date.now): Command {
  const accounts = new Command('accounts');
  addAccountCommand(accounts, 'show', {
    about: 'show an account: its tier, usage, keys and memberships',
    async run(store, account) {
      const { id, email, created_at, pro_until } = account;
      const tier = tierAt(account, now());
      const { limits } = TIERS[tier];
      const usage = limits && describeUsage(await readCountersOf(store, account), limits);
      const used =
        usage &&
        `${usage.minute.used} of ${limits.minute} in 60 s, ${usage.day.used} of ${limits.day} today`;
      const keys = (await keysOf(store, id)).map((key) => {
        const { email: _, tier: __, pro_until: ___, ...report } = describeKey({ key, account }, now());
        return report;
      });
      const memberships = (await listMemberships(store, OF_PERSON, [id, email])).map(describeMembership);
      return reportOn({ email, tier, pro_until, created_at, used, keys, memberships });
    },
  });
  addAccountCommand<{ until?: string }>(accounts, 'grant', {
    about: 'give an account a tier; running gateways apply it within a second',
    args: [
      ['<tier>', 'the tier to grant; if memberships grant a better tier, that one counts', ['free', 'pro']],
    ],
    options: [untilOption()],
    examples: ['ada@example.org pro --until 2031-01-01', 'ada@example.org free'],
    async run(store, { id, email }, { until }, tier: Tier) {
      const terms = readGrant(tier, until, now());
      const account =
        (await store.transaction((sql) => grantTier(sql, id, terms))) ?? refuseUnknown(store, email);
      return reportOn({ email, tier: tierAt(account, now()), pro_until: account.pro_until });
    },
  });
  addCommand(accounts, 'export', {
    about: 'print everything that is stored about a person, as JSON',
    args: [[...EMAIL]],
    async run(store, _, email: string) {
      const json = (await exportAccount(store, email)) ?? refuseUnknown(store, email);
      return { text: JSON.stringify(json, null, 2), json };
    },
  });
  addCommand(accounts, 'audit', {
    about: 'print what happened to an account, or to all, as a line of JSON for each event',
    args: [['[email]', 'the email address of the account (default: all accounts)', parseEmail]],
    note: 'Each account keeps its last 100 events, for 90 days.',
    async run(store, _, only = '') {
      const all = await store.all<Pick<Account, 'id' | 'email'>>(
        "SELECT id, email FROM accounts WHERE $1 IN (email, '') ORDER BY email",
        [only],
      );
      if (only !== '' && all.length === 0) refuseUnknown(store, only);
      const lines: string[] = [];
      for (const { id, email } of all)
        for (const { at, ...event } of (await readEvents(store, id)).reverse())
          lines.push(JSON.stringify({ at, email, ...event }));
      return { text: lines.join('\n') };
    },
  });
  addCommand(accounts, 'delete', {
    about:
      'delete everything about a person except the count of requests; running gateways refuse the keys within a second',
    args: [[...EMAIL]],
    async run(store, _, email: string) {
      const account = await findAccount(store, email);
      const keys = account ? (await keysOf(store, account.id)).length : 0;
      if (!(await deleteAccount(store, email))) refuseUnknown(store, email);
      const text = account
        ? `deleted the account of ${email} with ${keys} ${keys === 1 ? 'key' : 'keys'}; only its count of requests, without the address, stays until midnight UTC`
        : `deleted the links and memberships that waited for an account of ${email}; nothing is left`;
      return { text, json: { email, keys } };
    },
  });
  return accounts;
}
