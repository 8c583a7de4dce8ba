import type { Json } from '../../scripts/format/dist-format.ts';
import type { Caller, Key, Usage } from '../access/account.ts';
import type { FindIssued } from '../access/authenticate.ts';
import type { Archive } from '../data/archive.ts';
import type { View } from '../data/catalog.ts';
import type { GameBuild } from '../data/game-build.ts';
import { type Incoming, ParameterError, type RawQuery } from '../http/incoming.ts';
import { type ProblemCode, quote, suggest } from '../http/problem.ts';
import type { Result } from '../http/respond.ts';
import type { FileResult } from '../http/send-file.ts';
import type { Collection } from '../query/collection.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Store } from '../store/sql.ts';

/** What an account follows, and the state of each channel on which it gets alerts. `disabled`: its receiver said that it was removed. */
export interface AccountAlerts {
  follows: readonly string[];
  channels: Readonly<Record<string, 'on' | 'off' | 'disabled'>>;
}

/**
 * What the core of a gateway asks about people. The core does not import `people/`: this is passed in when a gateway is put together.
 * Without the optional member the gateway does not say what an account follows.
 */
export interface People {
  /**
   * Reads the settings of an account's alerts, and what it follows of a view.
   *
   * @throws StoreError when the store does not respond in time
   */
  readAlerts?(account: string, view: View): Promise<AccountAlerts>;
}

/** The form of a response: `json`, the name of a form of rows, or `none` when the client accepts nothing that the address has. */
export type Form = string;

/** A request as a route gets it: authenticated, decoded, with one view of the data. */
export interface ApiRequest {
  /** The path as sent. */
  path: string;
  params: Readonly<Record<string, string>>;
  /** The query string as sent, with its `?`; empty where there is none. */
  search: string;
  query: RawQuery;
  /** The Accept header. */
  accept: string | undefined;
  /** The form of its response; JSON unless the route has rows. */
  form: Form;
  view: View;
  /** The account that what the request costs is counted for. A response never depends on it. */
  account?: string | undefined;
  /** The caller; only for a personal route. */
  caller?: Caller;
  /** How much of its caps the caller's account has used; only for a personal route, and only when the account has caps. */
  usage?: Usage | undefined;
  /** The same for the caller's key. */
  keyUsage?: Usage | undefined;
  /** The IP address of the client; only for a personal route that is a file. */
  client?: string | undefined;
}

/** What a route returns. */
export type RouteResult = JsonResult | FileResult;

/** A response as JSON, and its rows if it can be sent in other forms too. */
export interface JsonResult extends Result {
  rows?: ListRows | MemberRows;
}

/** Rows that are records of a list. */
export interface ListRows {
  game: GameBuild;
  /** `characters` or the key of a dataset. */
  collection: string;
  list: Collection;
  query: ListQuery;
}

/** Rows that are the elements of a member of the JSON. */
export interface MemberRows<R extends object = object> {
  member: string;
  /** The names of the columns. */
  names: readonly string[];
  cellsOf(row: R): readonly Json[];
}

/** A form of rows besides JSON, which a part writes. */
export interface RowForm {
  /** Its name, which addresses can have as a suffix. */
  name: string;
  /** Its media type without parameters, as it is in Accept. */
  type: string;
  /** The name of its schema. */
  schema: string;
  /** Describes the address of a route's rows in this form. */
  addressOf(route: Route): Route;
  /** Responds to a request for a route with rows. */
  respond(route: Route, request: ApiRequest, services: Services): RouteResult | Promise<RouteResult>;
}

/** A signed address: it needs no key, and expires at `expires_at` (ISO 8601). */
interface Link {
  url: string;
  expires_at: string;
}

/** Makes signed addresses and checks those that lead to the gateway, and hands files to the proxy in front. */
export interface Links {
  /** @param file its path in dist/ */
  issue(file: string): Promise<Link>;
  check(file: string, expires: string, signature: string): 'good' | 'expired' | 'wrong';
  handOver?: FileResult['handOver'];
}

