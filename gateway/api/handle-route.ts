import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { DistError } from '../data/dist-folder.ts';
import type { View } from '../data/view.ts';
import { type Incoming, MAX_ACCEPT_LENGTH } from '../http/incoming.ts';
import { HttpProblem, proOnly, unavailable } from '../http/problem.ts';
import { checkNames, ParameterError, parseRawQuery, type RawQuery } from '../http/raw-query.ts';
import { andThen } from '../http/work.ts';
import type { Log } from '../http/log.ts';
import { StoreError } from '../store/sql.ts';
import type { Reply, ReplyPlace } from '../http/replies.ts';
import { type Result, sendResult, suffices } from '../http/respond.ts';
import { type FileResult, sendFile } from '../http/send-file.ts';
import type { ApiIncoming } from './api-access.ts';
import {
  type ApiRequest,
  type Deprecation,
  type Form,
  type Route,
  type RouteResult,
  type RowForm,
  rejectParameters,
  type Services,
} from './route.ts';

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
  if ('files' in result) return sendFile(request, response, result, request.charge?.headers);
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
  request: Pick<ApiIncoming, 'path' | 'search' | 'params' | 'caller' | 'charge' | 'client' | 'headers'> & {
    /** Whether a page asks, which knows itself what visitors may see. */
    isPage?: true;
  },
  view: View,
  form: Form,
  services: Services,
): RouteResult | Promise<RouteResult> {
  const { path, search, params, caller, charge, client } = request;
  if (route.isPro && caller?.tier !== 'pro' && !request.isPage) throw proOnly();
  if (form === 'none') throw notAcceptable(route, request.headers.accept);
  const query = readQuery(request, route);
  const { accept } = request.headers;
  const asked = { path, search, params, query, accept, form, view, account: caller?.account.id };
  if (!route.isPersonal) return addDeprecation(route, respond(route, asked, services));
  // Node joins repeated headers with a comma, so there is at most one.
  const [lastEventId] = [request.headers['last-event-id']].flat();
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
function deprecationFields({ since, sunset, link }: Deprecation): Record<string, string> {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    Link: `<${link}>; rel="deprecation"; type="text/html"`,
  };
}

/** The media type of JSON without parameters, as it is in Accept. */
export const JSON_NAME = 'application/json';
/** A client that wants a page is shown JSON. */
const HTML = 'text/html';
/** What clients that want JSON send most. */
const ANY = '*/*';
const MAX_KNOWN = 200;

const formsByRoute = new WeakMap<Route, LRUCache<string, Form>>();

/**
 * Chooses the form of a response (RFC 9110, 12.5.1). It costs nothing for clients that want JSON.
 *
 * @param accept the Accept header
 */
export function chooseForm(route: Route, accept: string | undefined): Form {
  if (route.form !== undefined) return route.form.name;
  if (accept === undefined || accept === ANY || accept === JSON_NAME) return 'json';
  if (!isNegotiated(route) || accept.length > MAX_ACCEPT_LENGTH) return 'json';
  let forms = formsByRoute.get(route);
  if (forms === undefined) {
    forms = new LRUCache({ max: MAX_KNOWN });
    formsByRoute.set(route, forms);
  }
  let form = forms.get(accept);
  if (form === undefined) {
    form = negotiate(route, accept);
    forms.set(accept, form);
  }
  return form;
}

/** Adds the forms of its rows to a route. @returns its addresses: those whose suffix chooses a form come first, so that no parameter matches the suffix */
export function addForms(route: Route, rowForms: readonly RowForm[]): Route[] {
  if (!route.hasRows || rowForms.length === 0) return [route];
  const whole = { ...route, rowForms };
  const addresses = rowForms.map((form) => ({ ...form.addressOf(route), rowForms, form }));
  return hasSuffixes(whole) ? [...addresses, whole] : [whole];
}

/** Returns the 406 for a client that accepts nothing that the address has. */
function notAcceptable(route: Route, accept: string | undefined): HttpProblem {
  const types = Object.keys(schemasOf(route));
  return new HttpProblem(
    'not-acceptable',
    `nothing that Accept names is served here (${JSON.stringify((accept ?? '').slice(0, 100))}), expected ${types.join(', ')} or */*`,
    { types },
  );
}

/** What the form of a route's responses depends on. */
export type Forms = Pick<Route, 'needsKey' | 'isStream' | 'isFile' | 'rowForms' | 'isAddress' | 'form'> & {
  result: string;
  alternatives?: Readonly<Record<string, string>>;
};

/** Returns whether Accept chooses the form. Files and streams have one of their own, and descriptions of the service are for every client. */
export function isNegotiated({ needsKey, isStream, isFile, form }: Forms): boolean {
  return needsKey && !isStream && !isFile && form === undefined;
}

/** Returns the schemas of a route's responses by media type. */
export function schemasOf({
  result,
  alternatives,
  isStream,
  rowForms = [],
  form,
}: Forms): Record<string, string> {
  if (isStream) return { 'text/event-stream': result };
  if (form !== undefined) return { [form.type]: result };
  const others = Object.fromEntries(rowForms.map(({ type, schema }) => [type, schema]));
  return { [JSON_NAME]: result, ...alternatives, ...others };
}

/** Returns whether the rows of a route have addresses of their own in each form. */
export function hasSuffixes({ rowForms, isAddress, form }: Forms): boolean {
  return rowForms !== undefined && isAddress !== true && form === undefined;
}

function negotiate(route: Route, accept: string): Form {
  // negotiator finds no type for `text/csv; charset=utf-8`, as ours have no parameters.
  const plain = accept.replace(/;\s*(?!q=)[^;,]+/gi, '');
  const negotiator = new Negotiator({ headers: { accept: plain } });
  const type = negotiator.mediaType(Object.keys(schemasOf(route)));
  if (type === undefined) return negotiator.mediaType([HTML]) === HTML ? 'json' : 'none';
  // The route itself distinguishes its alternatives.
  return route.rowForms?.find((form) => form.type === type)?.name ?? 'json';
}

/** Returns whether an error is the gateway's own fault: a 5xx. */
export function isFault(error: unknown): boolean {
  return !(error instanceof ParameterError || (error instanceof HttpProblem && error.status < 500));
}

/** Returns what the client may know of an error, and logs what the operator has to know. */
export function toProblem(error: unknown, log: Log): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ParameterError) {
    return new HttpProblem('invalid-parameter', error.message, { parameter: error.parameter });
  }
  if (error instanceof DistError) {
    log.error('a file of dist cannot be read', { error: error.message });
    return unavailable('the data of this build cannot be read right now');
  }
  if (error instanceof StoreError) {
    log.error('the store does not respond', { error: error.message });
    return unavailable('accounts cannot be read or changed right now');
  }
  log.error('request failed', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return unavailable('the request failed in the gateway; the failure was logged');
}
