import type { Caller } from '../../access/authenticate.ts';
import type { View } from '../../catalog/catalog.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import type { ProblemCode } from '../../http/problem.ts';
import { HttpProblem } from '../../http/problem.ts';
import { ParameterError } from '../../lib/parameter-error.ts';
import type { RawQuery } from '../../lib/raw-query.ts';
import { quote, suggest } from '../../lib/suggest.ts';
import type { Archive } from '../../past-builds/archive.ts';
import type { Key } from '../../plans/account.ts';
import type { Usage } from '../../plans/counters.ts';
import type { Links } from '../../snapshot-links/links.ts';
import type { Store } from '../../store/store.ts';
import type { Result, StreamResult } from '../../wire/respond.ts';
import type { FileResult } from '../../wire/send-file.ts';
import type { People } from '../people.ts';
import type { JsonSchema, SchemaName } from '../schemas.ts';

/** A request as a route sees it: authenticated, decoded, with one view of the data from beginning to end. */
export interface ApiRequest {
  /** The path as sent. */
  path: string;
  params: Readonly<Record<string, string>>;
  /** The query string as sent, with its `?`; empty where there is none. */
  search: string;
  query: RawQuery;
  /** The media types that the client takes. */
  accept: string | undefined;
  view: View;
  /** Whose key the request carries; only for a personal route. */
  caller?: Caller;
  /** What the caller's account has used of its caps; only for a personal route, and absent where the account has none. */
  usage?: Usage;
  /** What a client of a stream that comes back says of the last event that it got; only for a personal route. */
  lastEventId?: string | undefined;
}

/** What a route answers with. */
export type RouteResult = Result | FileResult | StreamResult;

/** What routes need besides the request. */
export interface Services {
  store: Store;
  archive: Archive;
  people: People;
  /** Whether a key that was good for Pro still is. */
  isStillPro(key: Key): Promise<boolean>;
  links: Links;
  /** Whether requests are still taken; false while shutting down. */
  isOpen(): boolean;
  /** The OpenAPI document as JSON. */
  openApi: Buffer;
}

/** A parameter in the query string, as the OpenAPI document tells it. */
export interface QueryParameter {
  name: string;
  description: string;
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
  /** OpenAPI's serialisation, where it is not `form`, exploded. */
  style?: string;
  explode?: boolean;
}

/** One operation of the API: the router, the checks of every request and the OpenAPI document are made from it. */
export interface Route {
  /** With `:name` for path parameters. */
  path: string;
  operationId: string;
  summary: string;
  description: string;
  needsKey: boolean;
  /** Whether its requests are free: they do not count, and are answered when a cap is reached. */
  isFree?: true;
  /** Whether a signed address takes the place of a key; it leads to what Pro sees. */
  isSigned?: true;
  /**
   * Whether its answers are about who asks. Only then is it told who does; all others are made of the view alone, so that what
   * one caller was answered is kept for the next one.
   */
  isPersonal?: true;
  /** Whether free keys are refused. */
  isPro?: true;
  /** A request with any other parameter is refused, unless `filters` is among these: then the route reads the others. */
  parameters: readonly QueryParameter[];
  /** The schema of the 200. */
  result: SchemaName;
  /** What else a 200 may be, by media type; chosen by Accept. */
  alternatives?: Readonly<Record<string, SchemaName>>;
  /** Whether the answer is a file, which may be asked for in parts. */
  isFile?: true;
  /** Whether the answer is a stream of server-sent events; `answer` is what each holds. */
  isStream?: true;
  /** The errors it answers with, besides those that every route has (openapi.ts). */
  problems: readonly ProblemCode[];
  handle(request: ApiRequest, services: Services): RouteResult | Promise<RouteResult>;
}

/** @throws HttpProblem `unknown-game` */
export function findGame({ view, params }: ApiRequest): GameBuild {
  const slug = params.game ?? '';
  const game = view.games.get(slug);
  if (game) return game;
  throw new HttpProblem(
    'unknown-game',
    `there is no game ${quote(slug)}${suggest(slug, view.games.keys())}; /api/games lists all`,
  );
}

/**
 * Rejects parameters that a route does not have.
 *
 * @throws ParameterError
 */
export function rejectParameters(query: RawQuery, known: readonly string[] = []): void {
  const unknown = query.find(([name]) => !known.includes(name));
  if (!unknown) return;
  const [name] = unknown;
  const expected = known.length > 0 ? `expected ${known.join(', ')}` : 'expected none';
  throw new ParameterError(
    name,
    `${quote(name)} is no parameter of this address${suggest(name, known)}; ${expected}`,
  );
}