/** What a route can use besides the request. */
export interface Services {
  store: Store;
  archive: Archive;
  people: People;
  /** Makes signed addresses; undefined without the part that does. */
  links: Links | undefined;
  /** @throws HttpProblem `unavailable` when the gateway is not ready */
  checkReadiness(): Promise<void>;
  /** Returns a whole number from 0 to below its argument, at random. */
  random(below: number): number;
  /** The route table. */
  routes: readonly Route[];
}

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A parameter in the query string, as the OpenAPI document describes it. */
export interface QueryParameter {
  name: string;
  description: string;
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
  /** OpenAPI's serialization, when it is not `form` with `explode`. */
  style?: string;
  explode?: boolean;
}

/** A parameter of every list, which the part `openapi` describes. */
export interface ListParameter {
  name: string;
  /** Its value where it is not given. */
  default?: number;
  /** As in `QueryParameter`. */
  explode?: boolean;
}

/** How the caller of a route is found and checked. */
export interface RouteAccess {
  find: FindIssued;
  /** Checks that the key or address may be used for the request. @throws HttpProblem */
  check(key: Key, request: Incoming): void;
}

/** One operation of the API. The router, the checks of each request and the OpenAPI document are made from it. */
export interface Route {
  /** With `:name` for path parameters. */
  path: string;
  operationId: string;
  summary: string;
  description: string;
  needsKey: boolean;
  /** Whether its requests do not count, and succeed even when a cap is reached. */
  isFree?: true;
  /** Whether the token in its path replaces the key: it has `access` then. */
  isAddress?: true;
  /** How its caller is found, if not by `X-API-Key`. */
  access?: RouteAccess;
  /** Whether a signed address replaces the key; its view is that of Pro. */
  isSigned?: true;
  /**
   * Whether its responses depend on the caller. Only then does it get the caller; all other routes depend on the view alone, so that
   * callers share cached responses.
   */
  isPersonal?: true;
  /** Whether free keys are refused. */
  isPro?: true;
  /** Requests with other parameters are refused. If `filter` is one of these, they are not refused: the route reads them. */
  parameters: readonly (QueryParameter | ListParameter)[];
  /** The name of the schema of the 200. */
  result: string;
  /** Other schemas of the 200 by media type; the Accept header selects one. */
  alternatives?: Readonly<Record<string, string>>;
  /** Whether its results have rows. */
  hasRows?: true;
  /** The forms that its rows have besides JSON. */
  rowForms?: readonly RowForm[];
  /** The one of these forms that the suffix of its path chooses, whatever Accept says. */
  form?: RowForm;
  /** Whether the response is a file, with Range requests. */
  isFile?: true;
  /** Its errors, besides those of every route (openapi.ts). */
  problems: readonly ProblemCode[];
  handle(request: ApiRequest, services: Services): RouteResult | Promise<RouteResult>;
}

/**
 * Rejects parameters that a route does not have.
 *
 * @throws ParameterError
 */
export function rejectParameters(query: RawQuery, names: readonly string[] = []): void {
  const unknown = query.find(([name]) => !names.includes(name));
  if (!unknown) return;
  const [name] = unknown;
  const expected = names.length > 0 ? `expected ${names.join(', ')}` : 'expected none';
  throw new ParameterError(
    name,
    `${quote(name)} is not a parameter of this address${suggest(name, names)}; ${expected}`,
  );
}

/** What a request for texts in a language becomes. */
export type InLanguage = Pick<ListQuery, 'translation' | 'language'>;

/** The parameter `lang`. */
export const LANG: QueryParameter = {
  name: 'lang',
  description:
    "The language of `name` and of other texts, as the game's attributes name it (`ja`, `zh_cn`) or as a language tag (`zh-CN`): each text that a " +
    'record has in that language too replaces the one without a language. The replaced name is kept as `name_en`, if English is its language. ' +
    'Filters, sort and search use the attributes as they are. `Content-Language` repeats it. A language without any names is an error.',
  schema: { type: 'string', minLength: 2 },
  example: 'ja',
};

/** Returns the values of a parameter, in the order of the request; undefined without any. */
export function valuesOf(query: RawQuery, parameter: string): string[] | undefined {
  const values = query.flatMap(([name, value]) => (name === parameter ? [value] : []));
  return values.length > 0 ? values : undefined;
}
