import { Command, Option } from 'commander';
import { CommandError } from '../../../scripts/system.ts';
import { addCommand, parseEmail, reportList, reportOn } from '../../commands/store.ts';
import { findAccount } from '../../store/accounts.ts';
import {
  ALL_SEEN,
  addRequest,
  type Decision,
  decideRequest,
  type GameRequest,
  isWaiting,
  listRequests,
} from '../requests.ts';
import { refuseUnknown } from './accounts.ts';

const NOTE = new Option('--note <text>', 'a note for the supporters of the request');

/** The decisions on a request, each with its command. */
type DecisionCommand = Pick<Decision, 'status'> & { about: string; options: Option[]; examples: string[] };
const DECISIONS: Readonly<Record<string, DecisionCommand>> = {
  accept: {
    status: 'accepted',
    about: 'mark a request as accepted: the game will be added',
    options: [
      new Option(
        '--game <slug>',
        'the slug that the game will have: once it is in dist/, the supporters get a mail',
      ),
      NOTE,
    ],
    examples: ['3 --game blue-archive', "3 --note 'after the next build'"],
  },
  decline: {
    status: 'declined',
    about: 'mark a request as declined: the game will not be added',
    options: [NOTE],
    examples: ["4 --note 'the game is shut down'"],
  },
  done: {
    status: 'done',
    about: 'mark a request as done: the game is available; a running gateway mails the supporters',
    options: [new Option('--game <slug>', 'the slug of the game, if it was not set before')],
    examples: ['3 --game blue-archive'],
  },
};

/** `gateway requests`: adds game requests and decides on them, also while gateways use the store. */
export function requestsCommand(): Command {
  const requests = new Command('requests');
  addCommand(requests, 'add', {
    about: 'request a game for an account; if the game was already requested, support that request',
    args: [
      ['<email>', 'the email address of the account', parseEmail],
      ['<name>', 'the name of the game'],
      ['<link>', 'its page in an app store, https://…'],
    ],
    examples: [
      "ada@example.org 'Blue Archive' 'https://play.google.com/store/apps/details?id=com.nexon.bluearchive'",
    ],
    async run(store, _, email: string, name: string, link: string) {
      const account =
        (await findAccount(store, email)) ?? refuseUnknown(store, email, 'gateway keys issue makes one');
      return reportOn(
        describe(await addRequest(store, { account: account.id, seen: ALL_SEEN }, { name, link })),
      );
    },
  });
  addCommand<{ all?: true }>(requests, 'list', {
    about: 'list the requests that are open or accepted, by rank',
    options: [new Option('--all', 'also list requests that are declined or done')],
    note: 'Requests with a Pro supporter come first, then those with more supporters, then the older ones.',
    async run(store, { all }) {
      const shown = (await listRequests(store)).filter((request) => all || isWaiting(request));
      const list = shown.map((each) => ({
        ...describe(each),
        pro: each.pro,
        asked: each.created_at.slice(0, 10),
      }));
      const names = ['id', 'status', 'supporters', 'pro', 'asked', 'game', 'name', 'link'] as const;
      const columns = Object.fromEntries(names.map((each) => [each, each]));
      const none = all ? 'no requests yet' : 'no open or accepted requests';
      const json = list.map(({ asked: _, ...request }) => request);
      return { ...reportList(list, columns, none), json };
    },
  });
  for (const [name, { status, ...decision }] of Object.entries(DECISIONS))
    addCommand<{ game?: string; note?: string }>(requests, name, {
      ...decision,
      args: [['<id>', 'the number of the request, as gateway requests list shows it']],
      async run(store, { game, note }, id: string) {
        if (game !== undefined && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(game))
          throw new CommandError(
            `--game ${JSON.stringify(game)} is not a slug; expected lowercase letters, digits and single hyphens`,
            2,
          );
        return reportOn(describe(await decideRequest(store, id, { status, game, note })));
      },
    });
  return requests;
}

const describe = ({ pro: _, isOwn: __, ...request }: GameRequest) => request;
