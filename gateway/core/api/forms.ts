import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { MAX_ACCEPT_LENGTH } from '../http/media-type.ts';
import { HttpProblem } from '../http/problem.ts';
import { COLUMNS } from './routes/list-parameters.ts';
import type { Form, Route } from './routes/route.ts';

/** The media types of rows that are not JSON. They go into the head unchecked. */
export const TABLE_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
} as const;
/** Their names in Accept and in the OpenAPI document. */
const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
const TABLE_SCHEMAS = { [CSV]: 'Csv', [NDJSON]: 'Ndjson' } as const;

const JSON_NAME = 'application/json';
/** A client that wants a page is shown JSON. */
const HTML = 'text/html';
/** What clients that want JSON send most. */
const ANY = '*/*';
const MAX_KNOWN = 200;

const known = new WeakMap<Route, LRUCache<string, Form>>();

/**
 * Chooses the form of a response (RFC 9110, 12.5.1). It costs nothing for clients that want JSON.
 *
 * @param accept the Accept header
 */
export function chooseForm(route: Route, accept: string | undefined): Form {
  if (route.form !== undefined) return route.form;
  if (accept === undefined || accept === ANY || accept === JSON_NAME) return 'json';
  if (!isNegotiated(route) || accept.length > MAX_ACCEPT_LENGTH) return 'json';
  let forms = known.get(route);
  if (forms === undefined) {
    forms = new LRUCache({ max: MAX_KNOWN });
    known.set(route, forms);
  }
  let form = forms.get(accept);
  if (form === undefined) {
    form = negotiate(route, accept);
    forms.set(accept, form);
  }
  return form;
}

/** Returns the addresses of a route: those whose suffix chooses CSV or NDJSON come first, so that no parameter matches the suffix. */
export function withSuffixes(route: Route): Route[] {
  if (!hasSuffixes(route)) return [route];
  const forms = ['csv', 'ndjson'] as const;
  return [...forms.map((form) => withSuffix(route, form)), route];
}

/** Returns the 406 for a client that accepts nothing that the address has. */
export function notAcceptable(route: Route, accept: string | undefined): HttpProblem {
  const types = Object.keys(schemasOf(route));
  return new HttpProblem(
    'not-acceptable',
    `nothing that Accept names is served here (${JSON.stringify((accept ?? '').slice(0, 100))}), expected ${types.join(', ')} or */*`,
    { types },
  );
}

function withSuffix(route: Route, form: 'csv' | 'ndjson'): Route {
  const [name, result] = form === 'csv' ? (['CSV', 'Csv'] as const) : (['NDJSON', 'Ndjson'] as const);
  const isList = route.parameters.some(({ name }) => name === 'filter');
  return {
    ...route,
    form,
    path: `${route.path}.${form}`,
    operationId: `${route.operationId}As${result}`,
    summary: `${route.summary}, as ${name}`,
    description: DESCRIPTIONS[form],
    parameters: isList && form === 'csv' ? [...route.parameters, COLUMNS] : route.parameters,
    result,
  };
}

const DESCRIPTIONS = {
  csv:
    'The same rows as CSV (RFC 4180, UTF-8, with a line of names), whatever Accept says: a column per attribute that is reached through objects, by its dotted key, in the order of ' +
    'the attribute dictionary; all that no record of the page has are there too. Elements of a list are separated by `|`, with a `\\` before a `|` or `\\` in an element; lists of objects are ' +
    "JSON. A text that a spreadsheet would run as a formula begins with `'`. What the JSON has beside the rows is in `X-Total-Count` and `Link`.",
  ndjson:
    'The same rows as NDJSON, whatever Accept says: one JSON object per line, as in the JSON. What the JSON has beside the rows is in `X-Total-Count` and `Link`.',
};

/** What the form of a route's responses depends on. */
type Forms = Pick<Route, 'needsKey' | 'isStream' | 'isFile' | 'hasRows' | 'isAddress' | 'form'> & {
  result: string;
  alternatives?: Readonly<Record<string, string>>;
};

/** Returns whether Accept chooses the form. Files and streams have one of their own, and descriptions of the service are for every client. */
export function isNegotiated({ needsKey, isStream, isFile, form }: Forms): boolean {
  return needsKey && !isStream && !isFile && form === undefined;
}

/** Returns the schemas of a route's responses by media type. */
export function schemasOf({ result, alternatives, isStream, hasRows, form }: Forms): Record<string, string> {
  if (isStream) return { 'text/event-stream': result };
  if (form !== undefined) return { [form === 'csv' ? CSV : NDJSON]: result };
  return { [JSON_NAME]: result, ...alternatives, ...(hasRows && TABLE_SCHEMAS) };
}

/** Returns whether the rows of a route have addresses of their own as CSV and NDJSON. */
export function hasSuffixes({ hasRows, isAddress, form }: Forms): boolean {
  return hasRows === true && isAddress !== true && form === undefined;
}

/** Returns the schemas that the document describes at an address: those of CSV and NDJSON at theirs, so that a generated client has one type for each address. */
export function describedSchemasOf(forms: Forms): Record<string, string> {
  return hasSuffixes(forms) ? { [JSON_NAME]: forms.result, ...forms.alternatives } : schemasOf(forms);
}

function negotiate(route: Route, accept: string): Form {
  // negotiator finds no type for `text/csv; charset=utf-8`, as ours have no parameters.
  const plain = accept.replace(/;\s*(?!q=)[^;,]+/gi, '');
  const negotiator = new Negotiator({ headers: { accept: plain } });
  switch (negotiator.mediaType(Object.keys(schemasOf(route)))) {
    case undefined:
      return negotiator.mediaType([HTML]) === HTML ? 'json' : 'none';
    case CSV:
      return 'csv';
    case NDJSON:
      return 'ndjson';
    // The route itself distinguishes its alternatives.
    default:
      return 'json';
  }
}
