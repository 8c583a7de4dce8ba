import { InputError } from '../../http/problem.ts';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { INDEX_FILE } from '../../../scripts/format/dist-format.ts';
import { CommandError } from '../../../scripts/system.ts';
import { MAX_NAME_CHARS, readKeyName } from '../../access/key-options.ts';
import { addressesOf, MAX_ADDRESSES, makeAddress, removeAddress } from '../../store/keys.ts';
import { OPERATOR } from '../../store/audit.ts';
import { ROUTES } from '../../api/routes.ts';
import { DistError } from '../../data/dist-files.ts';
import { followDist, FOLLOW_MS } from '../../data/follow-dist.ts';
import type { Log } from '../../http/log.ts';
import { type Account, type AddressTerms, type Key, tierAt, addressPath } from '../../access/account.ts';
import { Gateway } from '../../server.ts';
import { nameStore } from '../../store/open.ts';
import type { Store } from '../../store/sql.ts';
import { checkAddressTerms, readAddressTerms } from '../read-address-terms.ts';
import { onAccount, withAccount } from './accounts.ts';
import { distOption } from './alerts.ts';
import {
  addStoreOptions,
  type Clock,
  formatTable,
  print,
  withStore,
  type StoreOptions,
} from '../../commands/store.ts';

const NO_LOG: Log = { info() {}, error() {}, access() {} };

interface MakeOptions extends StoreOptions {
  name?: string;
  publicUrl: string;
  dist: string;
}

/**
 * `gateway links`: read-only addresses of accounts, also while gateways run on the same store.
 *
 * @param now milliseconds since 1970
 */
export function linksCommand(now: Clock = Date.now): Command {
  const links = new Command('links');
  onAccount(
    links,
    'make',
    'make an address that serves rows to tools that can send no key, and print it once; what is read counts on the caps of the account',
    `
Examples:
  gateway links make ada@example.org '/api/genshin-impact/characters.csv?element=Pyro' --name 'team sheet'
  gateway links make ada@example.org genshin-impact --public-url https://api.example.org`,
  )
    .argument(
      '<query>',
      'a query, such as /api/genshin-impact/characters.csv?element=Pyro, or the slug of a game',
    )
    .option('--name <text>', `what the address is for, at most ${MAX_NAME_CHARS} characters`)
    .addOption(
      new Option('--public-url <address>', 'the public URL of the gateway, with which the address begins')
        .env('GATEWAY_PUBLIC_URL')
        .default(''),
    )
    .addOption(distOption())
    .action((email: string, query: string, options: MakeOptions) => makeOne(email, query, options, now));
  onAccount(
    links,
    'list',
    'list the read-only addresses of an account, the oldest first',
    '\nExamples:\n  gateway links list ada@example.org --json',
  ).action(listAll);
  addStoreOptions(links.command('revoke'))
    .description('revoke a read-only address permanently; running gateways refuse it within a second')
    .argument('<prefix>', 'the beginning of its token, gdt_ and 8 characters, as gateway links list shows it')
    .addHelpText('after', '\nExamples:\n  gateway links revoke gdt_k3x7p2qa')
    .action(revokeOne);
  return links;
}

async function makeOne(email: string, query: string, options: MakeOptions, now: Clock): Promise<void> {
  const terms = await asCommand(async () => readAddressTerms(query));
  const name = readKeyName(options.name ?? '');
  if (name === undefined)
    throw new CommandError(
      `--name is not a name; expected at most ${MAX_NAME_CHARS} characters in one line`,
      2,
    );
  const made = await withAccount(options.store, email, async (opened, account) => {
    // An operator may work where no dist is.
    if (existsSync(path.join(options.dist, INDEX_FILE)))
      await asCommand(() => checkQuery(terms, account, options.dist, { store: opened, now }));
    return await opened.transaction((sql) =>
      makeAddress(sql, account.id, { address: terms, name }, OPERATOR),
    );
  });
  if (made === undefined)
    throw new CommandError(
      `${email} has ${MAX_ADDRESSES} read-only addresses; gateway links revoke ends one`,
    );
  const address = options.publicUrl.replace(/\/$/, '') + addressPath(made.token, terms);
  if (options.json) return print(JSON.stringify({ address, ...describe(made.record) }));
  print(
    `${address}\n\nA read-only address of ${email}. It is not shown again; its token begins with ${made.record.prefix}.`,
  );
}

async function listAll(email: string, { store, json }: StoreOptions): Promise<void> {
  const records = await withAccount(store, email, (opened, account) => addressesOf(opened, account.id));
  const reports = records.map(describe);
  if (json) return print(JSON.stringify(reports));
  if (reports.length === 0)
    return print('no read-only addresses; gateway links make <email> <query> makes one');
  const rows = reports.map(({ prefix, game, query, created_at, name }) => [
    ...[prefix, game, query ?? '-', created_at, name ?? '-'],
  ]);
  print(formatTable([['prefix', 'game', 'query', 'created', 'name'], ...rows]));
}

async function revokeOne(prefix: string, { store, json }: StoreOptions): Promise<void> {
  const named = prefix.trim().slice(0, 'gdt_k3x7p2qa'.length);
  const revoked = await withStore(store, (opened) =>
    opened.transaction((sql) => removeAddress(sql, named, undefined, OPERATOR)),
  );
  if (revoked === undefined)
    throw new CommandError(
      `no read-only address ${named} in the store ${nameStore(store)}; gateway links list shows those of an account`,
    );
  print(json ? JSON.stringify(describe(revoked)) : `${revoked.prefix} is revoked`);
}

function describe({ prefix, name, created_at, address }: Key) {
  return { prefix, name: name ?? null, created_at, game: address?.game ?? '', query: address?.query ?? null };
}

/** Does work that refuses input. @throws CommandError */
async function asCommand<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InputError) throw new CommandError(error.message, 2);
    if (error instanceof DistError) throw new CommandError(error.message);
    throw error;
  }
}

/** Checks what an address serves by a gateway that does not listen. @throws InputError, DistError */
async function checkQuery(
  terms: AddressTerms,
  account: Account,
  dist: string,
  { store, now }: { store: Store; now: Clock },
): Promise<void> {
  const follower = await followDist(dist, { now, log: NO_LOG, interval: FOLLOW_MS });
  const gateway = new Gateway({
    ...{ follower, store, routes: ROUTES, log: NO_LOG, now },
    people: {},
  });
  try {
    const view = follower.catalog.viewAt(now(), tierAt(account, now()));
    await checkAddressTerms(terms, view, { routes: ROUTES, read: (...asked) => gateway.read(...asked) });
  } finally {
    await gateway.close();
    follower.close();
  }
}
