import { lazy } from '../../scripts/lib/lazy.ts';
import type { ApiRequest, JsonResult, Route, RouteResult, RowForm, Services } from '../api/route.ts';
import { andThen } from '../http/work.ts';
import { COLUMNS, CSV as CSV_PARAMETER } from './columns.ts';

/** What writes rows. It is loaded for the first request. */
const writer = lazy(() => import('./write-rows.ts'));

const CSV: RowForm = {
  name: 'csv',
  type: 'text/csv',
  schema: 'Csv',
  addressOf: (route) => ({
    ...addressIn('csv', route),
    operationId: `${route.operationId}AsCsv`,
    summary: `${route.summary}, as CSV`,
    description:
      'The same rows as CSV (RFC 4180, UTF-8, with a line of names), whatever Accept says: a column per attribute that is reached through objects, by its dotted key, in the order of ' +
      'the attribute dictionary; all that no record of the page has are there too. Elements of a list are separated by `|`, with a `\\` before a `|` or `\\` in an element; lists of objects are ' +
      "JSON. A text that a spreadsheet would run as a formula begins with `'`. What the JSON has beside the rows is in `X-Total-Count` and `Link`.",
    parameters: [...route.parameters, ...(isList(route) ? [COLUMNS] : []), CSV_PARAMETER],
    result: 'Csv',
  }),
  respond(route, request, services) {
    const parameters = isList(route) ? [CSV_PARAMETER.name, COLUMNS.name] : [CSV_PARAMETER.name];
    const query = request.query.filter(([name]) => !parameters.includes(name));
    return respond(route, request, { ...request, query }, services);
  },
};

const NDJSON: RowForm = {
  name: 'ndjson',
  type: 'application/x-ndjson',
  schema: 'Ndjson',
  addressOf: (route) => ({
    ...addressIn('ndjson', route),
    operationId: `${route.operationId}AsNdjson`,
    summary: `${route.summary}, as NDJSON`,
    description:
      'The same rows as NDJSON, whatever Accept says: one JSON object per line, as in the JSON. What the JSON has beside the rows is in `X-Total-Count` and `Link`.',
    result: 'Ndjson',
  }),
  respond: (route, request, services) => respond(route, request, request, services),
};

/** The forms of rows besides JSON. */
export const FORMS: readonly RowForm[] = [CSV, NDJSON];

function addressIn(name: string, route: Route): Route {
  return { ...route, path: `${route.path}.${name}` };
}

function isList({ parameters }: Route): boolean {
  return parameters.some(({ name }) => name === 'filter');
}

/** Responds with the rows of a route's JSON. @param selecting the request without what only chooses columns */
function respond(
  route: Route,
  request: ApiRequest,
  selecting: ApiRequest,
  services: Services,
): RouteResult | Promise<RouteResult> {
  return andThen(writer(), ({ writeRows }) =>
    andThen(route.handle(selecting, services), (result) => writeRows(request, result as JsonResult)),
  );
}
