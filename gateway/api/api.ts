import type { ServerResponse } from 'node:http';
import Negotiator from 'negotiator';
import { type Caller, TIERS } from '../access/account.ts';
import type { Authenticator } from '../access/authenticate.ts';
import type { Charge, ChargeKind, Quota } from '../access/quota.ts';
import type { Catalog, View } from '../data/catalog.ts';
import { DistError } from '../data/dist-files.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { GameBuild } from '../data/game-build.ts';
import * as incoming from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, invalidParameter, proOnly, unavailable } from '../http/problem.ts';
import * as responses from '../http/respond.ts';
import { hasFile, sendFile } from '../http/send-file.ts';
import { StoreError } from '../store/sql.ts';
import { checkAddress } from './read-address.ts';
import { ROW_FORMS, type Route, type RouteResult, rejectParameters, type Services } from './route.ts';
import { respondWithRows } from './tables.ts';

/** A request while the API responds to it. `caller` is set when its key is known, `charge` when its account is charged. */
export interface ApiIncoming extends incoming.Incoming {
  caller?: Caller | undefined;
  charge?: Charge | undefined;
}

/** A GET that the gateway makes itself, on behalf of the client whose request it handles. */
export interface Asked {
  route: Route;
  /** The path, and the query string with its `?`, as a client would send them. */
  path: string;
  search: string;
  /** The parameters in the path, decoded. */
  params: Readonly<Record<string, string>>;
}

/** The request of a client, or that of one of the gateway's own pages, which check themselves what visitors may see. */
type Question = Pick<ApiIncoming, 'path' | 'search' | 'params' | 'caller' | 'charge' | 'headers'> & {
  isPage?: true;
};

/** The media type of JSON without parameters, as it is in Accept. */
const JSON_NAME = 'application/json';

/** The members of a route that decide the forms of its responses. */
type Formed = Pick<Route, 'needsKey' | 'isFile' | 'isAddress' | 'form' | 'result' | 'alternatives'> & {
  hasRows?: true | undefined;
};

/** Returns whether Accept chooses the form. Files and streams have only one form, and descriptions of the service suit every client. */
export function isNegotiated({ needsKey, isFile, form }: Formed): boolean {
  return needsKey && !isFile && form === undefined;
}

/** Returns the schemas of a route's responses by media type. */
export function schemasOf({ result, alternatives, hasRows, form }: Formed): Record<string, string> {
  if (form !== undefined) return { [form.type]: result };
  const ofRows = hasRows ? ROW_FORMS.map(({ type, schema }) => [type, schema]) : [];
  return { [JSON_NAME]: result, ...alternatives, ...Object.fromEntries(ofRows) };
}

/** Returns whether the rows of a route have addresses of their own in each form. */
export function hasSuffixes({ hasRows, isAddress, form }: Formed): boolean {
  return hasRows === true && isAddress !== true && form === undefined;
}

/** Chooses the form of a response (RFC 9110, 12.5.1). It costs nothing for clients that want JSON. */
function chooseForm(route: Route, accept: string | undefined): string {
  if (route.form !== undefined) return route.form.name;
  if (accept === undefined || accept === '*/*' || accept === JSON_NAME) return 'json';
  if (!isNegotiated(route) || accept.length > incoming.MAX_ACCEPT_LENGTH) return 'json';
  // negotiator does not match `text/csv; charset=utf-8`, because our types have no parameters.
  const plain = accept.replace(/;(?!\s*q=)[^;,]+/gi, '');
  const negotiator = new Negotiator({ headers: { accept: plain } });
  const type = negotiator.mediaType(Object.keys(schemasOf(route)));
  if (type !== undefined && type !== JSON_NAME)
    return ROW_FORMS.find((each) => each.type === type)?.name ?? type;
  // Clients that ask for a page get JSON.
  return (type ?? negotiator.mediaType(['text/html'])) ? 'json' : 'none';
}

/** @throws HttpProblem when the query string is malformed or has a parameter that the route does not have */
function readQuery(search: string, { parameters }: Route): incoming.RawQuery {
  const query = incoming.parseRawQuery(search.slice(1));
  if (query === undefined)
    throw invalidParameter('query', 'the query string has malformed percent-encoding, expected UTF-8');
  incoming.checkNames(query);
  if (query.length > 0 && !parameters.some(({ name }) => name === 'filter'))
    rejectParameters(query, parameters);
  return query;
}

/** Turns any error into a problem for the client, and logs what the operator has to know. */
export function toProblem(error: unknown, log: Log): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const [fault, detail] =
    error instanceof DistError
      ? ['a file of dist cannot be read', 'the data of this build cannot be read right now']
      : error instanceof StoreError
        ? ['the store does not respond', 'accounts cannot be read or changed right now']
        : ['request failed', 'the request failed in the gateway; the failure was logged'];
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  log.error(fault, { error: fault === 'request failed' ? stack : message });
  return unavailable(detail);
}

