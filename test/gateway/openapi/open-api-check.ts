import { Ajv2020 } from 'ajv/dist/2020.js';
import * as assert from 'uvu/assert';
import type { GameBuild } from '../../../gateway/data/game-build.ts';
import { describeGame } from '../../../gateway/openapi/game-openapi.ts';
import { describeApi } from '../../../gateway/openapi/openapi.ts';
import { isObject } from '../../../scripts/format/dist-format.ts';
import { ROUTES } from '../../support/routes.ts';

/** A response, as a test gets it. */
export interface TestResponse {
  status: number;
  headers: Headers;
  text: string;
}

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
}

type Header = { $ref: string } | { required: boolean };

interface Operation {
  parameters: Parameter[];
  responses: Record<
    string,
    { headers?: Record<string, Header>; content?: Record<string, { schema: { $ref: string } }> }
  >;
}

/** What the addresses of rows in other forms end with. */
const TABLE_SUFFIXES: Readonly<Record<string, string>> = {
  'text/csv': '.csv',
  'application/x-ndjson': '.ndjson',
};
const PROBLEM = '#/components/schemas/Problem';
const document = JSON.parse(JSON.stringify(describeApi(ROUTES, '0.0.0'))) as {
  paths: Record<string, { get: Operation }>;
  components: { headers: Record<string, { required: boolean }> };
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
ajv.addFormat('uri-reference', /^\S+$/);
ajv.addSchema({ $id: 'api', components: document.components });

/**
 * Checks a response against the OpenAPI document: its status, headers, content type and body. If the status is 200, checks also that the
 * document describes every parameter of the request.
 *
 * Parts of files are checked by their own tests.
 *
 * For what the document does not describe, the expected responses are: an empty 204 for a preflight; 405 for any method except GET and
 * HEAD; 404 for an unknown address, or 401 if it is below /api and the request has no valid key.
 *
 * @param target path and query, as sent
 */
export function checkAgainstOpenApi(method: string, target: URL, response: TestResponse): void {
  const { status, text } = response;
  const request = `${method} ${target.pathname}`;
  if (method === 'OPTIONS') {
    assert.equal([status, text], [204, ''], request);
    return;
  }
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead) assert.is(status, 405, request);
  const template = Object.keys(document.paths).find((candidate) =>
    toPattern(candidate).test(target.pathname),
  );
  const operation = template === undefined ? undefined : document.paths[template]?.get;
  if (template !== undefined && operation)
    checkDescribed(request, { target, template }, operation, response, method === 'HEAD');
  else {
    const expected = isRead ? [404, ...(/^\/api(\/|$)/i.test(target.pathname) ? [401] : [])] : [405];
    assert.ok(expected.includes(status), `${request}: ${status}, which the document does not describe`);
    checkProblem(request, response, method === 'HEAD');
  }
}

function componentOf(ref: string): { required: boolean } | undefined {
  return document.components.headers[ref.split('/').at(-1) as string];
}

function checkDescribed(
  request: string,
  { target: { searchParams }, template }: { target: URL; template: string },
  { parameters, responses }: Operation,
  response: TestResponse,
  isHead: boolean,
): void {
  const { status, headers, text } = response;
  const described = responses[status];
  assert.ok(described, `${request}: ${status}, which the document does not describe`);
  for (const [name, header] of Object.entries(described.headers ?? {})) {
    const isRequired = '$ref' in header ? componentOf(header.$ref)?.required : header.required;
    assert.ok(!isRequired || headers.has(name), `${request}: no header ${name}`);
  }
  for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After']) {
    const isKnown = !headers.has(name) || name in (described.headers ?? {});
    assert.ok(isKnown, `${request}: ${status} with ${name}, which the document does not describe`);
  }
  if (status === 200) checkParameters(request, [...searchParams.keys()], parameters);
  if (!described.content) {
    assert.is(text, '', `${request}: ${status} with a body`);
    return;
  }
  const type = typeOf(headers);
  const own = TABLE_SUFFIXES[type];
  if (own !== undefined && !described.content[type]) {
    assert.ok(document.paths[template + own], `${request}: ${type}, which no address describes`);
    return;
  }
  const schema = described.content[type]?.schema;
  assert.ok(schema, `${request}: ${status} as ${type}`);
  if (status === 206 || ['text/csv', 'application/x-ndjson', 'application/typescript'].includes(type)) return;
  if (schema.$ref === PROBLEM) checkProblem(request, response, isHead);
  else if (!isHead) checkBody(request, text, schema.$ref);
}

