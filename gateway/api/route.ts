import { type Json, SLUG } from '../../scripts/format/dist-format.ts';
import { text } from '../../scripts/format/json-schema.ts';
import type { JsonSchema } from '../../scripts/types/types.ts';
import type { Caller, Usage } from '../access/account.ts';
import type { Archive } from '../data/archive.ts';
import type { View } from '../data/catalog.ts';
import type { GameBuild } from '../data/game-build.ts';
import { type RawQuery, readWhole } from '../http/incoming.ts';
import { invalidParameter, type ProblemCode, quote, suggest } from '../http/problem.ts';
import type { Result } from '../http/respond.ts';
import type { FileResult } from '../http/send-file.ts';
import type { Collection } from '../query/collection.ts';
import type { ListQuery } from '../query/list-query.ts';
import type { Store } from '../store/sql.ts';
import type { Links } from './links.ts';

/** The settings of an account's alerts: what it follows, and the state of each channel. `disabled`: the receiver reported that it was removed. */
export interface AccountAlerts {
  follows: readonly string[];
  channels: Readonly<Record<string, 'on' | 'off' | 'disabled'>>;
}

/** A request as a route receives it: authenticated, decoded, with one view of the data. */
export interface ApiRequest {
  /** The path as sent. */
  path: string;
  params: Readonly<Record<string, string>>;
  /** The query string as sent, with its `?`; empty where there is none. */
  search: string;
  query: RawQuery;
  /** `json`, the name of a row form, the media type of an alternative, or `none` if the client accepts no form of the address. */
  form: string;
  view: View;
  /** The account whose limits the work for the request counts against. A response never depends on it. */
  account?: string | undefined;
  /** The caller; only for a personal route. */
  caller?: Caller | undefined;
  /** The used part of the account's limits; only for a personal route, and only if the account has limits. */
  usage?: Usage | undefined;
  /** The used part of the key's limits, under the same conditions. */
  keyUsage?: Usage | undefined;
}

export type RouteResult = JsonResult | FileResult;

/** A JSON response, and its rows if it can be sent in other forms. */
export interface JsonResult extends Result {
  rows?: ListRows | MemberRows;
}

/** Rows that are the records of a list. */
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

/** A form of responses besides JSON, such as CSV. */
export interface Form {
  /** The name, which an address can have as its suffix. */
  name: string;
  /** The media type without parameters, as it is in Accept. */
  type: string;
  /** The name of its schema. */
  schema: string;
}

/** The forms of rows besides JSON. */
export const ROW_FORMS: readonly Form[] = [
  { name: 'csv', type: 'text/csv', schema: 'Csv' },
  { name: 'ndjson', type: 'application/x-ndjson', schema: 'Ndjson' },
];

/** What a route may use besides the request. */
export interface Services {
  store: Store;
  archive: Archive;
  links: Links;
  /** Reads an account's alert settings. @throws StoreError when the store does not respond in time */
  readAlerts(account: string): Promise<AccountAlerts>;
  /** @throws HttpProblem `unavailable` when the gateway is not ready */
  checkReadiness(): void;
  /** The route table. */
  routes: readonly Route[];
}

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

/** An operation of the API. The router, the checks of each request and the OpenAPI document are made from it. */
export interface Route {
  /** With `:name` for path parameters. */
  path: string;
  operationId: string;
  summary: string;
  /** Whether its path is below /api/. */
  needsKey: boolean;
  /** Whether its requests do not count, and succeed even when a limit is reached. */
  isFree?: true;
  /** Whether the token of a read-only address in its path replaces the key. */
  isAddress?: true;
  /** Whether a signed link replaces the key; the view is that of Pro. */
  isSigned?: true;
  /**
   * Whether responses depend on the caller. Only such a route receives the caller; all others depend on the view alone, so that callers share cached
   * responses.
   */
  isPersonal?: true;
  /** Whether free keys are refused. */
  isPro?: true;
  /** Requests with other parameters are refused, unless `filter` is one of these: then the route reads the others as filters. */
  parameters: readonly QueryParameter[];
  /** The name of the schema of the 200. */
  result: string;
  /** This schema, if no other response has it; those that several have are in `gateway/openapi/schemas.ts`. */
  schema?: JsonSchema;
  /** Other schemas of the 200 by media type; the Accept header selects one. */
  alternatives?: Readonly<Record<string, string>>;
  /** Whether its results have rows, which can also be sent in the forms of `ROW_FORMS`. */
  hasRows?: true;
  /** The form of its address, whatever Accept says; without it, JSON or the form that Accept chooses. */
  form?: Form;
  /** Whether its responses have no tag, and must not be cached. */
  isUncached?: true;
  /** Whether the response is a file, with Range requests. */
  isFile?: true;
  /** The errors that it adds to those of every route (openapi.ts); `route` adds those of its path. */
  problems: readonly ProblemCode[];
  handle(request: ApiRequest, services: Services): RouteResult | Promise<RouteResult>;
}

