import { Command, Option } from 'commander';
import { addCommand, reportList, reportOn } from '../../commands/store.ts';
import {
  ALL_SEEN,
  addRequest,
  type Decision,
  decideRequest,
  type GameRequest,
  isWaiting,
  listRequests,
} from '../requests.ts';
import { addAccountCommand } from './accounts.ts';

/** The decisions on a request, each with its command. */
const DECISIONS: Record<string, [status: Decision['status'], about: string]> = {
  accept: [
    'accepted',
    'mark a request as accepted: the game will be added; once it is in dist/, the supporters get a mail',
  ],
  decline: ['declined', 'mark a request as declined: the game will not be added'],
  done: ['done', 'mark a request as done: the game is available; a running gateway mails the supporters'],
};

/** `gateway requests`: adds game requests and decides on them, also while gateways use the store. */
export function requestsCommand(): Command {
  const requests = new Command('requests').description('add, list, accept, decline and finish game requests');
  addAccountCommand(requests, 'add', {
    about: 'request a game for an account; if the game was already requested, support that request',
    args: [
      ['<name>', 'the name of the game'],
      ['<link>', 'its page in an app store, https://…'],
    ],
    async run(store, { id }, _, name: string, link: string) {
      return reportOn(describe(await addRequest(store, { account: id, seen: ALL_SEEN }, { name, link })));
    },
  });
  addCommand<{ all?: true }>(requests, 'list', {
    about: 'list the requests that are open or accepted, by rank',
    options: [new Option('--all', 'also list requests that are declined or done')],
    note: 'Requests with a Pro supporter come first, then those with more supporters, then the older ones.',
    async run(store, { all }) {
      const shown = (await listRequests(store)).filter((request) => all || isWaiting(request));
      return reportList(shown.map(describe), all ? 'no requests yet' : 'no open or accepted requests');
    },
  });
  for (const [name, [status, about]] of Object.entries(DECISIONS))
    addCommand<{ game?: string; note?: string }>(requests, name, {
      about,
      args: [['<id>', 'the number of the request, as gateway requests list shows it']],
      options: [
        new Option('--game <slug>', 'the slug that the game has or will have'),
        new Option('--note <text>', 'a note for the supporters of the request'),
      ],
      async run(store, { game, note }, id: string) {
        return reportOn(describe(await decideRequest(store, id, { status, game, note })));
      },
    });
  return requests;
}

/** The order of the columns of the list. */
function describe({ id, status, supporters, pro, created_at, game, name, link, note }: GameRequest) {
  return { id, status, supporters, pro, created_at, game, name, link, note };
}
