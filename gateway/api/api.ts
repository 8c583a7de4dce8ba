import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { type Caller, type Charge, chargeCaller, type ChargeKind, TIERS } from '../access/account.ts';
import type { Authenticator } from '../access/authenticate.ts';
import type { Quota } from '../access/quota.ts';
import type { Catalog, View } from '../data/catalog.ts';
import { DistError } from '../data/dist-files.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import {
  checkNames,
  type ClientAddress,
  type Incoming,
  isApi,
  MAX_ACCEPT_LENGTH,
  ParameterError,
  parseRawQuery,
  type RawQuery,
} from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, proOnly, unavailable } from '../http/problem.ts';
import {
  andThen,
  bytesOf,
  hasBytes,
  isUnchanged,
  orElse,
  type Reply,
  type ReplyCache,
  type ReplyPlace,
  type Result,
  sendReply,
  sendResult,
  suffices,
} from '../http/respond.ts';
import { type FileResult, sendFile } from '../http/send-file.ts';
import { StoreError } from '../store/sql.ts';
import {
  type ApiRequest,
  type Form,
  rejectParameters,
  type Route,
  type RouteAccess,
  type RouteResult,
  type RowForm,
  type Services,
} from './route.ts';

/** A request while the API responds to it: `caller` once its key is known, `charge` once its account is charged, `client`, its IP address, for files. */
export interface ApiIncoming extends Incoming {
  caller?: Caller;
  charge?: Charge;
  client?: string;
}

/** A GET that a part of the gateway makes itself, instead of the client whose request it handles. */
export interface Asked {
  route: Route;
  /** The path, and the query string with its `?`, as a client would send them. */
  path: string;
  search: string;
  /** The parameters in the path, decoded. */
  params: Readonly<Record<string, string>>;
}

/** What the rest of a gateway can do with the API, for a client whose request it handles. */
export interface ApiAccess {
  /** The route table. */
  readonly routes: readonly Route[];
  /**
   * Finds the caller by the key in X-API-Key, and remembers it in the request.
   *
   * @throws HttpProblem as every request of the API
   */
  identify(request: ApiIncoming): Caller | Promise<Caller>;
  /**
   * Makes the JSON of a 200. It counts, and shows, what the request that it stands for would.
   *
   * @param request one whose caller was identified
   * @throws the error of the request that it stands for
   */
  ask(request: ApiIncoming, asked: Asked): Promise<Buffer>;
  /** Returns whether a dataset that the caller may see is a list or one object; undefined if there is none. */
  kindOf(request: ApiIncoming, game: string, dataset: string): 'list' | 'object' | undefined;
}

/** A route's result, with the view it was made from and the place of its reply in the cache. */
interface Made {
  result: Result | FileResult;
  place: ReplyPlace;
  view: View;
}

/** Sends a result; from then on its reply is in the cache. */
function sendMade(
  { isPersonal }: Route,
  request: ApiIncoming,
  response: ServerResponse,
  { result, place, view }: Made,
): void | Promise<void> {
  if ('files' in result) return sendFile(request, response, result, request.charge?.headers);
  return sendResult(request, response, result, place, {
    view: isPersonal ? undefined : view.mark,
    further: request.charge?.headers,
  });
}

/** Returns the cached reply when it is from the same view and enough for this request. */
function findReply(request: ApiIncoming, { last }: ReplyPlace, { mark }: View): Reply | undefined {
  return last?.view === mark && suffices(last, request) ? last : undefined;
}

/**
 * Checks what holds for every route, and passes the request to its handler.
 *
 * @throws HttpProblem and ParameterError when the route refuses the request
 */
export function handle(
  route: Route,
  request: Pick<ApiIncoming, 'path' | 'search' | 'params' | 'caller' | 'charge' | 'client' | 'headers'> & {
    /** Whether a page asks, which knows itself what visitors may see. */
    isPage?: true;
  },
  view: View,
  form: Form,
  services: Services,
): RouteResult | Promise<RouteResult> {
  const { path, search, params, caller, charge, client } = request;
  if (route.isPro && caller?.tier !== 'pro' && !request.isPage) throw proOnly();
  if (form === 'none') throw notAcceptable(route, request.headers.accept);
  const query = readQuery(request, route);
  const { accept } = request.headers;
  const asked = { path, search, params, query, accept, form, view, account: caller?.account.id };
  if (!route.isPersonal) return respond(route, asked, services);
  const used = { usage: charge?.usage, keyUsage: charge?.keyUsage };
  const personal = { ...(caller && { caller }), ...used, client };
  return route.handle({ ...asked, ...personal }, services);
}

