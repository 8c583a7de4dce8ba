import { HttpProblem } from '../../http/problem.ts';
import { quote } from '../../lib/suggest.ts';
import type { AddressTerms } from '../../plans/account.ts';
import { ADDRESSES, describeTerms, seriesQuery, servesQuery } from '../../plans/address-terms.ts';
import type { Result } from '../../wire/respond.ts';
import { compareRoute } from './compare.ts';
import { datasetRoute } from './dataset.ts';
import { COLUMNS, listParameters } from './list-parameters.ts';
import { rosterRoute } from './roster.ts';
import { type ApiRequest, type Form, type Route, rejectParameters, type Services } from './route.ts';
import { seriesRoute } from './series.ts';

/** The last part of the path: rows, and their form. */
const FILE = /^(.+)\.(csv|ndjson|json)$/;

/** What all read-only addresses share. */
const ADDRESS = { needsKey: false, isAddress: true, hasRows: true } as const;
const PROBLEMS = [
  'invalid-link',
  'quota-exceeded',
  'too-many-attempts',
  'unknown-game',
  'unknown-character',
  'not-found',
  'not-acceptable',
  'unread-responses',
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
  parameters: [...listParameters(undefined), COLUMNS],
  result: 'AnyRows',
  problems: [...PROBLEMS, 'unknown-dataset'],
  async handle(request, services) {
    const { rows, form } = readFile(request, 'characters.csv');
    const params = { ...request.params, dataset: rows };
    return await serve(routeOf(request, rows), { ...request, form, params }, services);
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
  parameters: seriesRoute.parameters,
  result: 'Series',
  problems: PROBLEMS,
  async handle(request, services) {
    const { rows, form } = readFile(request, 'series.csv');
    if (rows !== 'series') throw noForm(request, 'series.csv');
    return await serve(seriesRoute, { ...request, form }, services);
  },
};

async function serve(route: Route, request: ApiRequest, services: Services): Promise<Result> {
  const { location: _, ...result } = (await route.handle(request, services)) as Result;
  // The address is a secret, which browsers must not send to other sites.
  return { ...result, lines: 'Referrer-Policy: no-referrer\r\n' };
}

/** @throws HttpProblem `not-found` without a form */
function readFile(request: ApiRequest, example: string): { rows: string; form: Form } {
  const [, rows = '', form] = FILE.exec(request.params.rows ?? '') ?? [];
  if (form === undefined) throw noForm(request, example);
  return { rows, form: form as Form };
}

/**
 * Checks that an address serves a request.
 *
 * @throws HttpProblem `invalid-link`
 */
export function checkTerms(
  terms: AddressTerms,
  { params: { game = '', id, rows = '' }, search }: Pick<ApiRequest, 'params' | 'search'>,
): void {
  if (servesQuery(terms, game, (id === undefined ? rows : seriesQuery(id, rows)) + search)) return;
  throw new HttpProblem(
    'invalid-link',
    `this read-only address serves ${describeTerms(terms)} only; make another one on /account`,
  );
}

function routeOf(request: ApiRequest, rows: string): Route {
  if (rows === 'characters') return rosterRoute;
  if (rows !== 'compare') return datasetRoute;
  const names = compareRoute.parameters.map(({ name }) => name);
  rejectParameters(request.query, names);
  return compareRoute;
}

function noForm({ params: { rows = '' } }: ApiRequest, example: string): HttpProblem {
  return new HttpProblem(
    'not-found',
    `${quote(rows)} has no form, expected rows that end in .csv, .ndjson or .json, such as ${example}`,
  );
}
