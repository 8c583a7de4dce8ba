import { Command } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { findAccount } from '../people/accounts/accounts.ts';
import { type GameRequest, type RankedRequest, RequestError } from '../people/game-requests/game-request.ts';
import { addRequest, decideRequest, listRequests } from '../people/game-requests/requests.ts';
import { nameStore } from '../store/address.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/transaction.ts';
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

interface ListOptions extends StoreOptions {
  all?: true;
}

interface DecideOptions extends StoreOptions {
  game?: string;
  note?: string;
}

const ID_HELP = 'its number, as gateway requests list shows it';
const NOTE = ['--note <text>', 'what those who asked are told about it'] as const;

/**
 * `gateway requests`: ask for games, and say what becomes of it, also while gateways run on the same store.
 *
 * @param now milliseconds since 1970
 */
export function requestsCommand(now: Clock = Date.now): Command {
  const requests = new Command('requests').description(
    'add, list, accept, decline and finish requests for games',
  );
  addStoreOptions(requests.command('add'))
    .description(
      'ask for a game in the name of an account; where the game was asked for before, support that',
    )
    .argument('<email>', 'whose account it is', parseEmail)
    .argument('<name>', 'what the game is called')
    .argument('<link>', 'its page in a store, https://…')
    .addHelpText('after', EXAMPLES.add)
    .action((email: string, name: string, link: string, options: StoreOptions) =>
      add({ email, name, link }, options, now),
    );
  addStoreOptions(requests.command('list'))
    .description('list the requests that are open or accepted, those to look at first at the top')
    .option('--all', 'also those that are declined or done')
    .addHelpText('after', EXAMPLES.list)
    .action((options: ListOptions) => listAll(options, now));
  addStoreOptions(requests.command('accept'))
    .description('say that a game will be added')
    .argument('<id>', ID_HELP)
    .option('--game <slug>', 'the slug that it will have: once dist/ has it, those who asked are told')
    .option(...NOTE)
    .addHelpText('after', EXAMPLES.accept)
    .action((id: string, options: DecideOptions) => decide(id, 'accepted', options, now));
  addStoreOptions(requests.command('decline'))
    .description('say that a game will not be added')
    .argument('<id>', ID_HELP)
    .option(...NOTE)
    .addHelpText('after', EXAMPLES.decline)
    .action((id: string, options: DecideOptions) => decide(id, 'declined', options, now));
  addStoreOptions(requests.command('done'))
    .description('say that a game is there; a running gateway mails those who asked')
    .argument('<id>', ID_HELP)
    .option('--game <slug>', 'the slug that it has, where it was not said before')
    .addHelpText('after', EXAMPLES.done)
    .action((id: string, options: DecideOptions) => decide(id, 'done', options, now));
  return requests;
}

const EXAMPLES = {
  add: `
Examples:
  gateway requests add ada@example.org 'Blue Archive' 'https://play.google.com/store/apps/details?id=com.nexon.bluearchive'`,
  list: `
Requests that an account with Pro supports come first, then those with more supporters, then the older ones.

Examples:
  gateway requests list
  gateway requests list --all --json`,
  accept: `
Examples:
  gateway requests accept 3 --game blue-archive
  gateway requests accept 3 --note 'after the next patch'`,
  decline: `
Examples:
  gateway requests decline 4 --note 'the game is shut down'`,
  done: `
Examples:
  gateway requests done 3 --game blue-archive`,
};

async function add(
  { email, name, link }: { email: string; name: string; link: string },
  { store, json }: StoreOptions,
  now: Clock,
): Promise<void> {
  const request = await work(store, async (opened) => {
    const account = await transact(opened, (transaction) => findAccount(transaction, email));
    if (account) return await addRequest(opened, { account: account.id, name, link, now: now() });
    throw new CommandError(
      `no account of ${email} in the store ${nameStore(store)}; gateway keys issue makes one`,
    );
  });
  printReport(describe(request), json);
}

async function listAll({ store, json, all }: ListOptions, now: Clock): Promise<void> {
  const ranked = await work(store, (opened) => listRequests(opened, now()));
  const shown = all
    ? ranked
    : ranked.filter(({ request: { status } }) => status === 'open' || status === 'accepted');
  if (json) return print(JSON.stringify(shown.map(describeRanked)));
  if (shown.length === 0) return print(all ? 'no requests yet' : 'no requests to look at');
  const rows = shown.map(({ request, pro }) => [
    request.id,
    request.status,
    String(request.supporters.length),
    String(pro),
    request.created_at.slice(0, 10),
    request.game ?? '-',
    request.name,
    request.link,
  ]);
  print(formatTable([['id', 'status', 'supporters', 'pro', 'asked', 'game', 'name', 'link'], ...rows]));
}

async function decide(
  id: string,
  status: 'accepted' | 'declined' | 'done',
  { store, json, game, note }: DecideOptions,
  now: Clock,
): Promise<void> {
  if (game !== undefined && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(game)) {
    throw new CommandError(
      `--game ${JSON.stringify(game)} is no slug; expected lowercase letters, digits and single hyphens`,
      2,
    );
  }
  const decision = {
    id,
    status,
    ...(game !== undefined && { game }),
    ...(note !== undefined && { note }),
    now: now(),
  };
  printReport(describe(await work(store, (opened) => decideRequest(opened, decision))), json);
}

/** Does work on the store; what is wrong with a request is a message. */
async function work<T>(store: string, task: (opened: Store) => Promise<T>): Promise<T> {
  try {
    return await withStore(store, task);
  } catch (error) {
    throw error instanceof RequestError ? new CommandError(error.message) : error;
  }
}

/** What is told of a request: of its supporters only how many they are. */
function describe({ supporters, ...request }: GameRequest): object {
  return { ...request, supporters: supporters.length };
}

function describeRanked({ request, pro }: RankedRequest): object {
  return { ...describe(request), pro };
}
