import { Command, Option } from 'commander';
import * as accounts from '../accounts/accounts.ts';
import * as revocation from '../accounts/revoke-key.ts';
import { keyUsesOf, listKeyUses } from '../../shared/key-uses/key-uses.ts';
import type { Store } from '../store/store.ts';
import { describeKey, describeTerms, describeUsedKey, requestsToday } from './describe-key.ts';
import { UNTIL_OPTION } from './grant.ts';
import { type IssueOptions, issueKey } from './issue-keys.ts';
import { parsePrefix, refuseUnknown } from './name-key.ts';
import type { KeyTerms } from './ports.ts';
import {
  addStoreOptions,
  type Clock,
  formatTable,
  parseEmail,
  print,
  printReport,
  type StoreOptions,
  withStore,
} from './store-command.ts';

interface ShowOptions {
  store: string;
  json: true | undefined;
}

/**
 * `gateway keys`: issue, list, show and revoke keys, also while gateways run on the same store.
 *
 * @param terms adds what keys may be bound to, and the commands that change them
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
  addStoreOptions(keys.command('list'))
    .description('list all keys with their last use, the oldest first')
    .addHelpText('after', EXAMPLES.list)
    .action((options: StoreOptions) => listKeys(options, now));
  addStoreOptions(keys.command('show'))
    .description('show one key, and how many requests carried it on each day')
    .argument('<prefix>', PREFIX_HELP)
    .addHelpText('after', EXAMPLES.show)
    .action((text: string, options: StoreOptions) => showKey(text, options, now));
  addStoreOptions(keys.command('revoke'))
    .description('revoke a key permanently; running gateways refuse it within a second')
    .argument('<prefix>', PREFIX_HELP)
    .addHelpText('after', EXAMPLES.revoke)
    .action((text: string, options: StoreOptions) => revokeKey(text, options, now));
  terms?.addCommands(keys, now);
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
  list: `
Examples:
  gateway keys list
  gateway keys list --json --store /srv/gateway/store`,
  show: `
Examples:
  gateway keys show gdr_k3x7p2qa
  gateway keys show k3x7p2qa --json`,
  revoke: `
Examples:
  gateway keys revoke gdr_k3x7p2qa`,
};

async function listKeys({ store, json }: StoreOptions, now: Clock): Promise<void> {
  const reports = await withStore(store, async (opened) => {
    const uses = await listKeyUses(opened);
    return (await accounts.listKeys(opened)).map((issued) =>
      describeUsedKey(issued, uses.get(issued.key.hash), now()),
    );
  });
  if (json) return print(JSON.stringify(reports));
  if (reports.length === 0) return print('no keys yet; gateway keys issue <email> makes one');
  const rows = reports.map((report) => [
    report.prefix,
    report.email,
    report.tier,
    report.pro_until ?? '-',
    report.created_at,
    report.revoked_at ?? '-',
    report.expires_at ?? '-',
    report.last_used_at ?? '-',
    String(requestsToday(report, now())),
    report.name ?? '-',
  ]);
  print(formatTable([LIST_HEAD, ...rows]));
}

const LIST_HEAD = [
  ...['prefix', 'email', 'tier', 'pro_until', 'created', 'revoked'],
  ...['expires', 'last_used', 'today', 'name'],
];

async function showKey(text: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const prefix = parsePrefix(text);
  await withStore(store, (opened) => printKey(opened, prefix, { store, json }, now()));
}

/** Prints a key, and how it was used. */
export async function printKey(
  store: Store,
  prefix: string,
  options: ShowOptions,
  now: number,
): Promise<void> {
  const issued = (await accounts.keyByPrefix(store, prefix)) ?? refuseUnknown(prefix, options.store);
  const [use] = await keyUsesOf(store, [issued.key]);
  const report = describeUsedKey(issued, use, now);
  const days = Object.entries(report.requests).map(([day, count]) => `${day}: ${count}`);
  const requests = options.json ? report.requests : days.reverse().join(', ') || '-';
  const networks = options.json ? report.networks : report.networks?.join(', ');
  const browser = options.json ? report.browser : describeTerms(issued.key.browser);
  printReport({ ...report, networks, browser, requests }, options.json);
}

async function revokeKey(text: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const prefix = parsePrefix(text);
  const issued = await withStore(store, (opened) => revocation.revokeKey(opened, prefix, now()));
  const report = describeKey(issued ?? refuseUnknown(prefix, store), now());
  const revoked_at = issued?.key.revoked_at ?? null;
  if (json) return printReport({ ...report, revoked_at }, json);
  print(`${report.prefix} of ${report.email} is revoked since ${revoked_at}`);
}
