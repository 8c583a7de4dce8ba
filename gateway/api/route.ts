import type { Json } from '../../scripts/format/dist-format.ts';
import type { Caller, Usage } from '../access/account.ts';
import type { Archive } from '../data/archive.ts';
import type { View } from '../data/catalog.ts';
import type { GameBuild } from '../data/game-build.ts';
import { ParameterError, type RawQuery } from '../http/incoming.ts';
import { type ProblemCode, quote, suggest } from '../http/problem.ts';
import type { Result } from '../http/respond.ts';
import type { FileResult } from '../http/send-file.ts';
import type { Collection } from '../query/collection.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Store } from '../store/sql.ts';
import type { Links } from './links.ts';

/** What an account follows, and the state of each channel on which it gets alerts. `disabled`: its receiver said that it was removed. */
export interface AccountAlerts {
  follows: readonly string[];
  channels: Readonly<Record<string, 'on' | 'off' | 'disabled'>>;
}

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
  /** The form of its response: `json`, the name of a form of rows, or `none` when the client accepts nothing that the address has. */
  form: string;
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

/** A form of responses besides JSON. */
export interface Form {
  /** Its name, which addresses can have as a suffix. */
  name: string;
  /** Its media type without parameters, as it is in Accept. */
  type: string;
  /** The name of its schema. */
  schema: string;
}

/** The forms of rows besides JSON. */
export const ROW_FORMS: readonly Form[] = [
  { name: 'csv', type: 'text/csv', schema: 'Csv' },
  { name: 'ndjson', type: 'application/x-ndjson', schema: 'Ndjson' },
];

/** What a route can use besides the request. */
export interface Services {
  store: Store;
  archive: Archive;
  links: Links;
  /** Reads the settings of an account's alerts, and what it follows of a view. @throws StoreError when the store does not respond in time */
  readAlerts(account: string, view: View): Promise<AccountAlerts>;
  /** @throws HttpProblem `unavailable` when the gateway is not ready */
  checkReadiness(): Promise<void>;
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

/** A parameter of every list, which `openapi/` describes. */
export interface ListParameter {
  name: string;
  /** Its value where it is not given. */
  default?: number;
  /** As in `QueryParameter`. */
  explode?: boolean;
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
  /** Whether the token of a read-only address in its path replaces the key. */
  isAddress?: true;
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
  /** Whether its results have rows, which it has in `ROW_FORMS` too. */
  hasRows?: true;
  /** The form that its address has, whatever Accept says; JSON, or what Accept chooses, without it. */
  form?: Form;
  /** Whether the response is a file, with Range requests. */
  isFile?: true;
  /** Its errors, besides those of every route (openapi.ts). */
  problems: readonly ProblemCode[];
  handle(request: ApiRequest, services: Services): RouteResult | Promise<RouteResult>;
}

/** Rejects parameters that a route does not have. @throws ParameterError */
export function rejectParameters(query: RawQuery, names: readonly string[]): void {
  const unknown = query.find(([name]) => !names.includes(name))?.[0];
  if (unknown === undefined) return;
  const expected = names.length > 0 ? `expected ${names.join(', ')}` : 'expected none';
  throw new ParameterError(
    unknown,
    `${quote(unknown)} is not a parameter of this address${suggest(unknown, names)}; ${expected}`,
  );
}

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

/** A parameter with names separated by commas. */
export function listParameter(
  name: string,
  description: string,
  more: Partial<QueryParameter> = {},
): QueryParameter {
  const schema = { type: 'array', items: { type: 'string' } };
  return { name, description, schema, style: 'form', explode: false, ...more };
}
