import { Command, Option } from 'commander';
import * as revocation from '../accounts/revoke-key.ts';
import { describeKey } from './describe-key.ts';
import { UNTIL_OPTION } from './grant.ts';
import { type IssueOptions, issueKey } from './issue-keys.ts';
import { parsePrefix, refuseUnknown } from './name-key.ts';
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
    .action((text: string, options: StoreOptions) => revokeKey(text, options, now));
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

async function revokeKey(text: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const prefix = parsePrefix(text);
  const issued = await withStore(store, (opened) => revocation.revokeKey(opened, prefix, now()));
  const report = describeKey(issued ?? refuseUnknown(prefix, store), now());
  const revoked_at = issued?.key.revoked_at ?? null;
  if (json) return printReport({ ...report, revoked_at }, json);
  print(`${report.prefix} of ${report.email} is revoked since ${revoked_at}`);
}
