import { Command, InvalidArgumentError, Option } from 'commander';
import { createKey, readPrefix } from '../access/api-key.ts';
import { CommandError } from '../command-error.ts';
import { readEmail } from '../store/email.ts';
import type { Grant, IssuedKey, Store, Tier } from '../store/store.ts';
import { tierAt } from '../store/store.ts';

interface StoreOptions {
  store: string;
  json?: true;
}

interface IssueOptions extends StoreOptions {
  tier?: Tier;
  until?: string;
}

/** What is told of a key; `tier` is what its requests get now. */
interface KeyReport {
  prefix: string;
  email: string;
  tier: Tier;
  pro_until: string | null;
  created_at: string;
  revoked_at: string | null;
}

type Clock = () => number;

const DAY = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;
/** How many keys are tried for a prefix that is not in use; one in 2^40 / (keys in the store) needs a second. */
const ATTEMPTS = 5;

/**
 * `gateway keys`: issue, list, show and revoke keys, also while gateways run on the same store.
 *
 * @param now milliseconds since 1970
 */
export function keysCommand(now: Clock = Date.now): Command {
  const keys = new Command('keys').description('issue, list, show and revoke API keys');
  addStoreOptions(keys.command('issue'))
    .description('issue a key to an e-mail address and print it, this once')
    .argument('<email>', 'whose key it is; all keys of an address share its tier', parseEmail)
    .addOption(
      new Option(
        '--tier <tier>',
        'set the tier of the address (default: as it is; free for a new one)',
      ).choices(['free', 'pro']),
    )
    .option('--until <time>', 'when Pro ends: ISO 8601 with a zone, or a date for 00:00 UTC (default: never)')
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
    .description('revoke a key for ever; running gateways refuse it within a second')
    .argument('<prefix>', PREFIX_HELP)
    .addHelpText('after', EXAMPLES.revoke)
    .action((text: string, options: StoreOptions) => revokeKey(text, options, now));
  return keys;
}

const PREFIX_HELP = 'how the key begins: gdr_ and 8 characters, as gateway keys list shows it';

const EXAMPLES = {
  issue: `
Examples:
  gateway keys issue ada@example.org                                  a free key, or one more of Ada's tier
  gateway keys issue ada@example.org --tier pro --until 2031-01-01    Pro to the end of 2030
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

function addStoreOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--store <folder>', 'where keys and accounts are').env('GATEWAY_STORE').default('var/store'),
    )
    .option('--json', 'print JSON');
}

async function issueKey(
  email: string,
  { tier, until, store, json }: IssueOptions,
  now: Clock,
): Promise<void> {
  const grant = readGrant(tier, until, now());
  const { key, report } = await withStore(store, async (opened) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { key, prefix, hash } = createKey();
      const issued = await opened.issueKey({ email, prefix, hash, ...(grant && { grant }), now: now() });
      if (issued) return { key, report: describeKey(issued, now()) };
    }
    throw new Error(`${ATTEMPTS} random keys in a row began like one in the store`);
  });
  if (json) {
    const { revoked_at: _, ...rest } = report;
    return print(JSON.stringify({ key, ...rest }));
  }
  const end = report.tier === 'pro' && report.pro_until ? ` until ${report.pro_until}` : '';
  print(
    `${key}\n\nThe key of ${report.email}, ${report.tier}${end}, to be sent in the header X-API-Key.` +
      `\nIt is shown this once; ${report.prefix} is its name from now on.`,
  );
}

async function listKeys({ store, json }: StoreOptions, now: Clock): Promise<void> {
  const reports = await withStore(store, async (opened) =>
    (await opened.listKeys()).map((issued) => describeKey(issued, now())),
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
  const issued = await withStore(store, (opened) => opened.keyByPrefix(prefix));
  printReport(describeKey(issued ?? refuseUnknown(prefix, store), now()), json);
}

async function revokeKey(text: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const prefix = parsePrefix(text);
  const issued = await withStore(store, (opened) => opened.revokeKey(prefix, now()));
  const report = describeKey(issued ?? refuseUnknown(prefix, store), now());
  if (json) return printReport(report, json);
  print(`${report.prefix} of ${report.email} is revoked since ${report.revoked_at}`);
}

/** Opens the store for one piece of work. LMDB is loaded here, so that `--help` does without. */
async function withStore<T>(folder: string, work: (store: Store) => Promise<T>): Promise<T> {
  const { openLmdbStore } = await import('../store/lmdb-store.ts');
  const store = await openLmdbStore(folder);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function describeKey({ key, account }: IssuedKey, now: number): KeyReport {
  return {
    prefix: key.prefix,
    email: account.email,
    tier: tierAt(account, now),
    pro_until: account.pro_until,
    created_at: key.created_at,
    revoked_at: key.revoked_at,
  };
}

function readGrant(tier: Tier | undefined, until: string | undefined, now: number): Grant | undefined {
  if (until === undefined) return tier && { tier, pro_until: null };
  if (tier !== 'pro') throw new CommandError('--until says when Pro ends, so it needs --tier pro', 2);
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

/** Milliseconds since 1970; undefined also for a day that the month does not have, which Date would carry over. */
function readTime(text: string): number | undefined {
  const day = DAY.exec(text)?.[1];
  const time = Date.parse(text);
  if (day === undefined || Number.isNaN(time)) return undefined;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? time : undefined;
}

function parseEmail(text: string): string {
  const email = readEmail(text);
  if (email !== undefined) return email;
  throw new InvalidArgumentError('Expected an e-mail address such as ada@example.org.');
}

/** Never echoes what was typed: it may be a whole key with one wrong character. */
function parsePrefix(text: string): string {
  const prefix = readPrefix(text.trim());
  if (prefix !== undefined) return prefix;
  throw new CommandError(
    'that is no key, nor the beginning of one; expected gdr_ and 8 characters of a-z and 2-7, as gateway keys list shows them',
    2,
  );
}

function refuseUnknown(prefix: string, store: string): never {
  throw new CommandError(`no key ${prefix} in the store ${store}; gateway keys list shows those there are`);
}

function printReport(report: KeyReport, json: true | undefined): void {
  const lines = () => formatTable(Object.entries(report).map(([name, value]) => [name, value ?? '-']));
  print(json ? JSON.stringify(report) : lines());
}

function formatTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}

function print(text: string): void {
  // A reader that has seen enough, such as `head`, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.stdout.write(`${text}\n`);
}
