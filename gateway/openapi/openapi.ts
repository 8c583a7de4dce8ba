import type { JsonSchema } from '../../scripts/types/types.ts';
import { hasSuffixes, isNegotiated, schemasOf } from '../api/api.ts';
import type { Route } from '../api/route.ts';
import { PROBLEMS, type ProblemCode, statusesOf } from '../http/problem.ts';
import { binary, ref, SCHEMAS, text } from './schemas.ts';

/** The description of a route: of one in the table, or of one made for the document of a game. */
export interface Operation extends Omit<Route, 'handle'> {
  /** The tag of the operation; by default, the path decides it. */
  tag?: string;
  /** Whether its responses belong to one game although no part of the path is the game. */
  isOfGame?: true;
}

/** The errors of every operation, and of every operation that needs a key. */
// biome-ignore format: a list is a line
const EVERYWHERE: ProblemCode[] = ['invalid-parameter', 'method-not-allowed', 'too-large'];
// biome-ignore format: a list is a line
const WITH_KEY: ProblemCode[] = ['missing-key', 'invalid-key', 'origin-not-allowed', 'quota-exceeded', 'unavailable'];
/** The header fields of every response to a key whose tier has limits. */
const QUOTA = ['RateLimit-Policy', 'RateLimit'];
const FILE_HEADERS = ['Accept-Ranges', 'Content-Disposition', 'Repr-Digest'];
const PART = 'The part that `Range` names, of the file in the coding of the response.';
/** The description of an address whose rows have other forms too. */
const OTHER_FORMS =
  'With `Accept: text/csv` or `application/x-ndjson` the response is that of the address which ends in `.csv` or `.ndjson`.';
const PATH_PARAMETERS: Record<string, string> = {
  game: "A game's slug.",
  id: 'The id of a character, or of a record.',
  dataset: "A dataset's key.",
  build: "A build's name, or `latest`.",
  file: "A file's name, as the signed link has it.",
  token: 'The token of the read-only address, `gdt_` and 32 characters.',
  rows: 'The rows and their form, such as `characters.csv`.',
};

/** What operations are listed under. */
// biome-ignore format: a tag is a line
const TAGS = [
  { name: 'Games', description: 'The games, and their builds.' },
  { name: 'Characters', description: 'The roster of a game, and the full records of its characters.' },
  { name: 'Datasets', description: 'What a game has besides characters: lists of records, and single objects.' },
  { name: 'Pro', description: 'What each build changed, and whole builds. Needs a Pro key.' },
  { name: 'Account', description: 'The account of the key.' },
  { name: 'Service', description: 'Descriptions of the API, and the state of the gateway. Needs no key.' },
] as const;

function tagOf({ path, isPro, isSigned, needsKey }: Operation): (typeof TAGS)[number]['name'] {
  if (isPro || isSigned) return 'Pro';
  if (!needsKey) return 'Service';
  if (path.startsWith('/api/:game/:dataset')) return 'Datasets';
  if (path.startsWith('/api/:game/')) return 'Characters';
  return path === '/api/me' ? 'Account' : 'Games';
}

function describeOperation(operation: Operation): JsonSchema {
  const { operationId, summary, path, isFile, needsKey, isAddress, isPro } = operation;
  const quota = needsKey || isAddress ? QUOTA : [];
  const codes = [
    ...(needsKey ? WITH_KEY : []),
    ...(isPro ? (['pro-only'] as const) : []),
    ...(isAddress ? (['quota-exceeded'] as const) : []),
    ...(isNegotiated(operation) ? (['not-acceptable'] as const) : []),
    ...operation.problems,
  ];
  // Other forms are described at their own addresses, so that a generated client has one type per address.
  const hasForms = hasSuffixes(operation);
  const schemas = schemasOf(hasForms ? { ...operation, hasRows: undefined } : operation);
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: text,
    description: PATH_PARAMETERS[name],
  }));
  const inQuery = operation.parameters.map(({ name, description, required = false, ...rest }) => ({
    name,
    in: 'query',
    description,
    required,
    ...rest,
  }));
  const headers = headersOf(operation, quota);
  const part = { headers: refer([...headers, 'Content-Range']), content: contentOf(schemas, binary) };
  const unchanged = 'Not modified: the bytes that If-None-Match names are current.';
  return {
    operationId,
    summary,
    ...(hasForms && { description: OTHER_FORMS }),
    tags: [operation.tag ?? tagOf(operation)],
    ...(!needsKey && { security: [] }),
    parameters: [...inPath, ...inQuery],
    responses: {
      200: { description: summary, headers: refer(headers), content: contentOf(schemas) },
      ...(isFile && { 206: { description: PART, ...part } }),
      304: { description: unchanged, headers: refer(quota) },
      ...describeProblems(codes, quota),
    },
  };
}

/** @param schemas names of schemas, by media type @param every the schema of all */
function contentOf(schemas: Readonly<Record<string, string>>, every?: JsonSchema): JsonSchema {
  const entries = Object.entries(schemas);
  return Object.fromEntries(entries.map(([type, name]) => [type, { schema: every ?? ref(name) }]));
}

