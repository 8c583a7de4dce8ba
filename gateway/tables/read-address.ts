import { compareRoute } from '../api/compare.ts';
import { datasetRoute } from '../api/dataset.ts';
import { listParameters, rosterRoute } from '../api/list-body.ts';
import { type ApiRequest, type Route, rejectParameters, type Services } from '../api/route.ts';
import { HttpProblem } from '../http/problem.ts';
import { quote } from '../http/suggest.ts';
import type { Result } from '../http/respond.ts';
import { ADDRESSES } from '../addresses/address-terms.ts';
import { seriesRoute } from '../series/series.ts';
import { ADDRESS_ACCESS } from './address-access.ts';
import { COLUMNS, CSV } from './columns.ts';
import { FORMS } from './forms.ts';

/** The last part of the path: rows, and their form. */
const FILE = /^(.+)\.(csv|ndjson|json)$/;

/** What all read-only addresses share. */
const ADDRESS = { needsKey: false, isAddress: true, access: ADDRESS_ACCESS, hasRows: true } as const;
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
  parameters: [...listParameters(), COLUMNS, CSV],
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
  parameters: [...seriesRoute.parameters, CSV],
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
  return [...parameters, ...(form === 'csv' ? [CSV] : [])].map(({ name }) => name);
}

function noForm({ params: { rows = '' } }: ApiRequest, example: string): HttpProblem {
  return new HttpProblem(
    'not-found',
    `${quote(rows)} has no form, expected rows that end in .csv, .ndjson or .json, such as ${example}`,
  );
}
