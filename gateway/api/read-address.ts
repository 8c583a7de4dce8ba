import { ADDRESSES, describeTerms, type IssuedKey, servesQuery } from '../access/account.ts';
import type { Incoming } from '../http/incoming.ts';
import { HttpProblem, quote } from '../http/problem.ts';
import { andThen, type Result } from '../http/respond.ts';
import { datasetRoute, listParameters, rosterRoute } from './lists.ts';
import { compareRoute } from './records.ts';
import { rejectParameters, route } from './route.ts';
import { COLUMNS, CSV_PARAMETER, respondWithRows } from './tables.ts';

/** Checks that a read-only address serves a request. @throws HttpProblem `invalid-link` */
export function checkAddress({ key: { address } }: IssuedKey, { params, search }: Incoming): void {
  const { game = '', rows = '' } = params;
  if (address && servesQuery(address, game, rows + search)) return;
  throw new HttpProblem(
    'invalid-link',
    `this read-only address serves ${address ? describeTerms(address) : 'nothing'} only; make another one on /account`,
  );
}

/** The last segment of the path: the rows, and their form. */
const FILE = /^(.+)\.(csv|ndjson|json)$/;

export const readAddressRoute = route({
  path: `${ADDRESSES}/:token/:game/:rows`,
  operationId: 'readAddress',
  summary: 'Rows at a read-only address',
  isAddress: true,
  hasRows: true,
  parameters: [...listParameters(), COLUMNS, CSV_PARAMETER],
  result: 'AnyRows',
  problems: [
    'invalid-link',
    'quota-exceeded',
    'unknown-character',
    'unknown-dataset',
    'not-found',
    'not-acceptable',
    'unavailable',
  ],
  handle(request, services) {
    const { rows: file = '', ...params } = request.params;
    const [, rows = '', form] = FILE.exec(file) ?? [];
    if (form === undefined)
      throw new HttpProblem(
        'not-found',
        `${quote(file)} has no form, expected rows that end in .csv, .ndjson or .json, such as characters.csv`,
      );
    const asked = { ...request, form, params: { ...params, dataset: rows } };
    const of = rows === 'characters' ? rosterRoute : rows === 'compare' ? compareRoute : datasetRoute;
    if (of === compareRoute)
      rejectParameters(request.query, [...of.parameters, ...(form === 'csv' ? [CSV_PARAMETER] : [])]);
    const responding = form === 'json' ? of.handle(asked, services) : respondWithRows(of, asked, services);
    return andThen(responding, (made) => {
      const { location: _, ...result } = made as Result;
      // The address is a secret, which browsers must not send to other sites.
      return { ...result, lines: 'Referrer-Policy: no-referrer\r\n' };
    });
  },
});
