/**
 * The client of a Game Data Read API: openapi-fetch with the types of a game, the key, retries, and `each()` for lists of any length.
 * The types are those of the gateway at `/types/{game}.d.ts`, or `paths` that openapi-typescript makes from `/openapi/{game}.json`.
 */
import createOpenApi, { type ClientOptions, mergeHeaders, type Client as OpenApiClient } from 'openapi-fetch';

/** An error response of the gateway (RFC 9457). */
export interface Problem {
  status: number;
  /** Stable; for programs: `unknown-game`, `quota-exceeded`. */
  code: string;
  /** What was wrong and what was expected; for people. */
  detail: string;
  /** The invalid parameter. */
  parameter?: string;
}

/** A page of a list was an error. `problem` is undefined if the response was not from the gateway; a proxy may have sent it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly problem: Problem | undefined;
  constructor(status: number, problem: Problem | undefined) {
    super(problem?.detail ?? `HTTP status ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

/** The content changed between two pages of a list. Start again. */
export class BuildChangedError extends Error {
  override readonly name = 'BuildChangedError';
}

type OneOrMore<T> = T | readonly T[];
type Facets<L> = L extends { facets: infer F } ? F : never;
type Facet<F> = keyof F & string;
/** The type of a limit: a number, or a text for texts such as dates; never a value of a closed set. */
type Bound<V> = V extends number ? number : string extends V ? string : never;
type Filters<F> = { [K in Facet<F> as K | `${K}[ne]`]?: OneOrMore<F[K]> } & {
  [K in Facet<F> as Bound<F[K]> extends never ? never : `${K}[${'gte' | 'gt' | 'lte' | 'lt'}]`]?: Bound<F[K]>;
} & { [K in Facet<F> as F[K] extends string ? `${K}[contains]` : never]?: string } & {
  [K in Facet<F> as `${K}[exists]`]?: boolean;
};
type RecordQuery = { lang?: string; fields?: readonly string[] };
type ListQuery<F> = Filters<F> &
  RecordQuery & {
    q?: string;
    sort?: OneOrMore<Facet<F> | `-${Facet<F>}`>;
    limit?: number;
    offset?: number;
    ids?: readonly string[];
  };
type Get<Body, Query, Params = unknown> = {
  get: {
    parameters: { query?: Query } & Params;
    responses: {
      200: { content: { 'application/json': Body } };
      default: { content: { 'application/problem+json': Problem } };
    };
  };
};
type Page = { game: string; build: string; total: number; count: number; offset: number };
/** A game as `/types/{game}.d.ts` describes it. */
type GameTypes = { characters: { entry: object; record: object }; lists: object; objects: object };
type Lists<G extends GameTypes> = G['lists'] & Pick<G, 'characters'>;
type RecordOf<L> = L extends { record: infer R } ? R : never;

/** The addresses of one game for `createClient`: `GamePaths<'genshin-impact', GenshinImpact>`. */
export type GamePaths<Slug extends string, G extends GameTypes> = {
  [K in keyof Lists<G> & string as `/api/${Slug}/${K}`]: Get<
    Page &
      (K extends 'characters'
        ? { characters: G['characters']['entry'][] }
        : { records: RecordOf<Lists<G>[K]>[] }),
    ListQuery<Facets<Lists<G>[K]>>
  >;
} & {
  [K in keyof Lists<G> & string as `/api/${Slug}/${K}/{id}`]: Get<
    RecordOf<Lists<G>[K]>,
    RecordQuery,
    { path: { id: string } }
  >;
} & {
  [K in keyof G['objects'] & string as `/api/${Slug}/${K}`]: Get<{ data: G['objects'][K] }, RecordQuery>;
};

type AnyRecord = Record<string, unknown>;
/** Any address, without types. */
type AnyPaths = {
  [path: `/${string}`]: Get<
    AnyRecord & Page & { records: AnyRecord[]; characters: AnyRecord[] },
    AnyRecord,
    { path?: Record<string, string> }
  >;
};
type QueryOf<P> = P extends { get: { parameters: { query?: infer Q } } } ? Q : never;
type BodyOf<P> = P extends { get: { responses: { 200: { content: { 'application/json': infer B } } } } }
  ? B
  : never;
type EntryOf<B> = B extends { records: (infer R)[] } | { characters: (infer R)[] } ? R : never;

export interface Options extends ClientOptions {
  baseUrl: string;
  key?: string;
  /** How often a request is retried after 429 and 503; 3 by default. */
  retries?: number;
  /** The longest wait before a retry, in seconds; 60 by default. A longer one is an error at once. */
  maxWait?: number;
}

export interface Client<Paths extends object> extends OpenApiClient<Paths> {
  /** Iterates over all matching records of a list, page by page. Throws ProblemError and BuildChangedError. */
  each<P extends keyof Paths & string>(
    path: P,
    query?: QueryOf<Paths[P]>,
    init?: { signal?: AbortSignal },
  ): AsyncGenerator<EntryOf<BodyOf<Paths[P]>>, void>;
}

/** List parameters whose values are joined by commas; others are repeated. */
const JOINED = ['sort', 'ids', 'fields'];

export function createClient<Paths extends object = AnyPaths>(options: Options): Client<Paths> {
  const { key, retries = 3, maxWait = 60, fetch = globalThis.fetch, headers, ...rest } = options;
  const client = createOpenApi<AnyPaths>({
    headers: mergeHeaders(headers, key === undefined ? {} : { 'X-API-Key': key }),
    redirect: 'manual', // Fetch would send the key to the target of a redirect too.
    querySerializer: encodeQuery,
    ...rest,
    fetch: async (request) => {
      for (let attempt = 0; ; attempt++) {
        const response = await fetch(request.clone());
        const after = response.headers.get('retry-after') ?? '';
        const seconds = /^\d+$/.test(after) ? Number(after) : 2 ** attempt;
        const isRefused = response.status === 429 || response.status === 503;
        if (!isRefused || attempt >= retries || seconds > maxWait) return response;
        await response.body?.cancel();
        await wait(seconds * 1000, request.signal);
      }
    },
  });
  async function* each(path: `/${string}`, query: { offset?: number } = {}, init = {}) {
    if ('ids' in query && String(query.ids) === '') return;
    let content: string | undefined;
    for (let offset = query.offset ?? 0; ; ) {
      const sent = { ...init, params: { query: { limit: 1000, ...query, offset } } };
      const { data, error, response } = await client.GET(path, sent);
      const problem = error instanceof Object && 'code' in error ? error : undefined;
      if (error || !data) throw new ProblemError(response.status, problem);
      const tag = CONTENT_TAG.exec(response.headers.get('etag') ?? '')?.[1] ?? data.build;
      content ??= tag;
      if (tag !== content) throw new BuildChangedError(`the content of ${path} changed between two pages`);
      yield* data.records ?? data.characters;
      offset += data.count;
      if (data.count === 0 || offset >= data.total) return;
    }
  }
  return Object.assign(client, { each }) as unknown as Client<Paths>;
}

function encodeQuery(query: Record<string, unknown>): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values: unknown[] = Array.isArray(value) ? value : [value ?? []].flat();
    for (const each of JOINED.includes(name) && value ? [values.join()] : values)
      encoded.append(name, String(each));
  }
  return encoded.toString();
}

/** The part of an ETag that all pages of a list share, whatever their address and coding. */
const CONTENT_TAG = /^(?:W\/)?"[^-]+-(.+)-[^-]+"$/;

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
