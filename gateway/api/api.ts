import type { ServerResponse } from 'node:http';
import type { Authenticator } from '../access/authenticate.ts';
import { type ChargeKind, chargeCaller } from '../access/charge.ts';
import type { Caller } from '../access/ports.ts';
import type { Quota } from '../access/quota.ts';
import type { Catalog } from '../data/catalog.ts';
import { DistError } from '../data/dist-folder.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { View } from '../data/view.ts';
import { type ClientAddress, isApi } from '../http/incoming.ts';
import { andThen, orElse } from '../http/work.ts';
import { holderOf, TIERS } from '../access/account.ts';
import type { Replies, ReplyPlace } from '../http/replies.ts';
import { hasBytes, isUnchanged, type StreamResult, sendReply } from '../http/respond.ts';
import type { ApiAccess, ApiIncoming, Asked } from './api-access.ts';
import { chooseForm, findReply, handle, isFault, sendMade } from './handle-route.ts';
import type { Form, Route, RouteAccess, Services } from './route.ts';

/** Options of the API. */
export interface ApiOptions {
  follower: DistFollower;
  authenticator: Authenticator;
  services: Services;
  /** ms since 1970. */
  now: () => number;
  quota: Quota;
  replies: Replies;
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

  /** How requests are counted now. */
  get quotas(): Pick<Quota, 'isAlone' | 'countedAlone'> {
    return this.#options.quota;
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
      return andThen(result.body(), ({ json }) => json);
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
    let streaming: StreamResult | undefined;
    const sendFrom = (catalog: Catalog): void | Promise<void> => {
      const view = this.#viewOf(request, route, catalog);
      const reply = findReply(request, place, view);
      if (reply) return sendReply(request, response, reply, request.charge?.headers);
      return andThen(handle(route, request, view, form, this.#options.services), (result) => {
        if (!('stream' in result)) return sendMade(route, request, response, { result, place, view });
        streaming = result;
        return undefined;
      });
    };
    // The stream starts outside: it may last for days and must not keep today's catalog in memory.
    return andThen(
      withNewest(this.#options.follower, sendFrom, () => !response.headersSent),
      () => streaming?.stream(response),
    );
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
  request.holder = holderOf(caller);
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
