import { ADDRESSES, describeTerms, type IssuedKey, seriesQuery, servesQuery } from '../access/account.ts';
import type { Incoming } from '../http/incoming.ts';
import { HttpProblem, quote } from '../http/problem.ts';
import { andThen, type Result } from '../http/respond.ts';
import { datasetRoute, listParameters, rosterRoute } from './lists.ts';
import { compareRoute } from './records.ts';
import {
  type ApiRequest,
  type Route,
  type RouteResult,
  rejectParameters,
  route,
  type Services,
} from './route.ts';
import { COLUMNS, CSV_PARAMETER, respondWithRows } from './tables.ts';
import { seriesRoute } from './timelines.ts';

/** Checks that a read-only address serves a request. @throws HttpProblem `invalid-link` */
export function checkAddress({ key: { address } }: IssuedKey, { params, search }: Incoming): void {
  const { game = '', id, rows = '' } = params;
  if (address && servesQuery(address, game, (id === undefined ? rows : seriesQuery(id, rows)) + search))
    return;
  throw new HttpProblem(
    'invalid-link',
    `this read-only address serves ${address ? describeTerms(address) : 'nothing'} only; make another one on /account`,
  );
}

/** The last segment of the path: the rows, and their form. */
const FILE = /^(.+)\.(csv|ndjson|json)$/;

/** What all read-only addresses share. */
const ADDRESS = { isAddress: true, hasRows: true } as const;
/** The paths below a game that are not datasets, with their routes. */
const ROUTES_OF = new Map([
  ['characters', rosterRoute],
  ['compare', compareRoute],
]);
const PROBLEMS = [
  'invalid-link',
  'quota-exceeded',
  'unknown-game',
  'unknown-character',
  'not-found',
  'not-acceptable',
  'unavailable',
] as const;

export const readAddressRoute = route({
  ...ADDRESS,
  path: `${ADDRESSES}/:token/:game/:rows`,
  operationId: 'readAddress',
  summary: 'Rows at a read-only address',
  description:
    'What a read-only address serves to tools that can send no header: the roster (`characters.csv`), a dataset that is a list, or `compare.csv`, as `.csv`, `.ndjson` or `.json`, ' +
    'with the parameters of the address under /api/. It needs no key: anyone with the address can use it, for one game or one query, until it is revoked. It counts on the limits of its account.',
  parameters: [...listParameters(), COLUMNS, CSV_PARAMETER],
  result: 'AnyRows',
  problems: [...PROBLEMS, 'unknown-dataset'],
  handle(request, services) {
    const { rows, form } = readFile(request, 'characters.csv');
    const route = ROUTES_OF.get(rows) ?? datasetRoute;
    if (route === compareRoute) rejectParameters(request.query, namesIn(route, form));
    return serve(route, { ...request, form, params: { ...request.params, dataset: rows } }, services);
  },
});

export const readSeriesRoute = route({
  ...ADDRESS,
  path: `${ADDRESSES}/:token/:game/history/:id/:rows`,
  operationId: 'readSeriesAddress',
  summary: 'Attributes of a character in each build, at a read-only address',
  description:
    'What a read-only address of a Pro account serves of the history of a character: `series.csv`, `series.ndjson` or `series.json`, with the parameters of the address under /api/.',
  isPro: true,
  parameters: [...seriesRoute.parameters, CSV_PARAMETER],
  result: 'Series',
  problems: PROBLEMS,
  handle(request, services) {
    const { rows, form } = readFile(request, 'series.csv');
    if (rows !== 'series') throw noForm(request, 'series.csv');
    rejectParameters(request.query, namesIn(seriesRoute, form));
    return serve(seriesRoute, { ...request, form }, services);
  },
});

function serve(route: Route, request: ApiRequest, services: Services): RouteResult | Promise<RouteResult> {
  const respond = request.form === 'json' ? route.handle : respondWithRows.bind(undefined, route);
  return andThen(respond(request, services), (made) => {
    const { location: _, ...result } = made as Result;
    // The address is a secret, which browsers must not send to other sites.
    return { ...result, lines: 'Referrer-Policy: no-referrer\r\n' };
  });
}

/** @throws HttpProblem `not-found` without a form */
function readFile(request: ApiRequest, example: string): { rows: string; form: string } {
  const [, rows = '', form] = FILE.exec(request.params.rows ?? '') ?? [];
  if (form === undefined) throw noForm(request, example);
  return { rows, form };
}

/** The names of the parameters that a route has in a form. */
function namesIn({ parameters }: Route, form: string): string[] {
  return [...parameters, ...(form === 'csv' ? [CSV_PARAMETER] : [])].map(({ name }) => name);
}

function noForm({ params: { rows = '' } }: ApiRequest, example: string): HttpProblem {
  return new HttpProblem(
    'not-found',
    `${quote(rows)} has no form, expected rows that end in .csv, .ndjson or .json, such as ${example}`,
  );
}
