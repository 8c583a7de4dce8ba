import { Command } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import {
  addStoreOptions,
  formatTable,
  parseEmail,
  print,
  printReport,
  withStore,
  type StoreOptions,
} from '../../commands/store.ts';
import { findAccount } from '../../store/accounts.ts';
import { nameStore } from '../../store/open.ts';
import {
  ALL_SEEN,
  addRequest,
  type Decision,
  decideRequest,
  type GameRequest,
  isWaiting,
  listRequests,
} from '../requests.ts';

interface DecideOptions extends StoreOptions {
  game?: string;
  note?: string;
}

const ID_HELP = 'the number of the request, as gateway requests list shows it';

/** `gateway requests`: add game requests, and decide on them, also while gateways run on the same store. */
export function requestsCommand(): Command {
  const requests = new Command('requests');
  addStoreOptions(requests.command('add'))
    .description('request a game for an account; if the game was already requested, support that request')
    .argument('<email>', 'the email address of the account', parseEmail)
    .argument('<name>', 'the name of the game')
    .argument('<link>', 'its page in an app store, https://…')
    .addHelpText(
      'after',
      "\nExamples:\n  gateway requests add ada@example.org 'Blue Archive' 'https://play.google.com/store/apps/details?id=com.nexon.bluearchive'",
    )
    .action(add);
  addStoreOptions(requests.command('list'))
    .description('list the requests that are open or accepted, by rank')
    .option('--all', 'also list requests that are declined or done')
    .addHelpText(
      'after',
      `
Requests with a Pro supporter come first, then those with more supporters, then the older ones.

Examples:
  gateway requests list
  gateway requests list --all --json`,
    )
    .action(listAll);
  const deciding = (name: string, status: Decision['status'], description: string, examples: string) =>
    addStoreOptions(requests.command(name))
      .description(description)
      .argument('<id>', ID_HELP)
      .addHelpText('after', `\nExamples:\n${examples}`)
      .action((id: string, options: DecideOptions) => decide(id, status, options));
  const note = ['--note <text>', 'a note for the supporters of the request'] as const;
  deciding(
    'accept',
    'accepted',
    'mark a request as accepted: the game will be added',
    "  gateway requests accept 3 --game blue-archive\n  gateway requests accept 3 --note 'after the next build'",
  )
    .option(
      '--game <slug>',
      'the slug that the game will have: once it is in dist/, the supporters get a mail',
    )
    .option(...note);
  deciding(
    'decline',
    'declined',
    'mark a request as declined: the game will not be added',
    "  gateway requests decline 4 --note 'the game is shut down'",
  ).option(...note);
  deciding(
    'done',
    'done',
    'mark a request as done: the game is available; a running gateway mails the supporters',
    '  gateway requests done 3 --game blue-archive',
  ).option('--game <slug>', 'the slug of the game, if it was not set before');
  return requests;
}

async function add(email: string, name: string, link: string, { store, json }: StoreOptions): Promise<void> {
  const request = await withStore(store, async (opened) => {
    const account = await findAccount(opened, email);
    if (account) return await addRequest(opened, { account: account.id, seen: ALL_SEEN }, { name, link });
    throw new CommandError(
      `no account of ${email} in the store ${nameStore(store)}; gateway keys issue makes one`,
    );
  });
  printReport(describe(request), json);
}

async function listAll({ store, json, all }: StoreOptions & { all?: true }): Promise<void> {
  const shown = (await withStore(store, (opened) => listRequests(opened))).filter(
    (request) => all || isWaiting(request),
  );
  if (json) return print(JSON.stringify(shown.map((each) => ({ ...describe(each), pro: each.pro }))));
  if (shown.length === 0) return print(all ? 'no requests yet' : 'no open or accepted requests');
  const rows = shown.map(({ id, status, supporters, pro, created_at, game, name, link }) => [
    ...[id, status, String(supporters), String(pro), created_at.slice(0, 10), game ?? '-', name, link],
  ]);
  print(formatTable([['id', 'status', 'supporters', 'pro', 'asked', 'game', 'name', 'link'], ...rows]));
}

async function decide(id: string, status: Decision['status'], options: DecideOptions): Promise<void> {
  const { store, json, game, note } = options;
  if (game !== undefined && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(game))
    throw new CommandError(
      `--game ${JSON.stringify(game)} is not a slug; expected lowercase letters, digits and single hyphens`,
      2,
    );
  const decided = await withStore(store, (opened) => decideRequest(opened, id, { status, game, note }));
  printReport(describe(decided), json);
}

function describe({ pro: _, isOwn: __, ...request }: GameRequest): object {
  return request;
}
