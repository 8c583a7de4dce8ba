import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { CommandError, orCommandError } from '../../../scripts/system.ts';
import { addCommand, reportList, reportOn } from '../../commands/store.ts';
import { InputError } from '../../http/problem.ts';
import { OPERATOR } from '../../store/audit.ts';
import {
  applyEvents,
  describeMembership,
  findMembership,
  listMemberships,
} from '../membership/membership.ts';
import { readExport } from '../membership/platform.ts';
import { PLATFORM_NAMES, readPlatforms } from '../membership/webhooks.ts';

/** `gateway members`: lists and imports memberships, also while gateways use the store. */
export function membersCommand(): Command {
  const members = new Command('members').description('list, import and revoke memberships');
  addCommand(members, 'list', {
    about: 'list all memberships that platforms have reported',
    async run(store) {
      const list = (await listMemberships(store)).map(describeMembership);
      return reportList(list, 'no memberships yet; webhooks and gateway members import add them');
    },
  });
  addCommand(members, 'revoke', {
    about: 'end the last paid period of a member, as a refund does; the next charge counts again',
    args: [['<member>', 'as gateway members list shows it']],
    async run(store, _, id: string) {
      const membership = await findMembership(store, id);
      if (!membership)
        throw new CommandError(
          `no member ${id} in the store ${store.name}; gateway members list shows all members`,
        );
      const { platform, member, charged_at } = membership;
      const event = { name: 'revoke', member, charged_at, standing: 'revoked', paid: null } as const;
      const { before, after } = await applyEvents(store, platform, [event], { actor: OPERATOR });
      return reportOn({ member: id, before, after });
    },
  });
  addCommand<{ platform: string; dryRun?: true }>(members, 'import', {
    about: 'apply what webhooks missed, from a platform’s export of its members',
    args: [['<csv>', 'the file: for Patreon the members, for Ko-fi the transactions']],
    options: [
      new Option('--platform <name>', 'the platform of the export')
        .choices(PLATFORM_NAMES)
        .makeOptionMandatory(),
      new Option('--dry-run', 'print what would change, and change nothing'),
    ],
    note: `The environment says what buys Pro, as for gateway serve: PATREON_TIERS, PATREON_MIN_CENTS, KOFI_TIERS and KOFI_MIN_AMOUNT.

A member who is not in the file does not change, and neither does one whose last charge is newer in the store.`,
    examples: ['members.csv --platform patreon --dry-run', 'transactions.csv --platform ko-fi --json'],
    async run(store, { platform, dryRun = false }, file: string) {
      const { members, ignored } = await readFileOf(platform, file);
      const changed: object[] = [];
      for (const events of members.values()) {
        const [{ member, email = null }] = events;
        const options = { commit: !dryRun, actor: OPERATOR };
        const { before, after, hasAccount } = await applyEvents(store, platform, events, options);
        if (before !== after)
          changed.push({ member: `${platform}:${member}`, email, before, after, has_account: hasAccount });
      }
      const known = (await listMemberships(store)).filter((each) => each.platform === platform);
      const absent = known.filter(({ member }) => !members.has(member)).length;
      const unchanged = members.size - changed.length;
      return reportOn({ changed, unchanged, ignored, absent, dry_run: dryRun });
    },
  });
  return members;
}

async function readFileOf(name: string, file: string) {
  const platform = readPlatforms(process.env).find((one) => one.name === name);
  if (!platform)
    throw new CommandError(
      `no environment variable says what buys Pro on ${name}; see gateway members import --help`,
      2,
    );
  const bytes = await orCommandError(readFile(file), (reason) => `cannot read ${file}: ${reason}`);
  try {
    return readExport(platform, bytes);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new CommandError(`${file} was not imported, and nothing was changed:\n${error.message}`);
  }
}