/** Responds in the form of the request: as JSON by the route itself, else by what writes its rows. */
function respond(route: Route, request: ApiRequest, services: Services): RouteResult | Promise<RouteResult> {
  const form =
    request.form === 'json' ? undefined : route.rowForms?.find(({ name }) => name === request.form);
  return form === undefined ? route.handle(request, services) : form.respond(route, request, services);
}

/** @throws ParameterError when the query string is malformed or has a parameter that the route does not have */
function readQuery({ search }: Pick<Incoming, 'search'>, { parameters }: Route): RawQuery {
  const query = parseRawQuery(search.slice(1));
  if (query === undefined) {
    throw new ParameterError('query', 'the query string has malformed percent-encoding, expected UTF-8');
  }
  checkNames(query);
  if (query.length === 0 || parameters.some(({ name }) => name === 'filter')) return query;
  rejectParameters(
    query,
    parameters.map(({ name }) => name),
  );
  return query;
}

/** The media type of JSON without parameters, as it is in Accept. */
export const JSON_NAME = 'application/json';
/** A client that wants a page is shown JSON. */
const HTML = 'text/html';
/** What clients that want JSON send most. */
const ANY = '*/*';
const MAX_KNOWN = 200;

const formsByRoute = new WeakMap<Route, LRUCache<string, Form>>();

/**
 * Chooses the form of a response (RFC 9110, 12.5.1). It costs nothing for clients that want JSON.
 *
 * @param accept the Accept header
 */
function chooseForm(route: Route, accept: string | undefined): Form {
  if (route.form !== undefined) return route.form.name;
  if (accept === undefined || accept === ANY || accept === JSON_NAME) return 'json';
  if (!isNegotiated(route) || accept.length > MAX_ACCEPT_LENGTH) return 'json';
  let forms = formsByRoute.get(route);
  if (forms === undefined) {
    forms = new LRUCache({ max: MAX_KNOWN });
    formsByRoute.set(route, forms);
  }
  let form = forms.get(accept);
  if (form === undefined) {
    form = negotiate(route, accept);
    forms.set(accept, form);
  }
  return form;
}

/** Adds the forms of its rows to a route. @returns its addresses: those whose suffix chooses a form come first, so that no parameter matches the suffix */
export function addForms(route: Route, rowForms: readonly RowForm[]): Route[] {
  if (!route.hasRows || rowForms.length === 0) return [route];
  const whole = { ...route, rowForms };
  const addresses = rowForms.map((form) => ({ ...form.addressOf(route), rowForms, form }));
  return hasSuffixes(whole) ? [...addresses, whole] : [whole];
}

/** Returns the 406 for a client that accepts nothing that the address has. */
function notAcceptable(route: Route, accept: string | undefined): HttpProblem {
  const types = Object.keys(schemasOf(route));
  return new HttpProblem(
    'not-acceptable',
    `nothing that Accept names is served here (${JSON.stringify((accept ?? '').slice(0, 100))}), expected ${types.join(', ')} or */*`,
    { types },
  );
}

/** What the form of a route's responses depends on. */
export type Forms = Pick<Route, 'needsKey' | 'isFile' | 'rowForms' | 'isAddress' | 'form'> & {
  result: string;
  alternatives?: Readonly<Record<string, string>>;
};

/** Returns whether Accept chooses the form. Files and streams have one of their own, and descriptions of the service are for every client. */
export function isNegotiated({ needsKey, isFile, form }: Forms): boolean {
  return needsKey && !isFile && form === undefined;
}

/** Returns the schemas of a route's responses by media type. */
export function schemasOf({ result, alternatives, rowForms = [], form }: Forms): Record<string, string> {
  if (form !== undefined) return { [form.type]: result };
  const others = Object.fromEntries(rowForms.map(({ type, schema }) => [type, schema]));
  return { [JSON_NAME]: result, ...alternatives, ...others };
}

/** Returns whether the rows of a route have addresses of their own in each form. */
export function hasSuffixes({ rowForms, isAddress, form }: Forms): boolean {
  return rowForms !== undefined && isAddress !== true && form === undefined;
}

function negotiate(route: Route, accept: string): Form {
  // negotiator finds no type for `text/csv; charset=utf-8`, as ours have no parameters.
  const plain = accept.replace(/;\s*(?!q=)[^;,]+/gi, '');
  const negotiator = new Negotiator({ headers: { accept: plain } });
  const type = negotiator.mediaType(Object.keys(schemasOf(route)));
  if (type === undefined) return negotiator.mediaType([HTML]) === HTML ? 'json' : 'none';
  // The route itself distinguishes its alternatives.
  return route.rowForms?.find((form) => form.type === type)?.name ?? 'json';
}

