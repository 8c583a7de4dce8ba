import { Argument, Command } from 'commander';
import { type Tier, tierAt, TIERS } from '../../access/account.ts';
import { type Counters, describeUsage } from '../../access/charge.ts';
import { readCountersOf } from '../../access/quota.ts';
import { describeKey, readGrant, UNTIL_OPTION } from '../../commands/keys.ts';
import {
  addStoreOptions,
  type Clock,
  formatTable,
  parseEmail,
  print,
  printReport,
  type StoreOptions,
  withStore,
} from '../../commands/store.ts';
import { transact } from '../../store/records.ts';
import { accountByEmail, type AccountRecord, grantTier } from '../accounts/account-records.ts';
import { describeMembership, type Membership } from '../membership/membership.ts';
import { membershipsOf } from '../membership/memberships.ts';
import { deleteAccount, exportAccount } from '../privacy/personal-data.ts';
import { refuseUnknown } from './account-command.ts';
import { printEvents } from './accounts-audit.ts';

/**
 * `gateway accounts`: show, grant, export and delete accounts, also while gateways run on the same store.
 *
 * @param now milliseconds since 1970
 */
export function accountsCommand(now: Clock = Date.now): Command {
  const accounts = new Command('accounts');
  addStoreOptions(accounts.command('show'))
    .description('show an account: its tier, keys, memberships and usage')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addHelpText('after', EXAMPLES.show)
    .action((email: string, options: StoreOptions) => showAccount(email, options, now));
  addStoreOptions(accounts.command('grant'))
    .description('give an account a tier; running gateways apply it within a second')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addArgument(
      new Argument(
        '<tier>',
        'the tier to grant; if memberships grant a better tier, that one counts',
      ).choices(['free', 'pro']),
    )
    .option(...UNTIL_OPTION)
    .addHelpText('after', EXAMPLES.grant)
    .action((email: string, tier: Tier, options: GrantOptions) => grant(email, tier, options, now));
  addStoreOptions(accounts.command('export'))
    .description('print everything that is stored about a person, as JSON')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addHelpText('after', EXAMPLES.export)
    .action((email: string, options: StoreOptions) => printExport(email, options));
  addStoreOptions(accounts.command('audit'))
    .description('print what happened to an account, or to all, as a line of JSON for each event')
    .argument('[email]', 'the email address of the account (default: all accounts)', parseEmail)
    .addHelpText('after', EXAMPLES.audit)
    .action((email: string | undefined, options: StoreOptions) => printEvents(email, options));
  addStoreOptions(accounts.command('delete'))
    .description(
      'delete everything about a person except the count of requests; running gateways refuse the keys within a second',
    )
    .argument('<email>', 'the email address of the account', parseEmail)
    .addHelpText('after', EXAMPLES.delete)
    .action((email: string, options: StoreOptions) => removeAccount(email, options));
  return accounts;
}

interface GrantOptions extends StoreOptions {
  until?: string;
}

const EXAMPLES = {
  show: `
Examples:
  gateway accounts show ada@example.org
  gateway accounts show ada@example.org --json`,
  grant: `
Examples:
  gateway accounts grant ada@example.org pro --until 2031-01-01
  gateway accounts grant ada@example.org free`,
  export: `
Examples:
  gateway accounts export ada@example.org > ada.json`,
  audit: `
Each account keeps its last 100 events, for 90 days.

Examples:
  gateway accounts audit ada@example.org
  gateway accounts audit > audit.ndjson`,
  delete: `
Examples:
  gateway accounts export ada@example.org > ada.json && gateway accounts delete ada@example.org`,
};

async function showAccount(email: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const { account, keys, memberships, counters } = await readAccount(email, store);
  const tier = tierAt(account, now());
  const { limits } = TIERS[tier];
  const usage = limits && describeUsage(counters, limits);
  const reports = keys.map((key) => describeKey({ key, account }, now()));
  const members = memberships.map(describeMembership);
  if (json) {
    const used = usage && { minute: usage.minute.used, day: usage.day.used };
    const { created_at, pro_until } = account;
    return print(
      JSON.stringify({
        email,
        tier,
        pro_until,
        created_at,
        limits,
        used,
        keys: reports,
        memberships: members,
      }),
    );
  }
  const head = [
    ['email', email],
    ['tier', tier],
    ['pro_until', account.pro_until ?? '-'],
    ['created', account.created_at],
    [
      'used',
      usage && limits
        ? `${usage.minute.used} of ${limits.minute} in 60 s, ${usage.day.used} of ${limits.day} today`
        : '-',
    ],
  ];
  const rows = reports.map((report) => [
    report.prefix,
    report.created_at,
    report.revoked_at ?? '-',
    report.expires_at ?? '-',
    report.name ?? '-',
  ]);
  const tables = [head, [['key', 'created', 'revoked', 'expires', 'name'], ...rows]];
  if (members.length > 0) {
    const lines = members.map(({ member, standing, pro_until }) => [member, standing, pro_until ?? '-']);
    tables.push([['membership', 'standing', 'pro_until'], ...lines]);
  }
  print(tables.map(formatTable).join('\n\n'));
}

async function grant(
  email: string,
  tier: Tier,
  { store, json, until }: GrantOptions,
  now: Clock,
): Promise<void> {
  const grantTerms = readGrant(tier, until, now());
  const account = await withStore(
    store,
    async (opened) => (await grantTier(opened, email, grantTerms)) ?? refuseUnknown(email, store),
  );
  const { pro_until } = account;
  printReport({ email, tier: tierAt(account, now()), pro_until }, json);
}

async function printExport(email: string, { store, json }: StoreOptions): Promise<void> {
  const data = await withStore(
    store,
    async (opened) => (await exportAccount(opened, email)) ?? refuseUnknown(email, store),
  );
  print(JSON.stringify(data, null, json ? 0 : 2));
}

async function removeAccount(email: string, { store, json }: StoreOptions): Promise<void> {
  const found = await withStore(store, async (opened) => {
    const account = await accountByEmail(opened, email);
    return (await deleteAccount(opened, email)) ? account : refuseUnknown(email, store);
  });
  const keys = found?.keys.length ?? 0;
  if (json) return print(JSON.stringify({ email, keys }));
  const what = found
    ? `the account of ${email} with ${keys} ${keys === 1 ? 'key' : 'keys'}`
    : `the links and memberships that waited for an account of ${email}`;
  const rest = found
    ? 'only its count of requests, without the address, stays until midnight UTC'
    : 'nothing is left';
  print(`deleted ${what}; ${rest}`);
}

/** What `show` prints. */
interface ShownAccount extends AccountRecord {
  memberships: Membership[];
  counters: Counters;
}

async function readAccount(email: string, store: string): Promise<ShownAccount> {
  return await withStore(store, async (opened) => {
    const account = (await accountByEmail(opened, email)) ?? refuseUnknown(email, store);
    const memberships = await transact(opened, (transaction) => membershipsOf(transaction, account.account));
    return { ...account, memberships, counters: await readCountersOf(opened, account.account) };
  });
}
