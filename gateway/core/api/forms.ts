import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { MAX_ACCEPT_LENGTH } from '../http/check-request.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Form, Route, RowForm } from './routes/route.ts';

const JSON_NAME = 'application/json';
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
export function notAcceptable(route: Route, accept: string | undefined): HttpProblem {
  const types = Object.keys(schemasOf(route));
  return new HttpProblem(
    'not-acceptable',
    `nothing that Accept names is served here (${JSON.stringify((accept ?? '').slice(0, 100))}), expected ${types.join(', ')} or */*`,
    { types },
  );
}

/** What the form of a route's responses depends on. */
type Forms = Pick<Route, 'needsKey' | 'isStream' | 'isFile' | 'rowForms' | 'isAddress' | 'form'> & {
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

/** Returns the schemas that the document describes at an address: those of other forms at theirs, so that a generated client has one type for each address. */
export function describedSchemasOf(forms: Forms): Record<string, string> {
  return hasSuffixes(forms) ? { [JSON_NAME]: forms.result, ...forms.alternatives } : schemasOf(forms);
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
