import { Argument, Command } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import { type Account, TIERS, type Tier, tierAt } from '../../access/account.ts';
import { describeUsage } from '../../access/charge.ts';
import { readCountersOf } from '../../access/quota.ts';
import { describeKey, readGrant, UNTIL_OPTION } from '../../commands/keys.ts';
import {
  addStoreOptions,
  type Clock,
  formatTable,
  parseEmail,
  print,
  printReport,
  withStore,
  type StoreOptions,
} from '../../commands/store.ts';
import { findAccount, grantTier } from '../../store/accounts.ts';
import { keysOf } from '../../store/keys.ts';
import { nameStore } from '../../store/open.ts';
import type { Store } from '../../store/sql.ts';
import { readEvents } from '../audit.ts';
import { describeMembership, membershipsOf } from '../membership/membership.ts';
import { deleteAccount, exportAccount } from '../privacy.ts';

/** Adds a command on an account, with the argument `<email>` and examples of its use. */
export function onAccount(parent: Command, name: string, description: string, examples: string): Command {
  return addStoreOptions(parent.command(name))
    .description(description)
    .argument('<email>', 'the email address of the account', parseEmail)
    .addHelpText('after', examples);
}

/** Opens the store, runs work on an account, and closes the store. @throws CommandError if the email address has no account */
export async function withAccount<T>(
  address: string,
  email: string,
  work: (store: Store, account: Account) => Promise<T>,
): Promise<T> {
  return await withStore(address, async (store) => {
    return await work(store, (await findAccount(store, email)) ?? refuseUnknown(email, address));
  });
}

function refuseUnknown(email: string, store: string): never {
  throw new CommandError(
    `no account of ${email} in the store ${nameStore(store)}; gateway keys list shows all accounts`,
  );
}

/** `gateway accounts`: show, grant, export and delete accounts, also while gateways run on the same store. @param now ms since 1970 */
export function accountsCommand(now: Clock = Date.now): Command {
  const accounts = new Command('accounts');
  onAccount(
    accounts,
    'show',
    'show an account: its tier, keys, memberships and usage',
    `
Examples:
  gateway accounts show ada@example.org
  gateway accounts show ada@example.org --json`,
  ).action((email: string, options: StoreOptions) => show(email, options, now));
  onAccount(
    accounts,
    'grant',
    'give an account a tier; running gateways apply it within a second',
    `
Examples:
  gateway accounts grant ada@example.org pro --until 2031-01-01
  gateway accounts grant ada@example.org free`,
  )
    .addArgument(
      new Argument(
        '<tier>',
        'the tier to grant; if memberships grant a better tier, that one counts',
      ).choices(['free', 'pro']),
    )
    .option(...UNTIL_OPTION)
    .action((email: string, tier: Tier, options: GrantOptions) => grant(email, tier, options, now));
  onAccount(
    accounts,
    'export',
    'print everything that is stored about a person, as JSON',
    `
Examples:
  gateway accounts export ada@example.org > ada.json`,
  ).action(printExport);
  addStoreOptions(accounts.command('audit'))
    .description('print what happened to an account, or to all, as a line of JSON for each event')
    .argument('[email]', 'the email address of the account (default: all accounts)', parseEmail)
    .addHelpText(
      'after',
      `
Each account keeps its last 100 events, for 90 days.

Examples:
  gateway accounts audit ada@example.org
  gateway accounts audit > audit.ndjson`,
    )
    .action(printEvents);
  onAccount(
    accounts,
    'delete',
    'delete everything about a person except the count of requests; running gateways refuse the keys within a second',
    `
Examples:
  gateway accounts export ada@example.org > ada.json && gateway accounts delete ada@example.org`,
  ).action(removeAccount);
  return accounts;
}

interface GrantOptions extends StoreOptions {
  until?: string;
}

async function show(email: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const { account, keys, memberships, counters } = await withAccount(
    store,
    email,
    async (opened, account) => ({
      account,
      keys: await keysOf(opened, account.id),
      memberships: (await membershipsOf(opened, account)).map(describeMembership),
      counters: await readCountersOf(opened, account),
    }),
  );
  const tier = tierAt(account, now());
  const { limits } = TIERS[tier];
  const usage = limits && describeUsage(counters, limits);
  const reports = keys.map((key) => describeKey({ key, account }, now()));
  const { created_at, pro_until } = account;
  if (json) {
    const used = usage && { minute: usage.minute.used, day: usage.day.used };
    return print(
      JSON.stringify({ email, tier, pro_until, created_at, limits, used, keys: reports, memberships }),
    );
  }
  const used = usage
    ? `${usage.minute.used} of ${limits.minute} in 60 s, ${usage.day.used} of ${limits.day} today`
    : '-';
  const head = { email, tier, pro_until: pro_until ?? '-', created: created_at, used };
  const keyRows = reports.map((key) =>
    [key.prefix, key.created_at, key.revoked_at, key.expires_at, key.name].map((cell) => cell ?? '-'),
  );
  const memberRows = memberships.map((each) => [each.member, each.standing, each.pro_until ?? '-']);
  const tables = [
    Object.entries(head),
    [['key', 'created', 'revoked', 'expires', 'name'], ...keyRows],
    ...(memberRows.length > 0 ? [[['membership', 'standing', 'pro_until'], ...memberRows]] : []),
  ];
  print(tables.map(formatTable).join('\n\n'));
}

async function grant(email: string, tier: Tier, options: GrantOptions, now: Clock): Promise<void> {
  const terms = readGrant(tier, options.until, now());
  const account = await withAccount(options.store, email, (store, { id }) =>
    store.transaction((sql) => grantTier(sql, id, terms)),
  );
  if (account)
    printReport({ email, tier: tierAt(account, now()), pro_until: account.pro_until }, options.json);
}

async function printExport(email: string, { store, json }: StoreOptions): Promise<void> {
  const data = await withStore(
    store,
    async (opened) => (await exportAccount(opened, email)) ?? refuseUnknown(email, store),
  );
  print(JSON.stringify(data, null, json ? 0 : 2));
}

/** Prints the events of one account, or of all, the oldest first. */
async function printEvents(email: string | undefined, { store }: StoreOptions): Promise<void> {
  const found = await withStore(store, async (opened) => {
    const all = email
      ? [(await findAccount(opened, email)) ?? refuseUnknown(email, store)]
      : await opened.all<{ id: string; email: string }>('SELECT id, email FROM accounts ORDER BY email');
    const lines: object[] = [];
    for (const account of all)
      for (const { at, ...event } of (await readEvents(opened, account.id)).reverse())
        lines.push({ at, email: account.email, ...event });
    return lines;
  });
  for (const line of found) print(JSON.stringify(line));
}

async function removeAccount(email: string, { store, json }: StoreOptions): Promise<void> {
  const keys = await withStore(store, async (opened) => {
    const account = await findAccount(opened, email);
    const keys = account && (await keysOf(opened, account.id)).length;
    return (await deleteAccount(opened, email)) ? keys : refuseUnknown(email, store);
  });
  if (json) return print(JSON.stringify({ email, keys: keys ?? 0 }));
  print(
    keys === undefined
      ? `deleted the links and memberships that waited for an account of ${email}; nothing is left`
      : `deleted the account of ${email} with ${keys} ${keys === 1 ? 'key' : 'keys'}; only its count of requests, without the address, stays until midnight UTC`,
  );
}
