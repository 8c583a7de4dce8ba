import { Command, Option } from 'commander';
import { CommandError } from '../../../scripts/core/lib/command-error.ts';
import { addNewKey, keyByPrefix, revokeKey } from '../accounts/accounts.ts';
import { readPrefix } from '../keys/api-key.ts';
import { isEnding, type Tier } from '../plans/account.ts';
import { nameStore, type Store } from '../store/store.ts';
import { transact } from '../store/transaction.ts';
import { describeKey, type KeyReport } from './describe-key.ts';
import { readGrant, UNTIL_OPTION } from './grant.ts';
import type { KeyTerms } from './ports.ts';
import {
  addStoreOptions,
  type Clock,
  parseEmail,
  print,
  printReport,
  type StoreOptions,
  withStore,
} from './store-command.ts';

/**
 * `gateway keys`: issue and revoke keys, also while gateways run on the same store.
 *
 * @param terms adds what keys may be bound to, and the commands that show and change them
 * @param now milliseconds since 1970
 */
export function keysCommand(terms: KeyTerms | undefined, now: Clock = Date.now): Command {
  const keys = new Command('keys');
  const issue = keys.command('issue');
  terms?.addOptions(issue);
  addStoreOptions(issue)
    .description('issue a key to an email address, and print it once')
    .argument(
      '<email>',
      'the email address of the account; all keys of an account share its tier',
      parseEmail,
    )
    .addOption(
      new Option(
        '--tier <tier>',
        'set the tier of the account (default: unchanged; free for a new account)',
      ).choices(['free', 'pro']),
    )
    .option(...UNTIL_OPTION)
    .addHelpText('after', EXAMPLES.issue)
    .action((email: string, options: IssueOptions) => issueKey(email, options, terms, now));
  terms?.addCommands(keys, now);
  addStoreOptions(keys.command('revoke'))
    .description('revoke a key permanently; running gateways refuse it within a second')
    .argument('<prefix>', PREFIX_HELP)
    .addHelpText('after', EXAMPLES.revoke)
    .action((text: string, options: StoreOptions) => revokeNamed(text, options, now));
  return keys;
}

/** What `<prefix>` is, for the help. */
export const PREFIX_HELP = 'the beginning of the key, gdr_ and 8 characters, as gateway keys list shows it';

const EXAMPLES = {
  issue: `
Examples:
  gateway keys issue ada@example.org                                  a free key, or another key of Ada's account
  gateway keys issue ada@example.org --tier pro --until 2031-01-01    Pro until the end of 2030
  gateway keys issue ada@example.org --name ci --expires 90d          a key that ends after 90 days
  gateway keys issue ada@example.org --origins https://example.org    a browser key for the pages there
  gateway keys issue ada@example.org --json                           {"key", "prefix", "email", "tier", …}`,
  revoke: `
Examples:
  gateway keys revoke gdr_k3x7p2qa`,
};

async function revokeNamed(text: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const prefix = parsePrefix(text);
  const issued = await withStore(store, (opened) => revokeKey(opened, prefix, now()));
  const report = describeKey(issued ?? refuseUnknown(prefix, store), now());
  const revoked_at = issued?.key.revoked_at ?? null;
  if (json) return printReport({ ...report, revoked_at }, json);
  print(`${report.prefix} of ${report.email} is revoked since ${revoked_at}`);
}

/** Reads the prefix of a key. Errors do not repeat what was typed: it may be a whole key with one wrong character. */
export function parsePrefix(text: string): string {
  const prefix = readPrefix(text.trim());
  if (prefix !== undefined) return prefix;
  throw new CommandError(
    'this is not a key or the beginning of one; expected gdr_ and 8 characters of a-z and 2-7, as gateway keys list shows it',
    2,
  );
}

/** Reports that a key has ended. @throws CommandError */
export async function refuseEnded(opened: Store, prefix: string, store: string): Promise<never> {
  const { key, account } = (await keyByPrefix(opened, prefix)) ?? refuseUnknown(prefix, store);
  const reason = isEnding(key) ? 'was revoked' : 'has expired';
  throw new CommandError(`${prefix} ${reason}; gateway keys issue ${account.email} makes a new key`);
}

/** Reports that there is no such key. @throws CommandError */
export function refuseUnknown(prefix: string, store: string): never {
  throw new CommandError(
    `no key ${prefix} in the store ${nameStore(store)}; gateway keys list shows all keys`,
  );
}

/** The options of `gateway keys issue`. */
export interface IssueOptions extends StoreOptions {
  tier?: Tier;
  until?: string;
}

/** `gateway keys issue`. */
export async function issueKey(
  email: string,
  options: IssueOptions,
  terms: KeyTerms | undefined,
  now: Clock,
): Promise<void> {
  const { tier, until, store, json } = options;
  const grant = tier || until ? readGrant(tier, until, now()) : undefined;
  const fields = terms?.readFields(options, now()) ?? {};
  const { key, issued } = await withStore(store, (opened) =>
    transact(opened, (transaction) =>
      addNewKey(transaction, { email, ...(grant && { grant }), options: fields, now: now() }),
    ),
  );
  const report = describeKey(issued, now());
  if (json) return printIssued(key, report);
  const end = report.tier === 'pro' && report.pro_until ? ` until ${report.pro_until}` : '';
  print(
    `${key}\n\nThe ${report.browser ? 'browser key' : 'key'} of ${report.email}, ${report.tier}${end}. Send it in the header X-API-Key.` +
      `\nIt is not shown again; it begins with ${report.prefix}.`,
  );
}

/** Prints a key that was just made, as JSON. */
export function printIssued(
  key: string,
  { revoked_at: _, ...report }: KeyReport,
  further: object = {},
): void {
  print(JSON.stringify({ key, ...report, ...further }));
}
