import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { CommandError, errorOf } from '../../../scripts/system.ts';
import { addStoreOptions, formatTable, print, withStore, type StoreOptions } from '../../commands/store.ts';
import { OPERATOR } from '../../store/audit.ts';
import { nameStore } from '../../store/open.ts';
import {
  applyEvents,
  describeMembership,
  findMembership,
  listMemberships,
} from '../membership/membership.ts';
import { type Export, ExportError, readExport } from '../membership/platform.ts';
import { PLATFORM_NAMES, readPlatforms } from '../membership/webhooks.ts';

interface ImportOptions extends StoreOptions {
  platform: string;
  dryRun?: true;
}

/** `gateway members`: list memberships, and import them, also while gateways run on the same store. */
export function membersCommand(): Command {
  const members = new Command('members');
  addStoreOptions(members.command('list'))
    .description('list all memberships that platforms have reported')
    .addHelpText('after', '\nExamples:\n  gateway members list\n  gateway members list --json')
    .action(listMembers);
  addStoreOptions(members.command('revoke'))
    .description('end the last paid period of a member, as a refund does; the next charge counts again')
    .argument('<member>', 'as gateway members list shows it')
    .addHelpText('after', '\nExamples:\n  gateway members revoke ko-fi:Zc1xq0xJ5o3k8Yb2m7h9Qw')
    .action(revokeMember);
  addStoreOptions(members.command('import'))
    .description('apply what webhooks missed, from a platform’s export of its members')
    .argument('<csv>', 'the file: for Patreon the members, for Ko-fi the transactions')
    .addOption(
      new Option('--platform <name>', 'the platform of the export')
        .choices(PLATFORM_NAMES)
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'print what would change, and change nothing')
    .addHelpText(
      'after',
      `
The environment says what buys Pro, as for gateway serve: PATREON_TIERS, PATREON_MIN_CENTS, KOFI_TIERS and KOFI_MIN_AMOUNT.

A member who is not in the file does not change, and neither does one whose last charge is newer in the store.

Examples:
  gateway members import members.csv --platform patreon --dry-run
  gateway members import transactions.csv --platform ko-fi --json`,
    )
    .action(importMembers);
  return members;
}

async function listMembers({ store, json }: StoreOptions): Promise<void> {
  const all = await withStore(store, (opened) => listMemberships(opened));
  const reports = all.map(describeMembership);
  if (json) return print(JSON.stringify(reports));
  if (reports.length === 0) return print('no memberships yet; webhooks and gateway members import add them');
  const rows = reports.map(({ member, email, standing, charged_at, pro_until, claimed, reason }) =>
    [member, email, standing, charged_at, pro_until, claimed ? 'yes' : 'no', reason].map(
      (cell) => cell ?? '-',
    ),
  );
  const head = ['member', 'email', 'standing', 'charged', 'pro_until', 'claimed', 'why not Pro'];
  print(formatTable([head, ...rows]));
}

async function revokeMember(id: string, { store, json }: StoreOptions): Promise<void> {
  const { before, after } = await withStore(store, async (opened) => {
    const membership = await findMembership(opened, id);
    if (!membership)
      throw new CommandError(
        `no member ${id} in the store ${nameStore(store)}; gateway members list shows all members`,
      );
    const { platform, member, charged_at } = membership;
    const event = { name: 'revoke', id: randomUUID(), member, charged_at, standing: 'revoked' } as const;
    return await applyEvents(opened, platform, [event], { actor: OPERATOR });
  });
  if (json) return print(JSON.stringify({ member: id, before, after }));
  print(before === null ? `${id} was not Pro` : `${id} is no longer Pro; it was until ${before}`);
}

async function importMembers(file: string, options: ImportOptions): Promise<void> {
  const { platform, store, json, dryRun = false } = options;
  const { members, ignored } = await readFileOf(platform, file);
  const { outcomes, absent } = await withStore(store, async (opened) => {
    const outcomes: {
      member: string;
      email: string | null;
      before: string | null;
      after: string | null;
      has_account: boolean;
    }[] = [];
    for (const events of members.values()) {
      const [{ member, email = null }] = events;
      const options = { commit: !dryRun, actor: OPERATOR };
      const { before, after, hasAccount } = await applyEvents(opened, platform, events, options);
      outcomes.push({ member: `${platform}:${member}`, email, before, after, has_account: hasAccount });
    }
    const known = (await listMemberships(opened)).filter((each) => each.platform === platform);
    return { outcomes, absent: known.filter(({ member }) => !members.has(member)).length };
  });
  const changed = outcomes.filter(({ before, after }) => before !== after);
  const unchanged = outcomes.length - changed.length;
  if (json) return print(JSON.stringify({ changed, unchanged, ignored, absent, dry_run: dryRun }));
  const rows = changed.map(({ member, email, before, after, has_account }) =>
    [member, email, before, after, has_account ? 'yes' : 'waiting'].map((cell) => cell ?? '-'),
  );
  if (rows.length > 0)
    print(`${formatTable([['member', 'email', 'pro_until', 'becomes', 'account'], ...rows])}\n`);
  print(
    `${changed.length} ${dryRun ? 'would change' : 'changed'}, ${unchanged} unchanged, ${ignored} rows ignored, ${absent} members not in the file`,
  );
}

async function readFileOf(name: string, file: string): Promise<Export> {
  const platform = readPlatforms(process.env).find((one) => one.name === name);
  if (!platform)
    throw new CommandError(
      `no environment variable says what buys Pro on ${name}; see gateway members import --help`,
      2,
    );
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
