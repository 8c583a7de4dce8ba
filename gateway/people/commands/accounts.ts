import { Command, Option } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import * as access from '../../access/account.ts';
import { MAX_NAME_CHARS, readKeyName } from '../../access/key-options.ts';
import { readCountersOf } from '../../access/quota.ts';
import { describeKey, readGrant, untilOption } from '../../commands/keys.ts';
import { settingOption } from '../../commands/settings.ts';
import {
  addCommand,
  parseEmail,
  type Report,
  reportList,
  reportOn,
  type StoreCommand,
} from '../../commands/store.ts';
import { findAccount, grantTier } from '../../store/accounts.ts';
import { OPERATOR, readLog } from '../../store/audit.ts';
import { addressesOf, keysOfAccount, MAX_ADDRESSES, makeAddress, removeAddress } from '../../store/keys.ts';
import type { Store } from '../../store/sql.ts';
import { describeMembership, listMemberships, OF_PERSON } from '../membership/membership.ts';
import { erasePerson, exportAccount } from '../privacy.ts';
import { readAddressTerms } from '../read-address-terms.ts';

/** A command whose first argument is the email address of an account. */
type AccountCommand<Options> = Omit<StoreCommand<Options>, 'run'> & {
  run(store: Store, account: access.Account, options: Options, ...args: never[]): Promise<Report>;
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

/** `gateway accounts`: shows, grants, exports and deletes accounts, also while gateways use the store. */
export function accountsCommand(): Command {
  const accounts = new Command('accounts').description('show, grant, export, audit and delete accounts');
  addAccountCommand(accounts, 'show', {
    about: 'show an account: its tier, usage, keys and memberships',
    async run(store, account) {
      const { id, email, created_at, pro_until } = account;
      const tier = access.tierAt(account, Date.now());
      const { limits } = access.TIERS[tier];
      const usage = limits && access.describeUsage(await readCountersOf(store, account), limits);
      const used =
        usage && `${usage.minute.used} of ${limits.minute} in 60 s, ${usage.day.used} of ${limits.day} today`;
      const keys = (await keysOfAccount(store, id)).map((key) => {
        const { email: _, tier: __, pro_until: ___, ...report } = describeKey({ key, account });
        return report;
      });
      const memberships = (await listMemberships(store, OF_PERSON, [id, email])).map(describeMembership);
      return reportOn({ email, tier, pro_until, created: created_at, used, keys, memberships });
    },
  });
  addAccountCommand<{ until?: string }>(accounts, 'grant', {
    about: 'give an account a tier; running gateways apply it within a second',
    args: [
      ['<tier>', 'the tier to grant; if memberships grant a better tier, that one counts', ['free', 'pro']],
    ],
    options: [untilOption()],
    examples: ['ada@example.org pro --until 2031-01-01', 'ada@example.org free'],
    async run(store, { id, email }, { until }, tier: access.Tier) {
      const terms = readGrant(tier, until);
      const account =
        (await store.transaction((sql) => grantTier(sql, id, terms))) ?? refuseUnknown(store, email);
      return reportOn({ email, tier: access.tierAt(account, Date.now()), pro_until: account.pro_until });
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
      const all = await store.all<Pick<access.Account, 'id' | 'email'>>(
        "SELECT id, email FROM accounts WHERE $1 IN (email, '') ORDER BY email",
        [only],
      );
      if (only !== '' && all.length === 0) refuseUnknown(store, only);
      const lines: string[] = [];
      for (const { id, email } of all)
        for (const { at, ...event } of (await readLog(store, id)).reverse())
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
      const keys = account ? (await keysOfAccount(store, account.id)).length : 0;
      if (!(await erasePerson(store, email))) refuseUnknown(store, email);
      const text = account
        ? `deleted the account of ${email} with ${keys} ${keys === 1 ? 'key' : 'keys'}; only counts of its use, without the address, stay for a day`
        : `deleted the links and memberships that waited for an account of ${email}; nothing is left`;
      return { text, json: { email, keys } };
    },
  });
  return accounts;
}

/** `gateway links`: the read-only addresses of accounts, also while gateways use the store. */
export function linksCommand(): Command {
  const links = new Command('links').description('make, list and revoke read-only addresses of accounts');
  addAccountCommand<{ name?: string; publicUrl?: string }>(links, 'make', {
    about:
      'make an address that serves rows to tools that can send no key, and print it once; what is read counts on the limits of the account',
    args: [
      ['<query>', 'a query, such as /api/genshin-impact/characters.csv?element=Pyro, or the slug of a game'],
    ],
    options: [
      new Option('--name <text>', `what the address is for, at most ${MAX_NAME_CHARS} characters`),
      settingOption('publicUrl'),
    ],
    examples: [
      "ada@example.org '/api/genshin-impact/characters.csv?element=Pyro' --name 'team sheet'",
      'ada@example.org genshin-impact --public-url https://api.example.org',
    ],
    async run(store, { id, email }, { name = '', publicUrl = '' }, query: string) {
      const address = readAddressTerms(query);
      const wanted = { address, name: readKeyName(name) };
      const made = await store.transaction((sql) => makeAddress(sql, id, wanted, OPERATOR));
      if (made)
        return reportOn({
          address: publicUrl + access.addressPath(made.token, address),
          ...describe(made.record),
        });
      throw new CommandError(
        `${email} has ${MAX_ADDRESSES} read-only addresses; gateway links revoke ends one`,
      );
    },
  });
  addAccountCommand(links, 'list', {
    about: 'list the read-only addresses of an account, the oldest first',
    async run(store, { id }) {
      const none = 'no read-only addresses; gateway links make <email> <query> makes one';
      return reportList((await addressesOf(store, id)).map(describe), none);
    },
  });
  addCommand(links, 'revoke', {
    about: 'revoke a read-only address permanently; running gateways refuse it within a second',
    args: [['<prefix>', 'the beginning of its token, gdt_ and 8 characters, as gateway links list shows it']],
    examples: ['gdt_k3x7p2qa'],
    async run(store, _, prefix: string) {
      const named = prefix.trim().slice(0, 'gdt_k3x7p2qa'.length);
      const revoked = await store.transaction((sql) => removeAddress(sql, named, undefined, OPERATOR));
      if (revoked) return { text: `${revoked.prefix} is revoked`, json: describe(revoked) };
      throw new CommandError(
        `no read-only address ${named} in the store ${store.name}; gateway links list shows those of an account`,
      );
    },
  });
  return links;
}

function describe({ prefix, name, created_at, address }: access.Key) {
  return { prefix, name: name ?? null, created_at, game: address?.game ?? '', query: address?.query ?? null };
}
