import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { INDEX_FILE } from '../../../scripts/format/dist-format.ts';
import { CommandError } from '../../../scripts/system.ts';
import { type Account, type AddressTerms, addressPath, type Key, tierAt } from '../../access/account.ts';
import { MAX_NAME_CHARS } from '../../access/key-options.ts';
import { createLinks } from '../../api/links.ts';
import { ROUTES } from '../../api/routes.ts';
import { parseName } from '../../commands/keys.ts';
import { addCommand, type Clock, reportList } from '../../commands/store.ts';
import { FOLLOW_MS, followDist } from '../../data/follow-dist.ts';
import type { Log } from '../../http/log.ts';
import { Gateway } from '../../server.ts';
import { OPERATOR } from '../../store/audit.ts';
import { addressesOf, MAX_ADDRESSES, makeAddress, removeAddress } from '../../store/keys.ts';
import type { Store } from '../../store/sql.ts';
import { checkAddressTerms, readAddressTerms } from '../read-address-terms.ts';
import { addAccountCommand, distOption } from './accounts.ts';

const NO_LOG: Log = { info() {}, error() {}, access() {} };

/** `gateway links`: the read-only addresses of accounts, also while gateways use the store. @param now ms since 1970 */
export function linksCommand(now: Clock = Date.now): Command {
  const links = new Command('links');
  addAccountCommand<{ name?: string; publicUrl: string; dist: string }>(links, 'make', {
    about:
      'make an address that serves rows to tools that can send no key, and print it once; what is read counts on the limits of the account',
    args: [
      ['<query>', 'a query, such as /api/genshin-impact/characters.csv?element=Pyro, or the slug of a game'],
    ],
    options: [
      new Option('--name <text>', `what the address is for, at most ${MAX_NAME_CHARS} characters`),
      new Option('--public-url <address>', 'the public URL of the gateway, with which the address begins')
        .env('GATEWAY_PUBLIC_URL')
        .default(''),
      distOption(),
    ],
    examples: [
      "ada@example.org '/api/genshin-impact/characters.csv?element=Pyro' --name 'team sheet'",
      'ada@example.org genshin-impact --public-url https://api.example.org',
    ],
    async run(store, account, options, query: string) {
      const terms = readAddressTerms(query);
      const name = parseName(options.name ?? '');
      // The operator's machine may have no dist/.
      if (existsSync(path.join(options.dist, INDEX_FILE)))
        await checkQuery(terms, account, options.dist, { store, now });
      const made = await store.transaction((sql) =>
        makeAddress(sql, account.id, { address: terms, name }, OPERATOR),
      );
      if (made === undefined)
        throw new CommandError(
          `${account.email} has ${MAX_ADDRESSES} read-only addresses; gateway links revoke ends one`,
        );
      const address = options.publicUrl.replace(/\/$/, '') + addressPath(made.token, terms);
      const hint = `It is not shown again; its token begins with ${made.record.prefix}.`;
      const text = `${address}\n\nA read-only address of ${account.email}. ${hint}`;
      return { text, json: { address, ...describe(made.record) } };
    },
  });
  addAccountCommand(links, 'list', {
    about: 'list the read-only addresses of an account, the oldest first',
    async run(store, account) {
      const list = (await addressesOf(store, account.id)).map(describe);
      const columns = {
        prefix: 'prefix',
        game: 'game',
        query: 'query',
        created: 'created_at',
        name: 'name',
      } as const;
      return reportList(
        list,
        columns,
        'no read-only addresses; gateway links make <email> <query> makes one',
      );
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

function describe({ prefix, name, created_at, address }: Key) {
  return { prefix, name: name ?? null, created_at, game: address?.game ?? '', query: address?.query ?? null };
}

/** Checks what an address serves, with a gateway that does not listen. @throws InputError */
async function checkQuery(
  terms: AddressTerms,
  account: Account,
  dist: string,
  { store, now }: { store: Store; now: Clock },
): Promise<void> {
  const follower = await followDist(dist, { now, log: NO_LOG, interval: FOLLOW_MS });
  const gateway = new Gateway({
    ...{ follower, store, routes: ROUTES, log: NO_LOG, now, clientAddress: () => '' },
    links: createLinks(now),
    readAlerts: async () => ({ follows: [], channels: {} }),
  });
  try {
    const view = follower.catalog.viewAt(now(), tierAt(account, now()));
    await checkAddressTerms(terms, view, { routes: ROUTES, read: (...asked) => gateway.read(...asked) });
  } finally {
    await gateway.close();
    follower.close();
  }
}
