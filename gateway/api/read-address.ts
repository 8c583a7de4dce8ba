import {
  ADDRESSES,
  describeTerms,
  isRevoked,
  type IssuedKey,
  seriesQuery,
  servesQuery,
} from '../access/account.ts';
import { ADDRESS_MARK, readToken } from '../access/api-key.ts';
import type { KeyAccess } from '../access/authenticate.ts';
import type { Incoming } from '../http/incoming.ts';
import { HttpProblem, quote } from '../http/problem.ts';
import { andThen, type Result } from '../http/respond.ts';
import { compareRoute } from './compare.ts';
import { datasetRoute, listParameters, rosterRoute } from './lists.ts';
import { type ApiRequest, rejectParameters, type Route, type RouteAccess, type Services } from './route.ts';
import { COLUMNS, CSV_PARAMETER, FORMS } from './tables.ts';
import { seriesRoute } from './timelines.ts';

const NO_ADDRESS = 'this read-only address does not exist, or was revoked; make another one on /account';

/** Finds the account of a read-only address by the token in its path, and checks that it serves the request. */
const ADDRESS_ACCESS: RouteAccess = {
  find(request, access) {
    const hash = readToken(ADDRESS_MARK, request.params.token ?? '');
    if (hash === undefined) throw refuse(access);
    return andThen(access.find(hash), (issued): IssuedKey => {
      if (issued?.key.address === undefined || isRevoked(issued.key, access.now)) throw refuse(access);
      return issued;
    });
  },
  check({ address }, { params: { game = '', id, rows = '' }, search }: Incoming) {
    if (address === undefined) return;
    if (servesQuery(address, game, (id === undefined ? rows : seriesQuery(id, rows)) + search)) return;
    throw new HttpProblem(
      'invalid-link',
      `this read-only address serves ${describeTerms(address)} only; make another one on /account`,
    );
  },
};

function refuse({ countBadAttempt }: KeyAccess): HttpProblem {
  countBadAttempt(NO_ADDRESS);
  return new HttpProblem('invalid-link', NO_ADDRESS);
}

/** The last part of the path: rows, and their form. */
const FILE = /^(.+)\.(csv|ndjson|json)$/;

/** What all read-only addresses share. */
const ADDRESS = { needsKey: false, isAddress: true, access: ADDRESS_ACCESS, hasRows: true } as const;
const PROBLEMS = [
  'invalid-link',
  'quota-exceeded',
  'unknown-game',
  'unknown-character',
  'not-found',
  'not-acceptable',
  'unavailable',
] as const;

export const readAddressRoute: Route = {
  ...ADDRESS,
  path: `${ADDRESSES}/:token/:game/:rows`,
  operationId: 'readAddress',
  summary: 'Rows at a read-only address',
  description:
    'What a read-only address serves to tools that can send no header: the roster (`characters.csv`), a dataset that is a list, or `compare.csv`, as `.csv`, `.ndjson` or `.json`, ' +
    'with the parameters of the address under /api/. It needs no key: anyone with the address can use it, for one game or one query, until it is revoked. It counts on the caps of its account.',
  parameters: [...listParameters(), COLUMNS, CSV_PARAMETER],
  result: 'AnyRows',
  problems: [...PROBLEMS, 'unknown-dataset'],
  async handle(request, services) {
    const { rows, form } = readFile(request, 'characters.csv');
    const params = { ...request.params, dataset: rows };
    return await serve(routeOf(request, rows, form), { ...request, form, params }, services);
  },
};

export const readSeriesRoute: Route = {
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
  async handle(request, services) {
    const { rows, form } = readFile(request, 'series.csv');
    if (rows !== 'series') throw noForm(request, 'series.csv');
    rejectParameters(request.query, namesIn(seriesRoute, form));
    return await serve(seriesRoute, { ...request, form }, services);
  },
};

async function serve(route: Route, request: ApiRequest, services: Services): Promise<Result> {
  const form = FORMS.find(({ name }) => name === request.form);
  const responding = form ? form.respond(route, request, services) : route.handle(request, services);
  const { location: _, ...result } = (await responding) as Result;
  // The address is a secret, which browsers must not send to other sites.
  return { ...result, lines: 'Referrer-Policy: no-referrer\r\n' };
}

/** @throws HttpProblem `not-found` without a form */
function readFile(request: ApiRequest, example: string): { rows: string; form: string } {
  const [, rows = '', form] = FILE.exec(request.params.rows ?? '') ?? [];
  if (form === undefined) throw noForm(request, example);
  return { rows, form };
}

function routeOf(request: ApiRequest, rows: string, form: string): Route {
  if (rows === 'characters') return rosterRoute;
  if (rows !== 'compare') return datasetRoute;
  rejectParameters(request.query, namesIn(compareRoute, form));
  return compareRoute;
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