/** Returns whether an error is the gateway's own fault: a 5xx. */
function isFault(error: unknown): boolean {
  return !(error instanceof ParameterError || (error instanceof HttpProblem && error.status < 500));
}

/** Returns what the client may know of an error, and logs what the operator has to know. */
export function toProblem(error: unknown, log: Log): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ParameterError) {
    return new HttpProblem('invalid-parameter', error.message, { parameter: error.parameter });
  }
  if (error instanceof DistError) {
    log.error('a file of dist cannot be read', { error: error.message });
    return unavailable('the data of this build cannot be read right now');
  }
  if (error instanceof StoreError) {
    log.error('the store does not respond', { error: error.message });
    return unavailable('accounts cannot be read or changed right now');
  }
  log.error('request failed', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return unavailable('the request failed in the gateway; the failure was logged');
}

/** Options of the API. */
export interface ApiOptions {
  follower: DistFollower;
  authenticator: Authenticator;
  services: Services;
  /** ms since 1970. */
  now: () => number;
  quota: Quota;
  replies: ReplyCache;
  clientAddress: ClientAddress;
}

/** Sends a response; synchronously when everything it needs is in memory. */
type Work = () => void | Promise<void>;

/** Responds to requests for routes: finds the caller, charges the account, and sends what the caller may see. It throws every error. */
export class Api implements ApiAccess {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get routes(): readonly Route[] {
    return this.#options.services.routes;
  }

  /** Responds to a request for a route; synchronously when everything it needs is in memory. */
  respond(route: Route, request: ApiIncoming, response: ServerResponse): void | Promise<void> {
    const { access } = route;
    if (!route.needsKey && access === undefined) return this.#send(route, request, response);
    if (route.isFile) request.client = this.#options.clientAddress(request);
    const identifying = access ? this.#identifyBy(access, request) : this.identify(request);
    return andThen(identifying, ({ tier, key }) => {
      const isCapped = TIERS[tier].limits !== null || key.browser?.limits !== undefined;
      return isCapped ? this.#sendCapped(route, request, response) : this.#send(route, request, response);
    });
  }

  /** Ends what it does beside requests. */
  async close(): Promise<void> {
    await this.#options.quota.close();
  }

