import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { CommandError, errorOf } from '../../../scripts/system.ts';
import { addStoreOptions, formatTable, print, type StoreOptions, withStore } from '../../commands/store.ts';
import { OPERATOR } from '../../store/audit.ts';
import { nameStore } from '../../store/open.ts';
import type { Store } from '../../store/sql.ts';
import { applyEvents, type Outcome } from '../membership/apply-events.ts';
import { describeMembership, type MembershipEvent, membershipId } from '../membership/membership.ts';
import { findMembership, listMemberships } from '../membership/memberships.ts';
import type { Platform } from '../membership/platform.ts';
import { PLATFORM_NAMES } from '../membership/platforms.ts';
import { type Export, ExportError, readExport } from '../membership/read-export.ts';
import { MEMBERSHIP_HELP, readMembershipSettings } from './membership-settings.ts';

interface ImportOptions extends StoreOptions {
  platform: string;
  dryRun?: true;
}

/** `gateway members`: list memberships, and import them, also while gateways run on the same store. */
export function membersCommand(): Command {
  const members = new Command('members');
  addStoreOptions(members.command('list'))
    .description('list all memberships that platforms have reported')
    .addHelpText('after', EXAMPLES.list)
    .action((options: StoreOptions) => listMembers(options));
  addStoreOptions(members.command('revoke'))
    .description('end the last paid period of a member, as a refund does; the next charge counts again')
    .argument('<member>', 'as gateway members list shows it')
    .addHelpText('after', EXAMPLES.revoke)
    .action((member: string, options: StoreOptions) => revokeMember(member, options));
  addStoreOptions(members.command('import'))
    .description('apply what webhooks missed, from a platform’s export of its members')
    .argument('<csv>', 'the file: for Patreon the members, for Ko-fi the transactions')
    .addOption(
      new Option('--platform <name>', 'the platform of the export')
        .choices(PLATFORM_NAMES)
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'print what would change, and change nothing')
    .addHelpText('after', EXAMPLES.import)
    .action((file: string, options: ImportOptions) => importMembers(file, options));
  return members;
}

const EXAMPLES = {
  list: `
Examples:
  gateway members list
  gateway members list --json`,
  revoke: `
Examples:
  gateway members revoke ko-fi:Zc1xq0xJ5o3k8Yb2m7h9Qw`,
  import: `
The environment says what buys Pro, as for gateway serve:${MEMBERSHIP_HELP}

A member who is not in the file does not change, and neither does one whose last charge is newer in the store.

Examples:
  gateway members import members.csv --platform patreon --dry-run
  gateway members import transactions.csv --platform ko-fi --json`,
};

async function listMembers({ store, json }: StoreOptions): Promise<void> {
  const all = await withStore(store, (opened) => listMemberships(opened));
  const reports = all.map(describeMembership);
  if (json) return print(JSON.stringify(reports));
  if (reports.length === 0) return print('no memberships yet; webhooks and gateway members import add them');
  const rows = reports.map(({ member, email, standing, charged_at, pro_until, claimed, reason }) => [
    member,
    email ?? '-',
    standing,
    charged_at ?? '-',
    pro_until ?? '-',
    claimed ? 'yes' : 'no',
    reason ?? '-',
  ]);
  print(
    formatTable([['member', 'email', 'standing', 'charged', 'pro_until', 'claimed', 'why not Pro'], ...rows]),
  );
}

async function revokeMember(id: string, { store, json }: StoreOptions): Promise<void> {
  const outcome = await withStore(store, async (opened) => {
    const membership = (await findMembership(opened, id)) ?? refuseUnknown(id, store);
    const { platform, member, charged_at } = membership;
    const event = { name: 'revoke', id: randomUUID(), member, charged_at, standing: 'revoked' } as const;
    return await applyEvents(opened, platform, [event], { actor: OPERATOR, now: Date.now() });
  });
  if (json) return print(JSON.stringify({ member: id, before: outcome.before, after: outcome.after }));
  print(
    outcome.before === null ? `${id} was not Pro` : `${id} is no longer Pro; it was until ${outcome.before}`,
  );
}

function refuseUnknown(id: string, store: string): never {
  throw new CommandError(
    `no member ${id} in the store ${nameStore(store)}; gateway members list shows all members`,
  );
}

/** The effect of an import on a member. */
interface Change extends Pick<Outcome, 'before' | 'after'> {
  member: string;
  email: string | null;
  has_account: boolean;
}

async function importMembers(file: string, options: ImportOptions): Promise<void> {
  const { platform: name, store, json, dryRun = false } = options;
  const { members, ignored } = await readFileOf(findPlatform(name), file);
  const { outcomes, absent } = await withStore(store, async (opened) => {
    const outcomes: Change[] = [];
    for (const events of members.values()) outcomes.push(await importMember(opened, name, events, !dryRun));
    return { outcomes, absent: await countAbsent(opened, name, members) };
  });
  const changed = outcomes.filter(({ before, after }) => before !== after);
  const unchanged = outcomes.length - changed.length;
  if (json) return print(JSON.stringify({ changed, unchanged, ignored, absent, dry_run: dryRun }));
  const rows = changed.map(({ member, email, before, after, has_account }) => [
    member,
    email ?? '-',
    before ?? '-',
    after ?? '-',
    has_account ? 'yes' : 'waiting',
  ]);
  if (rows.length > 0)
    print(`${formatTable([['member', 'email', 'pro_until', 'becomes', 'account'], ...rows])}\n`);
  print(
    `${changed.length} ${dryRun ? 'would change' : 'changed'}, ${unchanged} unchanged, ${ignored} rows ignored, ${absent} members not in the file`,
  );
}

async function importMember(
  store: Store,
  platform: string,
  events: readonly [MembershipEvent, ...MembershipEvent[]],
  commit: boolean,
): Promise<Change> {
  const [{ member, email = null }] = events;
  const { before, after, hasAccount } = await applyEvents(store, platform, events, {
    ...{ commit, actor: OPERATOR, now: Date.now() },
  });
  return { member: membershipId({ platform, member }), email, before, after, has_account: hasAccount };
}

async function countAbsent(store: Store, platform: string, members: Export['members']): Promise<number> {
  const memberships = (await listMemberships(store)).filter((each) => each.platform === platform);
  return memberships.filter(({ member }) => !members.has(member)).length;
}

function findPlatform(name: string): Platform {
  const platform = readMembershipSettings(process.env).find((one) => one.name === name);
  if (platform) return platform;
  throw new CommandError(
    `no environment variable says what buys Pro on ${name}; see gateway members import --help`,
    2,
  );
}

async function readFileOf(platform: Platform, file: string): Promise<Export> {
  try {
    return readExport(platform, await readFile(file));
  } catch (error) {
    if (error instanceof ExportError)
      throw new CommandError(`${file} was not imported, and nothing was changed:\n${error.message}`);
    const { code, message } = errorOf(error);
    if (code === undefined) throw error;
    throw new CommandError(`cannot read ${file}: ${code === 'ENOENT' ? 'the file does not exist' : message}`);
  }
}
