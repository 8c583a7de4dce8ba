import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate, type Caller } from '../access/authenticate.ts';
import { type Charge, type ChargeKind, chargeRequest } from '../access/charge.ts';
import type { KeyFinder } from '../access/key-cache.ts';
import { createMeter } from '../access/meter.ts';
import type { Catalog, View } from '../catalog/catalog.ts';
import type { DistFollower } from '../catalog/follow-dist.ts';
import { withNewest } from '../catalog/with-newest.ts';
import { isApi } from '../http/check-request.ts';
import { proOnly } from '../http/problem.ts';
import { andThen, orElse } from '../lib/and-then.ts';
import type { Log } from '../log/log.ts';
import { TIERS } from '../plans/tiers.ts';
import { ParameterError } from '../query/parameter-error.ts';
import { parseRawQuery, type RawQuery } from '../query/raw-query.ts';
import { type Reply, ReplyCache, type ReplyPlace } from '../wire/reply-cache.ts';
import {
  type Answer,
  hasBytes,
  isUnchanged,
  type StreamAnswer,
  sendAnswer,
  sendReply,
  suffices,
} from '../wire/respond.ts';
import { type FileAnswer, sendFile } from '../wire/send-file.ts';
import type { FoundRoute } from './routes/find-route.ts';
import { type Route, type RouteAnswer, rejectParameters, type Services } from './routes/route.ts';
import { isFault } from './to-problem.ts';

/** A request while it is answered: `caller` once its key is known, `charge` once its account is charged. */
export interface Incoming extends IncomingMessage {
  /** The target's path as sent, and the rest of it from its `?` on. */
  path: string;
  search: string;
  caller?: Caller;
  charge?: Charge;
}

/** What the API is answered with. */
export interface ApiOptions {
  follower: DistFollower;
  keys: KeyFinder;
  services: Services;
  log: Log;
  /** ms since 1970. */
  now: () => number;
}

/** Answers the routes: finds out who asks, charges the account, and sends what the caller may see. What fails is thrown. */
export interface Api {
  /** Answers a request for a route; at once where all that it takes is in memory. */
  answer(found: FoundRoute, request: Incoming, response: ServerResponse): void | Promise<void>;
  /** Refuses what no route takes; under /api only to who has a key, and it counts. */
  refuse(request: Incoming, problem: Error): Promise<never>;
}

const REPLY_CACHE_BYTES = 64 * 1024 * 1024;

