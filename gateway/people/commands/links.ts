import { Command, Option } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import { addressPath, type Key } from '../../access/account.ts';
import { MAX_NAME_CHARS } from '../../access/key-options.ts';
import { parseName } from '../../commands/keys.ts';
import { settingOption } from '../../commands/settings.ts';
import { addCommand, reportList, reportOn } from '../../commands/store.ts';
import { OPERATOR } from '../../store/audit.ts';
import { addressesOf, MAX_ADDRESSES, makeAddress, removeAddress } from '../../store/keys.ts';
import { readAddressTerms } from '../read-address-terms.ts';
import { addAccountCommand } from './accounts.ts';

/** `gateway links`: the read-only addresses of accounts, also while gateways use the store. */
export function linksCommand(): Command {
  const links = new Command('links');
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
      const wanted = { address, name: parseName(name) };
      const made = await store.transaction((sql) => makeAddress(sql, id, wanted, OPERATOR));
      if (made) return reportOn({ address: publicUrl + addressPath(made.token, address), ...describe(made.record) });
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

function describe({ prefix, name, created_at, address }: Key) {
  return { prefix, name: name ?? null, created_at, game: address?.game ?? '', query: address?.query ?? null };
}
