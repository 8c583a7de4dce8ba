import type { ServerResponse } from 'node:http';
import type { View } from '../catalog/view.ts';
import type { Incoming } from '../http/incoming.ts';
import { proOnly } from '../http/problem.ts';
import { andThen } from '../lib/work.ts';
import { ParameterError, checkNames, parseRawQuery, type RawQuery } from '../lib/raw-query.ts';
import type { Reply, ReplyPlace } from '../wire/replies.ts';
import { type Result, sendResult, suffices } from '../wire/respond.ts';
import { type FileResult, sendFile } from '../wire/send-file.ts';
import type { ApiIncoming } from './api-access.ts';
import { notAcceptable } from './forms.ts';
import {
  type Route,
  type ApiRequest,
  type Deprecation,
  type Form,
  type RouteResult,
  rejectParameters,
  type Services,
} from './routes/route.ts';

/** A route's result, with the view it was made from and the place of its reply in the cache. */
export interface Made {
  result: Result | FileResult;
  place: ReplyPlace;
  view: View;
}

/** Sends a result; from then on its reply is in the cache. */
export function sendMade(
  { isPersonal }: Route,
  request: ApiIncoming,
  response: ServerResponse,
  { result, place, view }: Made,
): void | Promise<void> {
  if ('files' in result) return sendFile(request, response, result);
  return sendResult(request, response, result, place, {
    view: isPersonal ? undefined : view.mark,
    further: request.charge?.headers,
  });
}

/** Returns the cached reply when it is from the same view and enough for this request. */
export function findReply(request: ApiIncoming, { last }: ReplyPlace, { mark }: View): Reply | undefined {
  return last?.view === mark && suffices(last, request) ? last : undefined;
}

/**
 * Checks what holds for every route, and passes the request to its handler.
 *
 * @throws HttpProblem and ParameterError when the route refuses the request
 */
export function handle(
  route: Route,
  request: Pick<ApiIncoming, 'path' | 'search' | 'params' | 'caller' | 'charge' | 'client' | 'headers'>,
  view: View,
  form: Form,
  services: Services,
): RouteResult | Promise<RouteResult> {
  const { path, search, params, caller, charge, client } = request;
  if (route.isPro && caller?.tier !== 'pro') throw proOnly();
  if (form === 'none') throw notAcceptable(route, request.headers.accept);
  const query = readQuery(request, route);
  const { accept } = request.headers;
  const asked = { path, search, params, query, accept, form, view };
  if (!route.isPersonal) return addDeprecation(route, respond(route, asked, services));
  // Node joins repeated headers with a comma.
  const lastEventId = request.headers['last-event-id'] as string | undefined;
  const used = { usage: charge?.usage, keyUsage: charge?.keyUsage };
  const personal = { ...(caller && { caller }), ...used, client, lastEventId };
  return addDeprecation(route, route.handle({ ...asked, ...personal }, services));
}

/** Responds in the form of the request: as JSON by the route itself, else by what writes its rows. */
function respond(route: Route, request: ApiRequest, services: Services): RouteResult | Promise<RouteResult> {
  const form =
    request.form === 'json' ? undefined : route.rowForms?.find(({ name }) => name === request.form);
  return form === undefined ? route.handle(request, services) : form.respond(route, request, services);
}

/** @throws ParameterError when the query string is malformed or has a parameter that the route does not have */
function readQuery({ search }: Pick<Incoming, 'search'>, { parameters }: Route): RawQuery {
  const query = parseRawQuery(search.slice(1));
  if (query === undefined) {
    throw new ParameterError('query', 'the query string has malformed percent-encoding, expected UTF-8');
  }
  checkNames(query);
  if (query.length === 0 || parameters.some(({ name }) => name === 'filter')) return query;
  rejectParameters(
    query,
    parameters.map(({ name }) => name),
  );
  return query;
}

/** Adds the header fields of a deprecated address to a result with bytes. */
function addDeprecation(
  { deprecated }: Route,
  made: RouteResult | Promise<RouteResult>,
): RouteResult | Promise<RouteResult> {
  if (deprecated === undefined) return made;
  const fields = Object.entries(deprecationFields(deprecated));
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return andThen(made, (result) =>
    'body' in result ? { ...result, lines: (result.lines ?? '') + lines } : result,
  );
}

/** Returns Deprecation (RFC 9745), Sunset (RFC 8594) and the link to what explains them, as header fields. */
export function deprecationFields({ since, sunset, link }: Deprecation): Record<string, string> {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    Link: `<${link}>; rel="deprecation"; type="text/html"`,
  };
}
