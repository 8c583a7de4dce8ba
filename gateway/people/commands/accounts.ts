import { Command, Option } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import { type Account, describeUsage, TIERS, type Tier, tierAt } from '../../access/account.ts';
import { readCountersOf } from '../../access/quota.ts';
import { describeKey, readGrant, untilOption } from '../../commands/keys.ts';
import {
  addCommand,
  type Clock,
  formatTable,
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
import { describeMembership, listMemberships } from '../membership/membership.ts';
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
      return await run(store, await accountOf(store, email), options, ...rest);
    },
  });
}

async function accountOf(store: Store, email: string): Promise<Account> {
  return (await findAccount(store, email)) ?? refuseUnknown(store, email);
}

/** @param hint names the command that helps @throws CommandError */
export function refuseUnknown(
  store: Store,
  email: string,
  hint = 'gateway keys list shows all accounts',
): never {
  throw new CommandError(`no account of ${email} in the store ${store.name}; ${hint}`);
}

/** `gateway accounts`: shows, grants, exports and deletes accounts, also while gateways use the store. @param now ms since 1970 */
export function accountsCommand(now: Clock = Date.now): Command {
  const accounts = new Command('accounts');
  addAccountCommand(accounts, 'show', {
    about: 'show an account: its tier, keys, memberships and usage',
    run: (store, account) => show(store, account, now()),
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
    async run(store, _, email: string | undefined) {
      const all: Pick<Account, 'id' | 'email'>[] = email
        ? [await accountOf(store, email)]
        : await store.all('SELECT id, email FROM accounts ORDER BY email');
      const lines: string[] = [];
      for (const account of all)
        for (const { at, ...event } of (await readEvents(store, account.id)).reverse())
          lines.push(JSON.stringify({ at, email: account.email, ...event }));
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

/** The memberships that the account claimed, and those of its email address that nobody claimed. */
const OWN_MEMBERSHIPS = 'WHERE account = $1 OR (account IS NULL AND email = $2)';

async function show(store: Store, account: Account, now: number): Promise<Report> {
  const { email, created_at, pro_until } = account;
  const keys = (await keysOf(store, account.id)).map((key) => describeKey({ key, account }, now));
  const memberships = (await listMemberships(store, OWN_MEMBERSHIPS, [account.id, email])).map(
    describeMembership,
  );
  const tier = tierAt(account, now);
  const { limits } = TIERS[tier];
  const { minute, day } = limits ? describeUsage(await readCountersOf(store, account), limits) : {};
  const used = minute && day && { minute: minute.used, day: day.used };
  const head = {
    ...{ email, tier, pro_until, created: created_at },
    used: used && `${used.minute} of ${limits?.minute} in 60 s, ${used.day} of ${limits?.day} today`,
  };
  const keyRows = keys.map((key) => [key.prefix, key.created_at, key.revoked_at, key.expires_at, key.name]);
  const memberRows = memberships.map((each) => [each.member, each.standing, each.pro_until]);
  const tables = [
    Object.entries(head),
    [['key', 'created', 'revoked', 'expires', 'name'], ...keyRows],
    ...(memberRows.length > 0 ? [[['membership', 'standing', 'pro_until'], ...memberRows]] : []),
  ];
  const json = { email, tier, pro_until, created_at, limits, used, keys, memberships };
  return { text: tables.map(formatTable).join('\n\n'), json };
}

export function distOption(): Option {
  const about = 'the folder of the games; if the gateway reads dist from elsewhere, the folder of its copy';
  return new Option('--dist <folder>', about).env('GATEWAY_DIST').default('dist');
}