interface ApiOptions {
  follower: DistFollower;
  authenticator: Authenticator;
  services: Services;
  /** ms since 1970. */
  now: () => number;
  quota: Quota;
  replies: responses.ReplyCache;
}

/** The response to send: a reply from the cache, or a route's result, whose reply is then stored in the cache. */
type Found = { place: responses.ReplyPlace; view: View } & (
  | { reply: responses.Reply; result?: undefined }
  | { reply?: undefined; result: RouteResult }
);

/** Responds to requests for routes: finds the caller, charges the account, and sends the result. Every error is thrown. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get routes(): readonly Route[] {
    return this.#options.services.routes;
  }

  /** Responds to a request for a route; synchronously when everything it needs is in memory. */
  respond(route: Route, request: ApiIncoming, response: ServerResponse): void | Promise<void> {
    const send = () =>
      this.#withNewest(
        (catalog) =>
          responses.andThen(this.#find(route, request, catalog), (found) =>
            sendFound(route, request, response, found),
          ),
        response,
      );
    if (!route.needsKey && !route.isAddress) return send();
    return responses.andThen(this.identify(request, route.isAddress), ({ tier, key }) => {
      if (TIERS[tier].limits === null && key.browser?.limits === undefined) return send();
      if (route.isFree) return this.#charge(request, 'free', send);
      if (request.headers['if-none-match'] === undefined) return this.#charge(request, 'counted', send);
      // A 304 does not count, so whether it is one is decided first.
      return responses.andThen(this.#findUnchanged(route, request), (found) =>
        found
          ? this.#charge(request, 'unchanged', () => sendFound(route, request, response, found))
          : this.#charge(request, 'counted', send),
      );
    });
  }

  async close(): Promise<void> {
    await this.#options.quota.close();
  }

  /** Refuses a request that belongs to no route. Below /api/, it still needs a key and counts. */
  async refuse(request: ApiIncoming, problem: Error): Promise<never> {
    if (incoming.isApi(request.path)) {
      await this.identify(request);
      await this.#charge(request, 'counted', () => {
        throw problem;
      });
    }
    throw problem;
  }

  /**
   * Finds the caller of a request by its key, or by the token in its path, and remembers it in the request.
   *
   * @throws HttpProblem as for every request of the API
   */
  identify(request: ApiIncoming, isAddress = false): Caller | Promise<Caller> {
    const { authenticator, now } = this.#options;
    const identifying = isAddress
      ? authenticator.authenticateAddress(request, now())
      : authenticator.authenticate(request, now());
    return responses.andThen(identifying, (caller) => {
      request.caller = caller;
      request.keyPrefix = caller.key.prefix;
      request.account = caller.account.id;
      request.tier = caller.tier;
      if (isAddress) checkAddress(caller, request);
      return caller;
    });
  }

  /**
   * Makes the JSON of a 200 for another room. It counts and returns exactly what the client's own request would.
   *
   * @param request one whose caller was identified
   * @throws the error of the client's own request
   */
  async ask(request: ApiIncoming, { route, ...asked }: Asked): Promise<responses.Body['json']> {
    // An address of HTTP is bounded by the server.
    const length = asked.path.length + asked.search.length;
    if (length > incoming.MAX_TARGET_BYTES)
      throw new HttpProblem(
        'too-large',
        `the arguments have ${length} bytes, expected at most ${incoming.MAX_TARGET_BYTES}`,
      );
    let json: responses.Body['json'] = Buffer.alloc(0);
    await this.#charge(request, route.isFree ? 'free' : 'counted', () =>
      this.#withNewest((catalog) => {
        const { caller, charge } = request;
        const question = { ...asked, headers: {}, caller, charge };
        return responses.andThen(
          this.#makeJson(route, question, this.#viewOf(request, route, catalog)),
          (made) => {
            json = made;
          },
        );
      }),
    );
    return json;
  }

  /** Makes the JSON of a 200 for a page, without a key, from the given view. @throws what the route throws */
  async read({ route, ...asked }: Asked, view: View): Promise<Buffer> {
    return responses.bytesOf(await this.#makeJson(route, { ...asked, headers: {}, isPage: true }, view));
  }

  #makeJson(
    route: Route,
    question: Question,
    view: View,
  ): responses.Body['json'] | Promise<responses.Body['json']> {
    return responses.andThen(this.#handle(route, question, view, 'json'), (result) => {
      if (!('body' in result)) throw new Error(`${route.path} has no JSON`);
      return responses.andThen(result.body(), ({ json }) => json);
    });
  }

  /** Returns a game that the caller of a request may see. */
  findGame({ caller }: ApiIncoming, slug: unknown): GameBuild | undefined {
    const { follower, now } = this.#options;
    return follower.catalog.viewAt(now(), caller?.tier ?? 'free').games.get(String(slug));
  }

  /** Charges a request, then does the work. If the gateway fails to do it, or a limit refuses it, the charge is reversed. */
  #charge(request: ApiIncoming, kind: ChargeKind, work: () => void | Promise<void>): void | Promise<void> {
    const charging = this.#options.quota.charge(request.caller as Caller, kind);
    if (charging === undefined) return work();
    return charging.then((charge) => {
      request.charge = charge;
      return responses.orElse(work, async (error) => {
        const isCounted = error instanceof HttpProblem && error.status < 500 && error.status !== 429;
        if (!isCounted) await charge.undo();
        throw error;
      });
    });
  }

  /** Returns the cached reply if it is from the same view and has what the request needs; otherwise calls the route. */
  #find(route: Route, request: ApiIncoming, catalog: Catalog): Found | Promise<Found> {
    const view = this.#viewOf(request, route, catalog);
    const form = chooseForm(route, request.headers.accept);
    // Addresses contain no spaces, so this cannot be the name of another address.
    const place = this.#options.replies.placeOf(
      request,
      request.caller?.tier,
      form === 'json' ? '' : ` ${form}`,
    );
    const { last } = place;
    if (last?.view === view.mark && responses.suffices(last, request)) return { reply: last, place, view };
    return responses.andThen(this.#handle(route, request, view, form), (result) => ({ result, place, view }));
  }

  /** Returns the response if it is a 304; undefined otherwise. */
  #findUnchanged(route: Route, request: ApiIncoming): Found | undefined | Promise<Found | undefined> {
    const finding = () =>
      responses.andThen(this.#find(route, request, this.#options.follower.catalog), (found) => {
        const { reply, result, place } = found;
        if (reply) return responses.hasBytes(request, reply.etag) ? found : undefined;
        const isSame =
          'files' in result ? hasFile(request, result) : responses.isUnchanged(request, result, place);
        return isSame ? found : undefined;
      });
    // An error here occurs again, and is reported, when the request is handled.
    return responses.orElse<Found | undefined>(finding, () => undefined);
  }

  /**
   * Makes the checks that every route shares, then calls the route's handler.
   *
   * @throws HttpProblem when the route refuses the request
   */
  #handle(route: Route, request: Question, view: View, form: string): RouteResult | Promise<RouteResult> {
    const { path, search, params, caller, charge, headers, isPage } = request;
    const { services } = this.#options;
    if (route.isPro && caller?.tier !== 'pro' && !isPage) throw proOnly();
    if (form === 'none') {
      const types = Object.keys(schemasOf(route));
      const named = JSON.stringify(headers.accept?.slice(0, 100));
      const detail = `nothing that Accept names is served here (${named}), expected ${types.join(', ')} or */*`;
      throw new HttpProblem('not-acceptable', detail, { types });
    }
    const query = readQuery(search, route);
    const asked = { path, search, params, query, form, view, account: caller?.account.id };
    if (route.hasRows && form !== 'json') return respondWithRows(route, asked, services);
    if (!route.isPersonal) return route.handle(asked, services);
    const used = { usage: charge?.usageOf('account'), keyUsage: charge?.usageOf('key') };
    return route.handle({ ...asked, caller, ...used }, services);
  }

  #viewOf({ caller }: ApiIncoming, { isSigned }: Route, catalog: Catalog): View {
    return catalog.viewAt(this.#options.now(), caller?.tier ?? (isSigned ? 'pro' : 'free'));
  }

  /**
   * Does work with the newest catalog. While it runs, the catalog can become outdated and its files can be deleted. If a file cannot be read for this
   * reason, the work starts again with the current state.
   *
   * @param response the work cannot start again after its head is sent
   * @throws DistError when a file of the newest state cannot be read
   */
  #withNewest(
    work: (catalog: Catalog) => void | Promise<void>,
    response?: ServerResponse,
  ): void | Promise<void> {
    const { follower } = this.#options;
    const { catalog } = follower;
    return responses.orElse(
      () => work(catalog),
      async (error) => {
        if (response?.headersSent || !(error instanceof DistError)) throw error;
        if ((await follower.loadNewest()) === catalog) throw error;
        return await this.#withNewest(work, response);
      },
    );
  }
}

function sendFound(
  route: Route,
  request: ApiIncoming,
  response: ServerResponse,
  { reply, result, place, view }: Found,
): void | Promise<void> {
  const further = request.charge?.headers;
  if (reply) return responses.sendReply(request, response, reply, further);
  if ('files' in result) return sendFile(request, response, result, further);
  if (route.hasRows || (route.alternatives && !route.isFile)) result.vary = 'Accept';
  const mark = route.isPersonal ? undefined : view.mark;
  return responses.sendResult(request, response, result, place, { view: mark, further });
}
