import { Command, Option } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { readPrefix } from '../keys/api-key.ts';
import * as accounts from '../people/accounts/accounts.ts';
import * as changes from '../people/accounts/key-changes.ts';
import { type IssuedKey, isRevoked, type Tier } from '../plans/account.ts';
import { nameStore } from '../store/address.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/transaction.ts';
import { readGrant, UNTIL_OPTION } from './grant.ts';
import {
  addStoreOptions,
  type Clock,
  describeKey,
  formatTable,
  type KeyReport,
  parseEmail,
  print,
  printReport,
  type StoreOptions,
  withStore,
} from './store-command.ts';
import { readDuration } from './times.ts';

interface RotateOptions extends StoreOptions {
  keep: string;
}

interface IssueOptions extends StoreOptions {
  tier?: Tier;
  until?: string;
}

/**
 * `gateway keys`: issue, list, show, revoke and rotate keys, also while gateways run on the same store.
 *
 * @param now milliseconds since 1970
 */
export function keysCommand(now: Clock = Date.now): Command {
  const keys = new Command('keys').description('issue, list, show, revoke and rotate API keys');
  addStoreOptions(keys.command('issue'))
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
    .action((email: string, options: IssueOptions) => issueKey(email, options, now));
  addStoreOptions(keys.command('list'))
    .description('list all keys, the oldest first')
    .addHelpText('after', EXAMPLES.list)
    .action((options: StoreOptions) => listKeys(options, now));
  addStoreOptions(keys.command('show'))
    .description('show one key')
    .argument('<prefix>', PREFIX_HELP)
    .addHelpText('after', EXAMPLES.show)
    .action((text: string, options: StoreOptions) => showKey(text, options, now));
  addStoreOptions(keys.command('revoke'))
    .description('revoke a key permanently; running gateways refuse it within a second')
    .argument('<prefix>', PREFIX_HELP)
    .addHelpText('after', EXAMPLES.revoke)
    .action((text: string, options: StoreOptions) => revokeKey(text, options, now));
  addStoreOptions(keys.command('rotate'))
    .description('replace a key; the old key continues to work for a while')
    .argument('<prefix>', PREFIX_HELP)
    .option(
      '--keep <duration>',
      'how long the old key continues to work: 30m, 24h, 7d; 0s ends it now',
      '24h',
    )
    .addHelpText('after', EXAMPLES.rotate)
    .action((text: string, options: RotateOptions) => rotateKey(text, options, now));
  return keys;
}

const PREFIX_HELP = 'the beginning of the key, gdr_ and 8 characters, as gateway keys list shows it';

const EXAMPLES = {
  issue: `
Examples:
  gateway keys issue ada@example.org                                  a free key, or another key of Ada's account
  gateway keys issue ada@example.org --tier pro --until 2031-01-01    Pro until the end of 2030
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
  rotate: `
Examples:
  gateway keys rotate gdr_k3x7p2qa                the old key works for another day
  gateway keys rotate gdr_k3x7p2qa --keep 7d
  gateway keys rotate gdr_k3x7p2qa --keep 0s      the old key may have been stolen`,
};

async function issueKey(
  email: string,
  { tier, until, store, json }: IssueOptions,
  now: Clock,
): Promise<void> {
  const grant = tier || until ? readGrant(tier, until, now()) : undefined;
  const { key, issued } = await withStore(store, (opened) =>
    issueNew(opened, { email, ...(grant && { grant }), now: now() }),
  );
  const report = describeKey(issued, now());
  if (json) return printIssued(key, report);
  const end = report.tier === 'pro' && report.pro_until ? ` until ${report.pro_until}` : '';
  print(
    `${key}\n\nThe key of ${report.email}, ${report.tier}${end}. Send it in the header X-API-Key.` +
      `\nIt is not shown again; its name is ${report.prefix}.`,
  );
}

async function rotateKey(text: string, { keep, store, json }: RotateOptions, now: Clock): Promise<void> {
  const prefix = parsePrefix(text);
  const duration = readDuration(keep);
  if (duration === undefined) {
    throw new CommandError(
      `--keep ${JSON.stringify(keep)} is not a duration; expected one such as 30m, 24h or 7d`,
      2,
    );
  }
  const at = now() + duration;
  const { key, issued, old } = await withStore(store, async (opened) => {
    const { key: old, account } =
      (await accounts.keyByPrefix(opened, prefix)) ?? refuseUnknown(prefix, store);
    if (isRevoked(old, now())) {
      throw new CommandError(`${prefix} was revoked; gateway keys issue ${account.email} makes a new key`);
    }
    const request = { email: account.email, replaces: { prefix, at }, now: now() };
    const fresh = await issueNew(opened, request);
    return { ...fresh, old: await accounts.keyByPrefix(opened, prefix) };
  });
  const report = describeKey(issued, now());
  const end = old?.key.revoked_at ?? null;
  if (json) return printIssued(key, report, { replaces: { prefix, revoked_at: end } });
  print(
    `${key}\n\nThe new key of ${report.email}. It replaces ${prefix}, which works until ${end}.` +
      `\nIt is not shown again; its name is ${report.prefix}.`,
  );
}

/** Issues a key with a unique prefix. */
async function issueNew(
  store: Store,
  request: Omit<accounts.IssueRequest, 'prefix' | 'hash'>,
): Promise<{ key: string; issued: IssuedKey }> {
  return await transact(store, (transaction) => accounts.addNewKey(transaction, request));
}

function printIssued(key: string, { revoked_at: _, ...report }: KeyReport, further: object = {}): void {
  print(JSON.stringify({ key, ...report, ...further }));
}

async function listKeys({ store, json }: StoreOptions, now: Clock): Promise<void> {
  const reports = await withStore(store, async (opened) =>
    (await accounts.listKeys(opened)).map((issued) => describeKey(issued, now())),
  );
  if (json) return print(JSON.stringify(reports));
  if (reports.length === 0) return print('no keys yet; gateway keys issue <email> makes one');
  const rows = reports.map((report) => [
    report.prefix,
    report.email,
    report.tier,
    report.pro_until ?? '-',
    report.created_at,
    report.revoked_at ?? '-',
  ]);
  print(formatTable([['prefix', 'email', 'tier', 'pro_until', 'created', 'revoked'], ...rows]));
}

async function showKey(text: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const prefix = parsePrefix(text);
  const issued = await withStore(store, (opened) => accounts.keyByPrefix(opened, prefix));
  printReport(describeKey(issued ?? refuseUnknown(prefix, store), now()), json);
}

async function revokeKey(text: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const prefix = parsePrefix(text);
  const issued = await withStore(store, (opened) => changes.revokeKey(opened, prefix, now()));
  const report = describeKey(issued ?? refuseUnknown(prefix, store), now());
  if (json) return printReport(report, json);
  print(`${report.prefix} of ${report.email} is revoked since ${report.revoked_at}`);
}

/** Reads the prefix of a key. Errors do not repeat what was typed: it may be a whole key with one wrong character. */
function parsePrefix(text: string): string {
  const prefix = readPrefix(text.trim());
  if (prefix !== undefined) return prefix;
  throw new CommandError(
    'this is not a key or the beginning of one; expected gdr_ and 8 characters of a-z and 2-7, as gateway keys list shows it',
    2,
  );
}

function refuseUnknown(prefix: string, store: string): never {
  throw new CommandError(
    `no key ${prefix} in the store ${nameStore(store)}; gateway keys list shows all keys`,
  );
}
