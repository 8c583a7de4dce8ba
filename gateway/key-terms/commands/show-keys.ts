import type { Command } from 'commander';
import { withAccount } from '../../store/accounts/accounts.ts';
import { keyOfPrefix } from '../../store/accounts/keys.ts';
import { describeKey, type KeyReport, PREFIX_HELP, parsePrefix, refuseUnknown } from '../../commands/keys.ts';
import {
  addStoreOptions,
  type Clock,
  formatTable,
  print,
  printReport,
  type StoreOptions,
  withStore,
} from '../../commands/store-command.ts';
import type { BrowserTerms, IssuedKey } from '../../access/account.ts';
import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { type KeyUse, keyUsesOf, listKeyUses } from '../../key-uses/key-uses.ts';
import { listKeys as listAllKeys } from '../../key-uses/list-keys.ts';

interface ShowOptions {
  store: string;
  json: true | undefined;
}

/** Adds `gateway keys list` and `show`. */
export function addShowCommands(keys: Command, now: Clock): void {
  addStoreOptions(keys.command('list'))
    .description('list all keys with their last use, the oldest first')
    .addHelpText('after', LIST_EXAMPLES)
    .action((options: StoreOptions) => listKeys(options, now));
  addStoreOptions(keys.command('show'))
    .description('show one key, and how many requests carried it on each day')
    .argument('<prefix>', PREFIX_HELP)
    .addHelpText('after', SHOW_EXAMPLES)
    .action((text: string, options: StoreOptions) => showKey(text, options, now));
}

const LIST_EXAMPLES = `
Examples:
  gateway keys list
  gateway keys list --json --store /srv/gateway/store`;

const SHOW_EXAMPLES = `
Examples:
  gateway keys show gdr_k3x7p2qa
  gateway keys show k3x7p2qa --json`;

/** How a key was used. */
export interface KeyUseReport {
  /** The hour of its last use. */
  last_used_at: string | null;
  /** The network of its last use. */
  last_network: string | null;
  /** UTC day → requests. */
  requests: Record<string, number>;
}

async function listKeys({ store, json }: StoreOptions, now: Clock): Promise<void> {
  const reports = await withStore(store, async (opened) => {
    const uses = await listKeyUses(opened);
    return (await listAllKeys(opened)).map((issued) =>
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
  const issued = (await keyByPrefix(store, prefix)) ?? refuseUnknown(prefix, options.store);
  const [use] = await keyUsesOf(store, [issued.key]);
  const report = describeUsedKey(issued, use, now);
  const days = Object.entries(report.requests).map(([day, count]) => `${day}: ${count}`);
  const requests = options.json ? report.requests : days.reverse().join(', ') || '-';
  const networks = options.json ? report.networks : report.networks?.join(', ');
  const browser = options.json ? report.browser : describeTerms(issued.key.browser);
  printReport({ ...report, networks, browser, requests }, options.json);
}

/** Describes what a browser key is bound to, in words. */
function describeTerms(terms: BrowserTerms | undefined): string | undefined {
  if (terms === undefined) return undefined;
  const { origins, limits } = terms;
  const caps = limits ? `, ${limits.minute} requests in 60 seconds, ${limits.day} in a UTC day` : '';
  return `${origins.join(', ')}${caps}`;
}

/** Describes a key with its account and use. */
function describeUsedKey(issued: IssuedKey, use: KeyUse | undefined, now: number): KeyReport & KeyUseReport {
  const used = { last_used_at: use?.at ?? null, last_network: use?.network ?? null };
  return { ...describeKey(issued, now), ...used, requests: use?.days ?? {} };
}

/** Returns how many requests carried a key today. */
function requestsToday({ requests }: KeyUseReport, now: number): number {
  return requests[new Date(now).toISOString().slice(0, '2030-05-01'.length)] ?? 0;
}

/** Finds a key, revoked ones included, by its prefix. */
export async function keyByPrefix(store: Store, prefix: string): Promise<IssuedKey | undefined> {
  return await transact(store, async (transaction) =>
    withAccount(transaction, await keyOfPrefix(transaction, prefix)),
  );
}
