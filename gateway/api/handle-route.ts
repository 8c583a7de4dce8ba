import type { View } from '../catalog/catalog.ts';
import type { Incoming } from '../http/incoming.ts';
import { proOnly } from '../http/problem.ts';
import { ParameterError } from '../lib/parameter-error.ts';
import { parseRawQuery, type RawQuery } from '../lib/raw-query.ts';
import type { ApiIncoming } from './api-access.ts';
import { notAcceptable } from './forms.ts';
import { type Form, type Route, type RouteResult, rejectParameters, type Services } from './routes/route.ts';

/**
 * Checks what holds for every route, and passes the request to its handler.
 *
 * @throws HttpProblem and ParameterError when the route refuses the request
 */
export function handle(
  route: Route,
  request: Pick<ApiIncoming, 'path' | 'search' | 'params' | 'caller' | 'charge' | 'headers'>,
  view: View,
  form: Form,
  services: Services,
): RouteResult | Promise<RouteResult> {
  const { path, search, params, caller, charge } = request;
  if (route.isPro && caller?.tier !== 'pro') throw proOnly();
  if (form === 'none') throw notAcceptable(route, request.headers.accept);
  const query = readQuery(request, route);
  const { accept } = request.headers;
  const asked = { path, search, params, query, accept, form, view };
  if (!route.isPersonal) return route.handle(asked, services);
  // Node joins repeated headers with a comma.
  const lastEventId = request.headers['last-event-id'] as string | undefined;
  const used = { usage: charge?.usage, keyUsage: charge?.keyUsage };
  const personal = { ...(caller && { caller }), ...used, lastEventId };
  return route.handle({ ...asked, ...personal }, services);
}

/** @throws ParameterError when the query string is malformed or has a parameter that the route does not have */
function readQuery({ search }: Pick<Incoming, 'search'>, { parameters }: Route): RawQuery {
  const query = parseRawQuery(search.slice(1));
  if (query === undefined) {
    throw new ParameterError('query', 'the query string has malformed percent-encoding, expected UTF-8');
  }
  if (query.length === 0 || parameters.some(({ name }) => name === 'filter')) return query;
  rejectParameters(
    query,
    parameters.map(({ name }) => name),
  );
  return query;
}