/** Checks the names of parameters. Where there are filters, a parameter may be any of them. */
function checkParameters(request: string, sent: readonly string[], parameters: readonly Parameter[]): void {
  const queried = parameters.filter((parameter) => parameter.in === 'query');
  const allowsAny = queried.some(({ name }) => name === 'filter');
  for (const name of sent) {
    const isKnown = allowsAny || queried.some((parameter) => parameter.name === name);
    assert.ok(isKnown, `${request}: accepted ${name}, which the document does not describe`);
  }
  for (const { name, required } of queried) {
    assert.ok(
      !required || sent.includes(name),
      `${request}: accepted without ${name}, which the document requires`,
    );
  }
}

function checkProblem(request: string, { status, headers, text }: TestResponse, isHead: boolean): void {
  assert.is(headers.get('content-type'), 'application/problem+json', request);
  if (isHead) {
    assert.is(text, '', request);
    return;
  }
  checkBody(request, text, PROBLEM);
  assert.is((JSON.parse(text) as { status: number }).status, status, request);
}

function typeOf(headers: Headers): string {
  return headers.get('content-type')?.split(';')[0] ?? '';
}

function checkBody(request: string, text: string, ref: string): void {
  const validate = ajv.getSchema(`api${ref}`);
  assert.ok(validate?.(JSON.parse(text)), `${request}: ${ajv.errorsText(validate?.errors)}`);
}

interface GameDocument {
  paths: Record<string, { get: Operation }>;
  /** Returns the errors of a body by the reference of its schema; undefined without any. */
  findErrors(ref: string, body: unknown): string | undefined;
}

const gameDocuments = new WeakMap<GameBuild, Promise<GameDocument>>();

/** The document of a game, with schemas that allow no attributes except those that they describe. */
function documentOf(game: GameBuild): Promise<GameDocument> {
  const known = gameDocuments.get(game) ?? makeDocument(game);
  gameDocuments.set(game, known);
  return known;
}

async function makeDocument(game: GameBuild): Promise<GameDocument> {
  const text = JSON.stringify(await describeGame(game, ROUTES, '0.0.0'));
  const { paths, components } = JSON.parse(text, closeObject) as Pick<GameDocument, 'paths'> & {
    components: object;
  };
  const validator = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    ownProperties: true,
  });
  validator.addSchema({ $id: 'game', components });
  return {
    paths,
    findErrors(ref, body) {
      const validate = validator.getSchema(`game${ref}`);
      return validate?.(body) ? undefined : validator.errorsText(validate?.errors);
    },
  };
}

function closeObject(_: string, value: unknown): unknown {
  const isOpen =
    isObject(value) &&
    value.type === 'object' &&
    isObject(value.properties) &&
    !('patternProperties' in value);
  return isOpen ? { additionalProperties: false, ...value } : value;
}

/**
 * Checks a 200 against the OpenAPI document of its game: the parameters of the request, and the body with the types of its attributes. With
 * `fields`, the document does not describe it.
 *
 * @param target path and query, as sent
 * @param game the build that the response is from
 */
export async function checkAgainstGame(
  target: URL,
  { headers, text }: TestResponse,
  game: GameBuild,
): Promise<void> {
  const names = [...target.searchParams.keys()];
  // The document has the roster's own addresses only once.
  const pathname = target.pathname.replace(/\/characters\/(facets|attributes)$/, '/$1');
  const { paths, findErrors } = await documentOf(game);
  const template = Object.keys(paths).find((path) => toPattern(path).test(pathname));
  const operation = template === undefined ? undefined : paths[template]?.get;
  assert.ok(operation, `${target.pathname}: the document of ${game.slug} does not describe it`);
  if (names.includes('fields')) return;
  const described = new Set(operation.parameters.map(({ name }) => name));
  const isList = described.has('limit');
  for (const name of names) {
    const isKnown = described.has(name) || (isList && (name === 'filter' || LABELLED.test(name)));
    assert.ok(
      isKnown || game.roster.count === 0,
      `${target.href}: the document of ${game.slug} lacks ${name}`,
    );
  }
  const ref = operation.responses[200]?.content?.[typeOf(headers)]?.schema.$ref ?? '';
  const errors = findErrors(ref, JSON.parse(text));
  assert.not.ok(errors, `${target.href}, by the document of ${game.slug}: ${errors}`);
}

/** A filter on one element of a list: labels are free, so they are not described. */
const LABELLED = /^[^[\]]+\[[a-z][a-z0-9]{0,15}\]\./;

/** Checks an event of a webhook against the OpenAPI document. */
export function checkEvent(text: string): void {
  checkBody('an event', text, '#/components/schemas/GameEvent');
}

function toPattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}
