import type { Caller } from '../../../access/ports.ts';
import type { Route } from '../../../api/route.ts';
import { HttpProblem } from '../../../http/problem.ts';
import { ParameterError, type RawQuery } from '../../../http/raw-query.ts';
import { quote } from '../../../http/suggest.ts';
import { holderOf, isPublic } from '../../../access/account.ts';
import { ALL_GAMES, isTopic, NEW_GAMES, type Topic } from '../subscription.ts';

const LAST_EVENT_ID = /^\d{1,12}$/;
const MAX_TOPICS = 100;

export const eventsRoute: Route = {
  path: '/api/events',
  operationId: 'streamEvents',
  summary: 'Events as they happen',
  description:
    'An endless stream of server-sent events about what the account follows: `game.added`, `build.released` and `build.amended`, each with the event ' +
    'as JSON in `data`. A client that reconnects with the header `Last-Event-ID` gets the events of the last 90 days that it missed; without it, it gets ' +
    'events from now on. A comment every 15 seconds shows that the stream is alive. An account can have five streams at once per gateway process, which its keys with open streams divide.',
  needsKey: true,
  isPersonal: true,
  isPro: true,
  parameters: [
    {
      name: 'follows',
      description:
        'What to send events about, instead of what the account follows: slugs of games, `all_games`, or `new_games`, separated by commas. A browser key needs it.',
      schema: { type: 'string' },
      example: 'genshin-impact,new_games',
    },
  ],
  result: 'GameEvent',
  isStream: true,
  problems: ['too-many-streams'],
  handle({ caller: known, query, lastEventId }, { people, isStillPro }) {
    const caller = known as Caller;
    const follows = readFollows(query);
    if (follows === undefined && isPublic(caller.key)) throw needsFollows();
    const after = readLastEventId(lastEventId);
    const { streams } = people;
    if (!streams) throw new HttpProblem('not-found', 'this gateway has no streams of events');
    const request = {
      account: caller.account.id,
      holder: holderOf(caller),
      isAllowed: () => isStillPro(caller.key),
      ...(follows && { follows }),
      ...(after !== undefined && { after }),
    };
    return { stream: (response) => streams.serve(request, response) };
  },
};

/** Everyone can read a browser key: it must not reveal what its account follows. */
function needsFollows(): ParameterError {
  return new ParameterError(
    'follows',
    `follows is missing, which a browser key needs; expected slugs of games, ${ALL_GAMES} or ${NEW_GAMES}`,
  );
}

/** @throws ParameterError */
function readFollows(query: RawQuery): Topic[] | undefined {
  if (query.length === 0) return undefined;
  const topics = query.flatMap(([, value]) => value.split(','));
  const wrong = topics.find((topic) => !isTopic(topic));
  if (wrong !== undefined) {
    throw new ParameterError(
      'follows',
      `${quote(wrong)} cannot be followed; expected slugs of games, ${ALL_GAMES} or ${NEW_GAMES}`,
    );
  }
  if (topics.length > MAX_TOPICS) {
    throw new ParameterError(
      'follows',
      `follows has ${topics.length} entries, expected at most ${MAX_TOPICS}`,
    );
  }
  return topics;
}

/** @throws ParameterError */
function readLastEventId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (LAST_EVENT_ID.test(text)) return Number(text);
  throw new ParameterError(
    'Last-Event-ID',
    'the header Last-Event-ID is not the id of an event, expected the last id that was received',
  );
}