/** The errors that a part of a path implies. */
const IMPLIED: readonly (readonly [part: RegExp, code: ProblemCode])[] = [
  [/^(?!\/files).*:game/, 'unknown-game'],
  [/:dataset/, 'unknown-dataset'],
  [/(characters|history)\/:id/, 'unknown-character'],
  [/:build/, 'unknown-build'],
];

/** Makes a route: what its path says need not be written down. */
export function route(
  given: Omit<Route, 'needsKey' | 'parameters' | 'problems'> &
    Partial<Pick<Route, 'parameters' | 'problems'>>,
): Route {
  const { path, parameters = [], problems = [], isFile } = given;
  const implied = IMPLIED.flatMap(([part, code]) => (part.test(path) ? code : []));
  const ofFiles = isFile ? (['range-not-satisfiable'] as const) : [];
  const all = [...new Set([...implied, ...problems, ...ofFiles])];
  return { ...given, needsKey: path.startsWith('/api/'), parameters, problems: all };
}

/** Rejects parameters that a route does not have. @throws HttpProblem */
export function rejectParameters(query: RawQuery, parameters: readonly Pick<QueryParameter, 'name'>[]): void {
  const names = parameters.map(({ name }) => name);
  const unknown = query.find(([name]) => !names.includes(name))?.[0];
  if (unknown === undefined) return;
  const expected = `${suggest(unknown, names)}; expected ${names.join(', ') || 'none'}`;
  throw invalidParameter(unknown, `${quote(unknown)} is not a parameter of this address${expected}`);
}

/** Makes a parameter. Its value is a text, unless the schema has another type. */
export function parameter(
  name: string,
  description: string,
  schema: JsonSchema = {},
  more: Partial<QueryParameter> = {},
): QueryParameter {
  return { name, description, schema: { type: 'string', ...schema }, ...more };
}

/** Makes a parameter whose value is a comma-separated list. */
export function listParameter(
  name: string,
  description: string,
  more: Partial<QueryParameter> = {},
  schema: JsonSchema = {},
): QueryParameter {
  const ofList = { type: 'array', items: { type: 'string' }, ...schema };
  return parameter(name, description, ofList, { style: 'form', explode: false, ...more });
}

/** Makes the parameters of pages. @param size of a page; without it, lists are whole @param what the elements are */
export function pageParameters(max: number, size: number | undefined, what: string): QueryParameter[] {
  const unlimited = size === undefined ? ' Without it the list is whole.' : '';
  const whole = { type: 'integer', minimum: 0 };
  const limits = { ...whole, maximum: max, ...(size !== undefined && { default: size }) };
  return [
    parameter('limit', `The size of a page, 0 to ${max}.${unlimited}`, limits),
    parameter('offset', `How many ${what} to skip before the page.`, { ...whole, default: 0 }),
  ];
}

/** Reads the parameters of pages. @throws HttpProblem */
export function readPage(query: RawQuery, max: number, size: number): { limit: number; offset: number } {
  const limit = readWhole(query, 'limit', 0, max) ?? size;
  return { limit, offset: readWhole(query, 'offset', 0) ?? 0 };
}

/** The members that begin the schema of a response about a game. */
export const OF_GAME = {
  game: text({ pattern: SLUG, description: "The game's slug." }),
  build: text({ description: 'The build that the response belongs to.' }),
};

export const LANG = parameter(
  'lang',
  "The language of `name` and of other texts, as the game's attributes name it (`ja`, `zh_cn`) or as a language tag (`zh-CN`). A text that a record " +
    'has in it replaces the one without a language; the replaced name is kept as `name_en`, if English is its language. Filters, sort and search ' +
    'use the attributes as they are. A language without any names is an error.',
  { minLength: 2 },
  { example: 'ja' },
);
