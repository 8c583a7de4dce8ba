import { Command } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import {
  addStoreOptions,
  type Clock,
  formatTable,
  parseEmail,
  print,
  printReport,
  type StoreOptions,
  withStore,
} from '../../commands/store.ts';
import { InputError } from '../../http/problem.ts';
import { findAccount } from '../../store/accounts.ts';
import { nameStore } from '../../store/open.ts';
import { transact } from '../../store/records.ts';
import type { Store } from '../../store/sql.ts';
import { ALL_SEEN, type GameRequest, type RankedRequest } from '../game-requests/game-request.ts';
import { addRequest, decideRequest, listRequests } from '../game-requests/requests.ts';

interface ListOptions extends StoreOptions {
  all?: true;
}

interface DecideOptions extends StoreOptions {
  game?: string;
  note?: string;
}

const ID_HELP = 'the number of the request, as gateway requests list shows it';
const NOTE = ['--note <text>', 'a note for the supporters of the request'] as const;

/**
 * `gateway requests`: add game requests, and decide on them, also while gateways run on the same store.
 *
 * @param now milliseconds since 1970
 */
export function requestsCommand(now: Clock = Date.now): Command {
  const requests = new Command('requests');
  addStoreOptions(requests.command('add'))
    .description('request a game for an account; if the game was already requested, support that request')
    .argument('<email>', 'the email address of the account', parseEmail)
    .argument('<name>', 'the name of the game')
    .argument('<link>', 'its page in an app store, https://…')
    .addHelpText('after', EXAMPLES.add)
    .action((email: string, name: string, link: string, options: StoreOptions) =>
      add({ email, name, link }, options, now),
    );
  addStoreOptions(requests.command('list'))
    .description('list the requests that are open or accepted, by rank')
    .option('--all', 'also list requests that are declined or done')
    .addHelpText('after', EXAMPLES.list)
    .action((options: ListOptions) => listAll(options, now));
  addStoreOptions(requests.command('accept'))
    .description('mark a request as accepted: the game will be added')
    .argument('<id>', ID_HELP)
    .option(
      '--game <slug>',
      'the slug that the game will have: once it is in dist/, the supporters get a mail',
    )
    .option(...NOTE)
    .addHelpText('after', EXAMPLES.accept)
    .action((id: string, options: DecideOptions) => decide(id, 'accepted', options, now));
  addStoreOptions(requests.command('decline'))
    .description('mark a request as declined: the game will not be added')
    .argument('<id>', ID_HELP)
    .option(...NOTE)
    .addHelpText('after', EXAMPLES.decline)
    .action((id: string, options: DecideOptions) => decide(id, 'declined', options, now));
  addStoreOptions(requests.command('done'))
    .description('mark a request as done: the game is available; a running gateway mails the supporters')
    .argument('<id>', ID_HELP)
    .option('--game <slug>', 'the slug of the game, if it was not set before')
    .addHelpText('after', EXAMPLES.done)
    .action((id: string, options: DecideOptions) => decide(id, 'done', options, now));
  return requests;
}

const EXAMPLES = {
  add: `
Examples:
  gateway requests add ada@example.org 'Blue Archive' 'https://play.google.com/store/apps/details?id=com.nexon.bluearchive'`,
  list: `
Requests with a Pro supporter come first, then those with more supporters, then the older ones.

Examples:
  gateway requests list
  gateway requests list --all --json`,
  accept: `
Examples:
  gateway requests accept 3 --game blue-archive
  gateway requests accept 3 --note 'after the next build'`,
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
    if (account)
      return await addRequest(opened, { account: account.id, seen: ALL_SEEN, name, link, now: now() });
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
  if (shown.length === 0) return print(all ? 'no requests yet' : 'no open or accepted requests');
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
      `--game ${JSON.stringify(game)} is not a slug; expected lowercase letters, digits and single hyphens`,
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

/** Opens the store and runs a task. A InputError becomes a CommandError. */
async function work<T>(store: string, task: (opened: Store) => Promise<T>): Promise<T> {
  try {
    return await withStore(store, task);
  } catch (error) {
    throw error instanceof InputError ? new CommandError(error.message) : error;
  }
}

/** Describes a request, with the number of its supporters instead of their ids. */
function describe({ supporters, ...request }: GameRequest): object {
  return { ...request, supporters: supporters.length };
}

function describeRanked({ request, pro }: RankedRequest): object {
  return { ...describe(request), pro };
}
