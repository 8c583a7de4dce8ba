import { HttpProblem } from '../../http/problem.ts';
import { quote } from '../../lib/suggest.ts';
import type { AddressTerms } from '../../plans/account.ts';
import { ADDRESSES, describeTerms, servesQuery } from '../../plans/address-terms.ts';
import type { Result } from '../../wire/respond.ts';
import { compareRoute } from './compare.ts';
import { datasetRoute } from './dataset.ts';
import { COLUMNS, listParameters } from './list-parameters.ts';
import { rosterRoute } from './roster.ts';
import { type ApiRequest, type Form, type Route, rejectParameters } from './route.ts';

/** The last part of the path: rows, and their form. */
const FILE = /^(.+)\.(csv|ndjson|json)$/;

export const readAddressRoute: Route = {
  path: `${ADDRESSES}/:token/:game/:rows`,
  operationId: 'readAddress',
  summary: 'Rows at a read-only address',
  description:
    'What a read-only address serves to tools that can send no header: the roster (`characters.csv`), a dataset that is a list, or `compare.csv`, as `.csv`, `.ndjson` or `.json`, ' +
    'with the parameters of the address under /api/. It needs no key: anyone with the address can use it, for one game or one query, until it is revoked. It counts on the caps of its account.',
  needsKey: false,
  isAddress: true,
  hasRows: true,
  parameters: [...listParameters(undefined), COLUMNS],
  result: 'AnyRows',
  problems: [
    'invalid-link',
    'quota-exceeded',
    'too-many-attempts',
    'unknown-game',
    'unknown-dataset',
    'unknown-character',
    'not-found',
    'not-acceptable',
    'unread-responses',
    'unavailable',
  ],
  async handle(request, services) {
    const [, rows = '', form] = FILE.exec(request.params.rows ?? '') ?? [];
    if (form === undefined) throw noForm(request);
    const asked: ApiRequest = {
      ...request,
      form: form as Form,
      params: { ...request.params, dataset: rows },
    };
    const result = (await routeOf(asked, rows).handle(asked, services)) as Result;
    // The address is a secret, which browsers must not send to other sites.
    return { ...result, lines: 'Referrer-Policy: no-referrer\r\n' };
  },
};

/**
 * Checks that an address serves a request.
 *
 * @throws HttpProblem `invalid-link`
 */
export function checkTerms(
  terms: AddressTerms,
  { params: { game = '', rows = '' }, search }: Pick<ApiRequest, 'params' | 'search'>,
): void {
  if (servesQuery(terms, game, rows + search)) return;
  throw new HttpProblem(
    'invalid-link',
    `this address serves ${describeTerms(terms)} only; make another one on /account`,
  );
}

function routeOf(request: ApiRequest, rows: string): Route {
  if (rows === 'characters') return rosterRoute;
  if (rows !== 'compare') return datasetRoute;
  const names = compareRoute.parameters.map(({ name }) => name);
  rejectParameters(request.query, names);
  return compareRoute;
}

function noForm({ params: { rows = '' } }: ApiRequest): HttpProblem {
  return new HttpProblem(
    'not-found',
    `${quote(rows)} has no form, expected rows that end in .csv, .ndjson or .json, such as characters.csv`,
  );
}