/** Makes what answers the routes. */
export function createApi({ follower, keys, services, log, now }: ApiOptions): Api {
  const replies = new ReplyCache(REPLY_CACHE_BYTES);
  const meter = createMeter(services.store, now, log);

  const identify = (request: Incoming): Caller | Promise<Caller> =>
    andThen(authenticate(request, keys, now()), (caller) => {
      request.caller = caller;
      return caller;
    });
  const viewOf = ({ caller }: Incoming, { isSigned }: Route, catalog: Catalog): View =>
    catalog.viewAt(now(), caller?.tier ?? (isSigned ? 'pro' : 'free'));
  const placeOf = (request: Incoming): ReplyPlace => replies.placeOf(request, request.caller?.tier);
  const send = (
    { isPersonal }: Route,
    request: Incoming,
    response: ServerResponse,
    { answer, place, view }: { answer: Answer | FileAnswer; place: ReplyPlace; view: View },
  ): void | Promise<void> => {
    if ('files' in answer) return sendFile(request, response, answer);
    return sendAnswer(request, response, answer, place, {
      view: isPersonal ? undefined : view.mark,
      further: request.charge?.headers,
    });
  };
  const respond = (found: FoundRoute, request: Incoming, response: ServerResponse): void | Promise<void> => {
    const { route } = found;
    const place = placeOf(request);
    let streaming: StreamAnswer | undefined;
    const answerFrom = (catalog: Catalog): void | Promise<void> => {
      const view = viewOf(request, route, catalog);
      const reply = findReply(request, place, view);
      if (reply) return sendReply(request, response, reply, request.charge?.headers);
      return andThen(handle(found, request, view, services), (answer) => {
        if (!('stream' in answer)) return send(route, request, response, { answer, place, view });
        streaming = answer;
        return undefined;
      });
    };
    // Whoever listens for days does not hold on to the catalogue of today.
    return andThen(
      withNewest(follower, answerFrom, () => !response.headersSent),
      () => streaming?.stream(response),
    );
  };
  /** What sends the 304 of a request, where that is its answer. */
  const findUnchanged = async (
    found: FoundRoute,
    request: Incoming,
    response: ServerResponse,
  ): Promise<(() => void | Promise<void>) | undefined> => {
    const view = viewOf(request, found.route, follower.catalog);
    const place = placeOf(request);
    const reply = findReply(request, place, view);
    if (reply) {
      if (!hasBytes(request, reply.etag)) return undefined;
      return () => sendReply(request, response, reply, request.charge?.headers);
    }
    try {
      const answer = await handle(found, request, view, services);
      if (!('body' in answer && isUnchanged(request, answer, place))) return undefined;
      return () => send(found.route, request, response, { answer, place, view });
    } catch {
      // What fails here fails again, and is answered, when the request is handled.
      return undefined;
    }
  };
  /** Charges a request and answers it; takes the charge back where it is the gateway's fault that there is no answer. */
  const answerCharged = (
    request: Incoming,
    kind: ChargeKind,
    work: () => void | Promise<void>,
  ): void | Promise<void> => {
    const { tier, account } = request.caller as Caller;
    const { limits } = TIERS[tier];
    if (limits === null) return work();
    return chargeRequest(meter, account.id, limits, kind).then((charge) => {
      request.charge = charge;
      return orElse(work, async (error) => {
        if (isFault(error)) await charge.undo();
        throw error;
      });
    });
  };
  /** Answers a request that counts unless its answer is a 304, which is found out first. */
  const answerCapped = (
    found: FoundRoute,
    request: Incoming,
    response: ServerResponse,
  ): void | Promise<void> => {
    const work = () => respond(found, request, response);
    if (found.route.isFree) return answerCharged(request, 'free', work);
    if (request.headers['if-none-match'] === undefined) return answerCharged(request, 'counted', work);
    return findUnchanged(found, request, response).then((sendUnchanged) =>
      answerCharged(request, sendUnchanged ? 'unchanged' : 'counted', sendUnchanged ?? work),
    );
  };

  return {
    answer(found, request, response) {
      if (!found.route.needsKey) return respond(found, request, response);
      return andThen(identify(request), ({ tier }) =>
        TIERS[tier].limits === null
          ? respond(found, request, response)
          : answerCapped(found, request, response),
      );
    },
    async refuse(request, problem) {
      if (isApi(request.path)) {
        await identify(request);
        await answerCharged(request, 'counted', () => {
          throw problem;
        });
      }
      throw problem;
    },
  };
}

/** What was answered before to somebody who saw the same, where it answers this request. */
function findReply(request: Incoming, { kept }: ReplyPlace, { mark }: View): Reply | undefined {
  return kept?.view === mark && suffices(kept, request) ? kept : undefined;
}

/** @throws HttpProblem and ParameterError where it cannot be answered */
function handle(
  { route, params }: FoundRoute,
  request: Incoming,
  view: View,
  services: Services,
): RouteAnswer | Promise<RouteAnswer> {
  const { path, search, caller, charge } = request;
  if (route.isPro && caller?.tier !== 'pro') throw proOnly();
  const query = readQuery(request, route);
  const { accept } = request.headers;
  const asked = { path, search, params, query, accept, view };
  if (!route.isPersonal) return route.handle(asked, services);
  // Node joins a header that is sent twice by a comma.
  const lastEventId = request.headers['last-event-id'] as string | undefined;
  const personal = { ...(caller && { caller }), ...(charge && { usage: charge.usage }), lastEventId };
  return route.handle({ ...asked, ...personal }, services);
}

/** @throws ParameterError where the query string is malformed or has a parameter that the route does not take */
function readQuery({ search }: Incoming, { parameters }: Route): RawQuery {
  const query = parseRawQuery(search.slice(1));
  if (query === undefined) {
    throw new ParameterError('query', 'the query string has malformed percent-encoding, expected UTF-8');
  }
  if (query.length === 0 || parameters.some(({ name }) => name === 'filters')) return query;
  rejectParameters(
    query,
    parameters.map(({ name }) => name),
  );
  return query;
}