  /** Refuses a request that belongs to no route. Below /api/ it needs a key, and counts. */
  async refuse(request: ApiIncoming, problem: Error): Promise<never> {
    if (isApi(request.path)) {
      await this.identify(request);
      await this.#charge(request, 'counted', () => {
        throw problem;
      });
    }
    throw problem;
  }

  /** Finds the caller of a request, and remembers it in the request. */
  identify(request: ApiIncoming): Caller | Promise<Caller> {
    return andThen(this.#options.authenticator.authenticate(request, this.#options.now()), (caller) =>
      remember(request, caller),
    );
  }

  /** Finds the caller in the way of a route, and remembers it in the request. */
  #identifyBy({ find, check }: RouteAccess, request: ApiIncoming): Caller | Promise<Caller> {
    return andThen(
      this.#options.authenticator.authenticateBy(find, request, this.#options.now()),
      (caller) => {
        remember(request, caller);
        check(caller.key, request);
        return caller;
      },
    );
  }

  /** Makes the JSON of a 200 within the gateway. It counts like the request that it stands for. */
  async ask(request: ApiIncoming, asked: Asked): Promise<Buffer> {
    if (request.caller === undefined) await this.identify(request);
    const { route } = asked;
    const made: Buffer[] = [];
    const make = (catalog: Catalog): void | Promise<void> => {
      const view = this.#viewOf(request, route, catalog);
      const { caller, charge } = request;
      const inner = { ...asked, headers: {}, ...(caller && { caller }), ...(charge && { charge }) };
      return andThen(this.#makeJson(route, inner, view), (json) => {
        made.push(json);
      });
    };
    const work = () => withNewest(this.#options.follower, make, () => true);
    await this.#charge(request, route.isFree ? 'free' : 'counted', work);
    return made[0] ?? Buffer.alloc(0);
  }

  /** Makes the JSON of a 200 for a page, which needs no key and shows a view. @throws what the route throws */
  async read({ route, ...asked }: Asked, view: View): Promise<Buffer> {
    return await this.#makeJson(route, { ...asked, headers: {}, isPage: true }, view);
  }

  #makeJson(route: Route, request: Parameters<typeof handle>[1], view: View): Buffer | Promise<Buffer> {
    return andThen(handle(route, request, view, 'json', this.#options.services), (result) => {
      if (!('body' in result)) throw new Error(`${route.path} has no JSON`);
      return andThen(result.body(), ({ json }) => bytesOf(json));
    });
  }

  /** Returns whether a dataset that the caller may see is a list or one object. */
  kindOf({ caller }: ApiIncoming, game: string, dataset: string): 'list' | 'object' | undefined {
    const { games } = this.#options.follower.catalog.viewAt(this.#options.now(), caller?.tier ?? 'free');
    return games.get(game)?.datasets.get(dataset)?.kind;
  }

  /** Responds to a caller with caps. The request counts unless its response is a 304, so that is determined first. */
  #sendCapped(route: Route, request: ApiIncoming, response: ServerResponse): void | Promise<void> {
    const work = () => this.#send(route, request, response);
    if (route.isFree) return this.#charge(request, 'free', work);
    if (request.headers['if-none-match'] === undefined) return this.#charge(request, 'counted', work);
    return andThen(this.#findUnchanged(route, request, response), (sendUnchanged) =>
      this.#charge(request, sendUnchanged ? 'unchanged' : 'counted', sendUnchanged ?? work),
    );
  }

  /** Charges a request, then does the work. When the gateway fails to do it, the charge is taken back. */
  #charge(request: ApiIncoming, kind: ChargeKind, work: Work): void | Promise<void> {
    const charging = chargeCaller(this.#options.quota, request.caller as Caller, kind);
    if (charging === undefined) return work();
    return andThen(charging, (charge) => {
      request.charge = charge;
      return orElse(work, async (error) => {
        if (isFault(error)) await charge.undo();
        throw error;
      });
    });
  }

  #send(route: Route, request: ApiIncoming, response: ServerResponse): void | Promise<void> {
    const form = chooseForm(route, request.headers.accept);
    const place = this.#placeOf(request, form);
    const sendFrom = (catalog: Catalog): void | Promise<void> => {
      const view = this.#viewOf(request, route, catalog);
      const reply = findReply(request, place, view);
      if (reply) return sendReply(request, response, reply, request.charge?.headers);
      return andThen(handle(route, request, view, form, this.#options.services), (result) => {
        return sendMade(route, request, response, { result, place, view });
      });
    };
    return withNewest(this.#options.follower, sendFrom, () => !response.headersSent);
  }

  /** Returns what sends the 304; undefined when the response is not a 304. */
  async #findUnchanged(
    route: Route,
    request: ApiIncoming,
    response: ServerResponse,
  ): Promise<Work | undefined> {
    const view = this.#viewOf(request, route, this.#options.follower.catalog);
    const form = chooseForm(route, request.headers.accept);
    const place = this.#placeOf(request, form);
    const reply = findReply(request, place, view);
    if (reply) {
      if (!hasBytes(request, reply.etag)) return undefined;
      return () => sendReply(request, response, reply, request.charge?.headers);
    }
    try {
      const result = await handle(route, request, view, form, this.#options.services);
      if (!('body' in result && isUnchanged(request, result, place))) return undefined;
      return () => sendMade(route, request, response, { result, place, view });
    } catch {
      // What fails here fails again, and is reported, when the request is handled.
      return undefined;
    }
  }

  #viewOf({ caller }: ApiIncoming, { isSigned }: Route, catalog: Catalog): View {
    return catalog.viewAt(this.#options.now(), caller?.tier ?? (isSigned ? 'pro' : 'free'));
  }

  #placeOf(request: ApiIncoming, form: Form): ReplyPlace {
    // No address has a space, so this cannot be the name of another one.
    return this.#options.replies.placeOf(request, request.caller?.tier, form === 'json' ? '' : ` ${form}`);
  }
}

function remember(request: ApiIncoming, caller: Caller): Caller {
  request.caller = caller;
  request.keyPrefix = caller.key.prefix;
  request.account = caller.account.id;
  request.tier = caller.tier;
  return caller;
}

/**
 * Does work with the newest catalog. The catalog can become an old state, whose files may be gone. If a file cannot be read for this
 * reason, the work starts again with the current state.
 *
 * @param canRepeat returns whether the work can still start again
 * @throws DistError when a file of the newest state cannot be read
 */
function withNewest(
  follower: DistFollower,
  work: (catalog: Catalog) => void | Promise<void>,
  canRepeat: () => boolean,
): void | Promise<void> {
  const { catalog } = follower;
  return orElse(
    () => work(catalog),
    async (error) => {
      if (!canRepeat()) throw error;
      if (!(error instanceof DistError) || (await follower.look()) === catalog) throw error;
      return await withNewest(follower, work, canRepeat);
    },
  );
}
