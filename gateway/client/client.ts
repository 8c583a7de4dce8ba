import { Transport, type TransportOptions } from './transport.ts';
import type {
  AnyGame,
  Chosen,
  ChosenFields,
  Comparison,
  EntryOf,
  GameTypes,
  ListName,
  ListOf,
  ListQuery,
  Page,
  Query,
  RecordOf,
} from './types.ts';

export { type Problem, ProblemError } from './problem.ts';
export type { TransportOptions as ClientOptions } from './transport.ts';
export type * from './types.ts';
export { type GameEvent, type ReceivedWebhook, verifyWebhook } from './webhook.ts';

/** Further choices of one request. */
export interface RequestOptions {
  signal?: AbortSignal;
}

/** The largest page. */
const MAX_RECORDS = 1000;

/** Another build became current between two pages of a list: start again. */
export class BuildChangedError extends Error {
  override readonly name = 'BuildChangedError';
  constructor(from: string, to: string) {
    super(`the build changed from ${from} to ${to} between two pages`);
  }
}

/**
 * Makes a client of a gateway.
 *
 * @typeParam Games the types of the games by slug, from `gamedata types`: `createClient<{ 'genshin-impact': GenshinImpact }>(…)`
 */
export function createClient<Games extends object = Record<string, AnyGame>>(
  options: TransportOptions,
): Client<Games> {
  return new Client<Games>(new Transport(options));
}

/** A client of a gateway. */
export class Client<Games extends object> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One game. */
  game<Slug extends keyof Games & string>(
    slug: Slug,
  ): GameClient<Games[Slug] extends GameTypes ? Games[Slug] : AnyGame> {
    return new GameClient(this.#transport, slug);
  }

  /**
   * Requests any address: `client.get<Me>('/api/me')`.
   *
   * @throws ProblemError
   */
  get<T>(path: string, query: Query = {}, { signal }: RequestOptions = {}): Promise<T> {
    return this.#transport.get<T>(path + encode(query), signal);
  }
}

/** One game of a gateway. All methods throw ProblemError. */
export class GameClient<G extends GameTypes> {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, slug: string) {
    this.#transport = transport;
    this.#path = `/api/${encodeURIComponent(slug)}`;
  }

  /**
   * All matching records of a list, page by page: `for await (const character of game.each('characters', { element: 'Pyro' }))`.
   *
   * @param query `limit` is the size of a page, 1000 by default
   * @throws BuildChangedError
   */
  each<K extends ListName<G>>(
    list: K,
    query?: ListQuery<ListOf<G, K>> & { fields?: undefined },
    options?: RequestOptions,
  ): AsyncGenerator<EntryOf<ListOf<G, K>>, void>;
  each<K extends ListName<G>>(
    list: K,
    query: ListQuery<ListOf<G, K>> & ChosenFields,
    options?: RequestOptions,
  ): AsyncGenerator<Chosen<RecordOf<ListOf<G, K>>>, void>;
  async *each(list: string, query: object = {}, options: RequestOptions = {}): AsyncGenerator<unknown, void> {
    let build: string | undefined;
    const queryPage = query as { offset?: number; limit?: number };
    let { offset = 0 } = queryPage;
    for (;;) {
      const page = await this.#page<unknown>(list, { limit: MAX_RECORDS, ...queryPage, offset }, options);
      build ??= page.build;
      if (page.build !== build) throw new BuildChangedError(build, page.build);
      yield* page.records;
      offset += page.count;
      if (page.count === 0 || offset >= page.total) return;
    }
  }

  /** One page of a list. */
  page<K extends ListName<G>>(
    list: K,
    query?: ListQuery<ListOf<G, K>> & { fields?: undefined },
    options?: RequestOptions,
  ): Promise<Page<EntryOf<ListOf<G, K>>>>;
  page<K extends ListName<G>>(
    list: K,
    query: ListQuery<ListOf<G, K>> & ChosenFields,
    options?: RequestOptions,
  ): Promise<Page<Chosen<RecordOf<ListOf<G, K>>>>>;
  page(list: string, query: object = {}, options: RequestOptions = {}): Promise<Page<unknown>> {
    return this.#page(list, query as Query, options);
  }

  /** One full record. */
  record<K extends ListName<G>>(
    list: K,
    id: string,
    options?: RequestOptions,
  ): Promise<RecordOf<ListOf<G, K>>> {
    return this.get(`${list}/${encodeURIComponent(id)}`, {}, options);
  }

  /** A dataset that is one object. */
  async object<K extends keyof G['objects'] & string>(
    key: K,
    options?: RequestOptions,
  ): Promise<G['objects'][K]> {
    const { data } = await this.get<{ data: G['objects'][K] }>(key, {}, options);
    return data;
  }

  /** One to six characters side by side. */
  compare(ids: readonly string[], options?: RequestOptions): Promise<Comparison<RecordOf<G['characters']>>> {
    return this.get('compare', { ids }, options);
  }

  /** Any address below the game: `game.get<Names>('names')`. */
  get<T>(path: string, query: Query = {}, { signal }: RequestOptions = {}): Promise<T> {
    return this.#transport.get<T>(`${this.#path}/${path}${encode(query)}`, signal);
  }

  async #page<T>(list: string, query: Query, options: RequestOptions): Promise<Page<T>> {
    type Body = Page<T> & { characters?: T[]; dataset?: string };
    const { characters, records = characters ?? [], ...page } = await this.get<Body>(list, query, options);
    return { ...page, records };
  }
}

/** Lists that are one parameter, separated by commas; other lists are repeated parameters. */
const JOINED = ['sort', 'ids', 'fields'];

function encode(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    const values = Array.isArray(value) ? value : [value];
    for (const each of JOINED.includes(name) ? [values.join()] : values)
      parameters.append(name, String(each));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}