/** Describes the error responses, in addition to those of every operation. */
function describeProblems(own: readonly ProblemCode[], quota: readonly string[] = []): JsonSchema {
  const codes = [...new Set([...EVERYWHERE, ...own])];
  const statuses = [...new Set(codes.flatMap(statusesOf))].sort();
  const described = statuses.map((status) => {
    const ofStatus = codes.filter((code) => statusesOf(code).includes(status));
    const description = ofStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' ');
    const headers = refer([
      ...([429, 503].includes(status) ? ['Retry-After'] : []),
      ...([400, 403, 404, 429, 503].includes(status) ? quota : []),
    ]);
    return [status, { description, headers, content: contentOf({ 'application/problem+json': 'Problem' }) }];
  });
  return Object.fromEntries(described);
}

function headersOf(operation: Operation, quota: string[]): string[] {
  const { path, isFile, isUncached, hasRows, isOfGame, parameters } = operation;
  return [
    ...['Cache-Control', 'Link', 'Vary', ...(isUncached ? [] : ['ETag'])],
    ...(isFile ? FILE_HEADERS : []),
    ...(isOfGame || path.includes(':game') ? ['Game-Build'] : []),
    ...(path.includes(':id') ? ['Content-Location'] : []),
    ...quota,
    ...(parameters.some(({ name }) => name === 'lang') ? ['Content-Language'] : []),
    ...(hasRows ? ['X-Total-Count'] : []),
  ];
}

function refer(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The header fields of responses. */
// biome-ignore format: a header field is a line
const HEADERS: Readonly<Record<string, string>> = {
  ETag: 'Strong: at one address, the same tag means the same bytes.',
  'Cache-Control': 'A client may cache the response for itself, and must revalidate it before each use.',
  Vary: 'The request header fields that the response depends on.',
  Link: 'The terms of use; the first, previous, next and last page where they exist.',
  'X-Total-Count': 'How many rows match, on all pages; only of CSV and NDJSON.',
  'Game-Build': 'The build that the response belongs to.',
  'Retry-After': 'The seconds to wait before the next try.',
  'RateLimit-Policy': 'The limits of the account, on every response to a key that has any: `"minute";q=10;w=60` means 10 requests in any 60 seconds, `"day"` is the UTC day. Every request counts, except those for /api/me and those whose response is 304, 401, 429 or 5xx.',
  RateLimit: 'For each limit, how many requests are left (`r`) and in how many seconds that number next grows (`t`).',
  'Content-Location': 'Only when the record was renumbered and the address has an earlier id: its address with the current id.',
  'Content-Language': 'The language of `lang`, as a language tag; only with that parameter.',
  'Accept-Ranges': '`bytes`: `Range` requests are possible.',
  'Content-Disposition': 'The name to save the file under.',
  'Content-Range': 'The position of these bytes, and the size of the whole file.',
  'Repr-Digest': 'The SHA-256 of the whole file as sent, coding included (RFC 9530).',
};

/** Makes a document of operations, with the schemas that they refer to. @param others other paths */
export function makeDocument(
  info: JsonSchema,
  operations: readonly Operation[],
  schemas: JsonSchema,
  others: JsonSchema = {},
): JsonSchema {
  const own = operations.flatMap(({ result, schema }) => (schema ? [[result, schema]] : []));
  const paths = operations.map((each) => {
    return [each.path.replace(/:(\w+)/g, '{$1}'), { get: describeOperation(each) }];
  });
  return {
    openapi: '3.1.0',
    info: {
      ...info,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this gateway' },
    },
    tags: TAGS,
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths: { ...Object.fromEntries(paths), ...others },
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: text }]),
      ),
      schemas: { ...Object.fromEntries(own), ...schemas },
    },
  };
}

/** Makes the OpenAPI 3.1 document of the routes. */
export function describeApi(routes: readonly Route[], version: string): JsonSchema {
  const info = {
    title: 'Game Data Read API',
    version,
    description:
      'Structured reference data of mobile games: rosters of characters and named datasets, as JSON. Pro keys also get what each build of a game changed. Every operation under /api/ is a ' +
      'GET (HEAD and OPTIONS work too) and needs an API key in the header X-API-Key. ' +
      'Free keys see a build 24 hours after its release, Pro keys from its release on. A build that a key cannot see yet does not exist for it. A free key on an ' +
      'operation for Pro gets 403 `pro-only` before anything else is checked: the response is the same for games that exist and that ' +
      'do not exist. Parameters that an address does not have are errors.',
  };
  return makeDocument(info, routes, SCHEMAS, { '/keys/revoke': { post: REVOKE_KEY } });
}

/** The only operation outside the routes that programs use; it is in `people/`. */
const REVOKE_KEY = {
  operationId: 'revokeKey',
  summary: 'Revoke a key',
  description:
    'Revokes the key in the body at once, wherever it was found; needs nothing else. The response is the same whether the key worked, had ended or never existed.',
  tags: ['Service'],
  security: [],
  requestBody: {
    required: true,
    content: contentOf({ 'application/json': 'RevokeKey', 'application/x-www-form-urlencoded': 'RevokeKey' }),
  },
  responses: {
    204: { description: 'The key does not work, or no longer.' },
    ...describeProblems(['not-acceptable', 'quota-exceeded', 'unavailable']),
  },
};
