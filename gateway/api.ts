import type { ServerResponse } from 'node:http';
import type { Request } from 'polka';
import { authenticate, type Caller } from './access/authenticate.ts';
import type { KeyFinder } from './access/key-cache.ts';
import type { Catalog, View } from './catalog/catalog.ts';
import type { DistFollower } from './catalog/follow-dist.ts';
import { withNewest } from './catalog/with-newest.ts';
import { hasBody, isApi, parseTarget } from './http/check-request.ts';
import { proOnly } from './http/problem.ts';
import {
  type Answer,
  createReplyCache,
  isUnchanged,
  matchesEtag,
  replyName,
  type StreamAnswer,
  sendAnswer,
  sendReply,
} from './http/respond.ts';
import { sendFile } from './http/send-file.ts';
import { isFault } from './http/to-problem.ts';
import type { Log } from './log.ts';
import { ParameterError } from './query/parameter-error.ts';
import { parseRawQuery, type RawQuery } from './query/raw-query.ts';
import { type Charge, type ChargeKind, chargeRequest } from './quota/charge.ts';
import { createMeter } from './quota/meter.ts';
import { type Route, type RouteAnswer, rejectParameters, type Services } from './routes/route.ts';
import { TIERS } from './tiers.ts';

/** A request while it is answered: `known` where its key is in memory, `caller` once it is asked for, `charge` once its account is charged. */
export type Incoming = Request & { known?: Caller; caller?: Caller; charge?: Charge };

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
  /** Answers a request for a route. */
  answer(route: Route, request: Incoming, response: ServerResponse): Promise<void>;
  /** Refuses what no route takes; under /api only to who has a key, and it counts. */
  refuse(request: Incoming, problem: Error): Promise<never>;
  /**
   * Finds what was answered before to somebody who saw the same, without a look at what is asked for.
   *
   * @returns what sends it; undefined where the request has to be looked at
   */
  findRepeat(request: Incoming, response: ServerResponse): (() => void | Promise<void>) | undefined;
}

const REPLY_CACHE_BYTES = 64 * 1024 * 1024;

/** Makes what answers the routes. */
export function createApi({ follower, keys, services, log, now }: ApiOptions): Api {
  const replies = createReplyCache(REPLY_CACHE_BYTES);
  const meter = createMeter(services.store, now, log);

  const identify = async (request: Incoming): Promise<Caller> => {
    request.caller = request.known ?? (await authenticate(request, keys, now()));
    return request.caller;
  };
  const charge = async (request: Incoming, kind: ChargeKind): Promise<void> => {
    const { tier, account } = request.caller as Caller;
    const { limits } = TIERS[tier];
    if (limits) request.charge = await chargeRequest(meter, account.id, limits, kind);
  };
  const viewOf = ({ caller }: Incoming, { isSigned }: Route, catalog: Catalog): View =>
    catalog.viewAt(now(), caller?.tier ?? (isSigned ? 'pro' : 'free'));
  const handle = async (request: Incoming, route: Route, view: View): Promise<RouteAnswer> => {
    const { path, params, caller, charge } = request;
    if (route.isPro && caller?.tier !== 'pro') throw proOnly();
    const query = readQuery(request, route);
    const { accept } = request.headers;
    const personal = route.isPersonal && {
      ...(caller && { caller }),
      ...(charge && { usage: charge.usage }),
      // Node joins a header that is sent twice by a comma.
      lastEventId: request.headers['last-event-id'] as string | undefined,
    };
    return await route.handle({ path, params, query, accept, view, ...personal }, services);
  };
  /**
   * Charges the account of a request, which counts unless its answer is a 304; that is found out first.
   *
   * @returns the answer, where it is a 304
   */
  const admit = async (request: Incoming, route: Route): Promise<Answer | undefined> => {
    const isCapped = TIERS[(request.caller as Caller).tier].limits !== null && !route.isFree;
    const isConditional = isCapped && request.headers['if-none-match'] !== undefined;
    // What fails here fails again, and is answered, when the request is handled.
    const answer = isConditional
      ? await handle(request, route, viewOf(request, route, follower.catalog)).catch(() => undefined)
      : undefined;
    const unchanged = answer && 'body' in answer && isUnchanged(request, answer) ? answer : undefined;
    await charge(request, route.isFree ? 'free' : unchanged ? 'unchanged' : 'counted');
    return unchanged;
  };
  /** Who asks, where the key is in memory; what is wrong with another one is told when the request is looked at. */
  const knownCaller = (request: Incoming): Caller | undefined => {
    try {
      const caller = authenticate(request, keys, now());
      if (!(caller instanceof Promise)) return caller;
      caller.catch(() => {});
    } catch {}
    return undefined;
  };

  return {
    async answer(route, request, response) {
      if (route.needsKey) await identify(request);
      const unchanged = route.needsKey ? await admit(request, route) : undefined;
      let stream: StreamAnswer | undefined;
      const answerFrom = async (catalog: Catalog) => {
        const view = viewOf(request, route, catalog);
        const answer = unchanged ?? (await handle(request, route, view));
        if ('files' in answer) await sendFile(request, response, answer);
        else if ('stream' in answer) stream = answer;
        else {
          const seen = route.isPersonal ? undefined : view;
          const to = { tier: request.caller?.tier, view: seen, further: request.charge?.headers };
          await sendAnswer(request, response, answer, replies, to);
        }
      };
      try {
        await withNewest(follower, answerFrom, () => !response.headersSent);
        // Whoever listens for days does not hold on to the catalogue of today.
        await stream?.stream(response);
      } catch (error) {
        if (isFault(error)) await request.charge?.undo();
        throw error;
      }
    },
    async refuse(request, problem) {
      if (isApi(request.path)) {
        await identify(request);
        await charge(request, 'counted');
      }
      throw problem;
    },
    findRepeat(request, response) {
      if (request.method !== 'GET' || hasBody(request)) return undefined;
      const caller = knownCaller(request);
      if (caller === undefined) return undefined;
      request.known = caller;
      const reply = replies.get(replyName(request, caller.tier));
      if (reply?.view !== follower.catalog.viewAt(now(), caller.tier)) return undefined;
      request.caller = caller;
      request.path = parseTarget(request).pathname;
      const send = () => sendReply(request, response, reply, request.charge?.headers);
      if (TIERS[caller.tier].limits === null) return send;
      const isUnchanged = matchesEtag(request.headers['if-none-match'], reply.etag);
      return () => charge(request, isUnchanged ? 'unchanged' : 'counted').then(send);
    },
  };
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
