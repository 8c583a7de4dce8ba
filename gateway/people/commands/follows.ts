import { Command, InvalidArgumentError, Option } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import { addStoreOptions, parseEmail, print, type StoreOptions } from '../../commands/store.ts';
import { DistError, readIndex } from '../../data/dist-files.ts';
import { InputError, quote, suggest } from '../../http/problem.ts';
import {
  ALL_GAMES,
  changeFollows,
  isTopic,
  NEW_GAMES,
  readFollows,
  type Topic,
} from '../alerts/subscription.ts';
import { withAccount } from './accounts.ts';

/** The option of commands that check the names of games. */
export function distOption(): Option {
  return new Option(
    '--dist <folder>',
    'the folder of the games; if the gateway reads dist from elsewhere, the folder of its copy',
  )
    .env('GATEWAY_DIST')
    .default('dist');
}

interface AddOptions extends StoreOptions {
  dist: string;
}

const TOPICS_HELP = `slugs of games, ${ALL_GAMES}, or ${NEW_GAMES}`;

/** `gateway follows`: what accounts follow, also while gateways run on the same store. */
export function followsCommand(): Command {
  const follows = new Command('follows');
  addStoreOptions(follows.command('list'))
    .description('list what an account follows')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addHelpText('after', EXAMPLES.list)
    .action((email: string, options: StoreOptions) => listFollows(email, options));
  addStoreOptions(follows.command('add'))
    .description(
      'add games that an account follows: while it is Pro, it gets alerts for new builds and corrections',
    )
    .argument('<email>', 'the email address of the account', parseEmail)
    .argument('<topics...>', TOPICS_HELP, collectTopics)
    .addOption(distOption())
    .addHelpText('after', EXAMPLES.add)
    .action((email: string, topics: Topic[], options: AddOptions) => addFollows(email, topics, options));
  addStoreOptions(follows.command('remove'))
    .description('remove games that an account follows')
    .argument('<email>', 'the email address of the account', parseEmail)
    .argument('<topics...>', TOPICS_HELP, collectTopics)
    .addHelpText('after', EXAMPLES.remove)
    .action((email: string, topics: Topic[], options: StoreOptions) => removeFollows(email, topics, options));
  return follows;
}

const EXAMPLES = {
  list: `
Examples:
  gateway follows list ada@example.org --json`,
  add: `
gateway alerts sets the channels.

Examples:
  gateway follows add ada@example.org genshin-impact arknights
  gateway follows add ada@example.org new_games                  every new game, but not its later builds
  gateway follows add ada@example.org all_games                  everything`,
  remove: `
Examples:
  gateway follows remove ada@example.org arknights`,
};

async function listFollows(email: string, { store, json }: StoreOptions): Promise<void> {
  const follows = await withAccount(store, email, (opened, { id }) => readFollows(opened, id));
  printFollows(email, follows, json);
}

async function addFollows(email: string, topics: Topic[], { store, dist, json }: AddOptions): Promise<void> {
  await refuseUnknown(topics, dist);
  const follows = await withAccount(store, email, async (opened, { id }) => {
    try {
      return await changeFollows(opened, id, { add: topics, remove: [] });
    } catch (error) {
      throw error instanceof InputError ? new CommandError(error.message) : error;
    }
  });
  printFollows(email, follows, json);
}

async function removeFollows(email: string, topics: Topic[], { store, json }: StoreOptions): Promise<void> {
  const follows = await withAccount(store, email, (opened, { id }) =>
    changeFollows(opened, id, { add: [], remove: topics }),
  );
  printFollows(email, follows, json);
}

function printFollows(email: string, follows: readonly Topic[], json: true | undefined): void {
  const lines = () => (follows.length === 0 ? `${email} follows nothing` : follows.join('\n'));
  print(json ? JSON.stringify({ email, follows }) : lines());
}

/** Refuses slugs that do not exist, of which a typing error would never be noticed. @throws CommandError */
async function refuseUnknown(topics: readonly Topic[], dist: string): Promise<void> {
  const slugs = topics.filter((topic) => topic !== ALL_GAMES && topic !== NEW_GAMES);
  if (slugs.length === 0) return;
  const games = await readSlugs(dist);
  const unknown = slugs.find((slug) => !games.includes(slug));
  if (unknown === undefined) return;
  throw new CommandError(`${dist} has no game ${quote(unknown)}${suggest(unknown, games)}`);
}

async function readSlugs(dist: string): Promise<string[]> {
  try {
    return (await readIndex(dist)).games.map(({ slug }) => slug);
  } catch (error) {
    throw error instanceof DistError ? new CommandError(error.message) : error;
  }
}

function collectTopics(text: string, before: Topic[] = []): Topic[] {
  if (isTopic(text)) return [...before, text];
  throw new InvalidArgumentError(`Expected ${TOPICS_HELP}.`);
}
