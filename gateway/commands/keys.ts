import { Command, Option } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { addNewKey, type KeyFields, revokeKey } from '../store/accounts/accounts.ts';
import { readPrefix } from '../access/api-key.ts';
import { type Grant, type IssuedKey, isEnding, type Tier, tierAt } from '../access/account.ts';
import type { Limits } from '../access/counters.ts';
import { nameStore } from '../store/store.ts';
import { transact } from '../store/transaction.ts';
import {
  addStoreOptions,
  type Clock,
  parseEmail,
  print,
  printReport,
  type StoreOptions,
  withStore,
} from './store-command.ts';

/** What keys may be bound to, in `gateway keys`. */
export interface KeyTerms {
  /** Adds the options of a new key. */
  addOptions(issue: Command): void;
  /** Reads these options. @throws CommandError if one is not valid */
  readFields(options: object, now: number): KeyFields;
  /** Adds the commands that change a key. */
  addCommands(keys: Command, now: Clock): void;
}

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

/** The option for the end of Pro. */
export const UNTIL_OPTION = [
  '--until <time>',
  'when Pro ends: ISO 8601 with a zone, or a date for 00:00 UTC (default: never)',
] as const;

/**
 * Reads the tier that an operator grants to an account.
 *
 * @param now ms since 1970
 * @throws CommandError if `until` is not a time in the future, or is set without Pro
 */
export function readGrant(tier: Tier | undefined, until: string | undefined, now: number): Grant {
  if (until === undefined) return { tier: tier ?? 'free', pro_until: null };
  if (tier !== 'pro') throw new CommandError('--until says when Pro ends, so it needs the tier pro', 2);
  const time = readTime(until);
  if (time === undefined) {
    throw new CommandError(
      `--until ${JSON.stringify(until)} is not a time; expected ISO 8601 with a zone, 2031-01-01T00:00:00Z, or a date, 2031-01-01`,
      2,
    );
  }
  if (time <= now) throw new CommandError(`--until ${until} has passed; expected a time in the future`, 2);
  return { tier, pro_until: new Date(time).toISOString() };
}

const DAY = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Reads a time: ISO 8601 with a zone, or a date for 00:00 UTC.
 *
 * @returns milliseconds since 1970; undefined also for a day that the month does not have, which Date would move to the next month
 */
export function readTime(text: string): number | undefined {
  const day = DAY.exec(text)?.[1];
  const time = Date.parse(text);
  if (day === undefined || Number.isNaN(time)) return undefined;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? time : undefined;
}

/** The description of a key; `tier` is the tier that its requests get now. */
export interface KeyReport {
  prefix: string;
  email: string;
  tier: Tier;
  pro_until: string | null;
  created_at: string;
  /** When it was revoked, or ends after a rotation. */
  revoked_at: string | null;
  name: string | null;
  /** When it was set to expire. */
  expires_at: string | null;
  /** From which networks it may be used; null for all. */
  networks: readonly string[] | null;
  /** What a browser key is bound to; null for every other key. */
  browser: { origins: readonly string[]; limits: Limits | null } | null;
}

/** Describes a key and its account. */
export function describeKey({ key, account }: IssuedKey, now: number): KeyReport {
  return {
    prefix: key.prefix,
    email: account.email,
    tier: tierAt(account, now),
    pro_until: account.pro_until,
    created_at: key.created_at,
    revoked_at: isEnding(key) ? key.revoked_at : null,
    name: key.name ?? null,
    expires_at: key.expires_at ?? null,
    networks: key.networks ?? null,
    browser: key.browser ? { origins: key.browser.origins, limits: key.browser.limits ?? null } : null,
  };
}
