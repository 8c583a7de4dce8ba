import { PROBLEMS, type ProblemCode } from '../http/problem.ts';
import { EVENT_WEBHOOK } from './event-schemas.ts';
import type { QueryParameter, Route } from './routes/route.ts';
import { type JsonSchema, SCHEMAS } from './schemas.ts';

/** The errors of every operation; `WITH_KEY` only where a key is required. */
const EVERYWHERE: ProblemCode[] = [
  'invalid-parameter',
  'method-not-allowed',
  'uri-too-long',
  'headers-too-large',
];
const WITH_KEY: ProblemCode[] = [
  'missing-key',
  'invalid-key',
  'network-not-allowed',
  'too-many-attempts',
  'unread-responses',
  'unavailable',
];
/** The header fields of every response to a key whose tier has caps. */
const QUOTA = ['RateLimit-Policy', 'RateLimit'];

const PRO: ProblemCode[] = ['pro-only'];

/** Makes the OpenAPI 3.1 document of the routes. */
export function describeApi(routes: readonly Route[], version: string): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Game Data Read API',
      version,
      description:
        'Structured reference data of mobile games: rosters of characters and named datasets, as JSON. Pro keys also get what each build of a game changed. Every operation under /api/ is a ' +
        'GET (HEAD and OPTIONS work too) and needs an API key in the header X-API-Key. ' +
        'Free keys see a build 24 hours after its release, Pro keys from its release on. A build that a key cannot see yet does not exist for it. A free key on an ' +
        'operation for Pro gets 403 `pro-only` before anything else is checked: the response is the same for games that exist and that ' +
        'do not exist. Parameters that an address does not have are errors.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths: {
      ...Object.fromEntries(
        routes.map((route) => [route.path.replace(/:(\w+)/g, '{$1}'), { get: describeRoute(route) }]),
      ),
      '/keys/revoke': { post: REVOKE_KEY },
    },
    webhooks: { event: EVENT_WEBHOOK },
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers: HEADERS,
      schemas: SCHEMAS,
    },
  };
}

function describeRoute(route: Route): JsonSchema {
  const isCounted = route.needsKey && !route.isFree;
  const codes = new Set<ProblemCode>([
    ...EVERYWHERE,
    ...(route.needsKey ? WITH_KEY : []),
    ...(route.isPro ? PRO : []),
    ...(isCounted ? (['quota-exceeded'] as const) : []),
    ...route.problems,
  ]);
  const type = route.isStream ? 'text/event-stream' : 'application/json';
  const bodies = Object.entries({ [type]: route.result, ...route.alternatives });
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: route.description,
    ...(!route.needsKey && { security: [] }),
    parameters: [
      ...pathParameters(route.path),
      ...route.parameters.map(describeParameter),
      ...(route.isStream ? [LAST_EVENT_ID] : []),
    ],
    responses: {
      200: {
        description: route.summary,
        headers: headersOf(route),
        content: Object.fromEntries(
          bodies.map(([type, name]) => [type, { schema: { $ref: `#/components/schemas/${name}` } }]),
        ),
      },
      ...(route.isFile && { 206: PART }),
      ...(!route.isStream && {
        304: {
          description: 'Not modified: the bytes that If-None-Match names are current.',
          headers: refer(route.needsKey ? QUOTA : []),
        },
      }),
      ...describeProblems(codes, route.needsKey),
    },
  };
}

function describeProblems(codes: ReadonlySet<ProblemCode>, needsKey: boolean): JsonSchema {
  const statuses = [...new Set([...codes].map((code) => PROBLEMS[code].status))].sort();
  return Object.fromEntries(statuses.map((status) => [status, describeProblem(status, codes, needsKey)]));
}

/** The one operation outside the routes that programs use; `people/` has it. */
const REVOKE_KEY = {
  operationId: 'revokeKey',
  summary: 'Revoke a key',
  description:
    'Revokes the key in the body at once, wherever it was found; needs nothing else. The response is the same whether the key worked, had ended or never existed.',
  security: [],
  requestBody: {
    required: true,
    content: Object.fromEntries(
      ['application/json', 'application/x-www-form-urlencoded'].map((type) => [
        type,
        { schema: { $ref: '#/components/schemas/RevokeKey' } },
      ]),
    ),
  },
  responses: {
    204: { description: 'The key does not work, or no longer.' },
    ...describeProblems(
      new Set([
        ...EVERYWHERE,
        'body-too-large',
        'unsupported-media-type',
        'too-many-attempts',
        'unavailable',
      ]),
      false,
    ),
  },
};

function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: PATH_PARAMETERS[name],
  }));
}

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The `id` of the last event that was received.',
};

const PATH_PARAMETERS: Record<string, string> = {
  game: "A game's slug.",
  id: 'The id of a character, or of a record.',
  dataset: "A dataset's key.",
  build: "A build's name, or `latest`.",
  file: "A file's name, as the signed address has it.",
};

function describeParameter({
  name,
  description,
  required = false,
  schema,
  ...rest
}: QueryParameter): JsonSchema {
  return { name, in: 'query', description, required, schema, ...rest };
}

function headersOf({ path, result, needsKey, isFile, isStream }: Route): JsonSchema {
  const names = ['Cache-Control', 'Link', ...(path.includes(':game') ? ['Game-Build'] : [])];
  const kept = [
    ...(['Status', 'RandomCharacters'].includes(result) || isStream ? [] : ['ETag', 'Vary']),
    ...(isFile ? FILE_HEADERS : []),
  ];
  const hasPages = ['Roster', 'Dataset', 'Facets', 'History'].includes(result);
  return {
    ...(result === 'SnapshotOrLink' ? makeOptional(kept) : refer(kept)),
    ...refer([...names, ...(path.includes(':id') ? ['Content-Location'] : []), ...(needsKey ? QUOTA : [])]),
    ...(hasPages && { Link: referTo('PageLink') }),
  };
}

function refer(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, referTo(name)]));
}

function referTo(name: string): JsonSchema {
  return { $ref: `#/components/headers/${name}` };
}

/** Header fields of a response that does not always have them. */
function makeOptional(names: readonly string[]): JsonSchema {
  const described = (name: string) => HEADERS[name as keyof typeof HEADERS];
  return Object.fromEntries(names.map((name) => [name, { ...described(name), required: false }]));
}

function describeProblem(status: number, codes: ReadonlySet<ProblemCode>, needsKey: boolean): JsonSchema {
  const names = [...codes].filter((code) => PROBLEMS[code].status === status);
  return {
    description: names.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: refer([
      ...([429, 503].includes(status) ? ['Retry-After'] : []),
      ...(needsKey && [400, 403, 404, 429, 503].includes(status) ? QUOTA : []),
    ]),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

const FILE_HEADERS = ['Accept-Ranges', 'Content-Disposition', 'Repr-Digest'];

const header = (description: string, required = true) => ({
  description,
  required,
  schema: { type: 'string' },
});
const HEADERS = {
  ETag: header('Strong: at one address, the same tag means the same bytes.'),
  'Cache-Control': header(
    'A client may cache the response for itself, and must revalidate it before each use.',
  ),
  Vary: header('The request header fields that the response depends on.'),
  Link: header('The terms of use.'),
  PageLink: header('The terms of use; the first, previous, next and last page where they exist.'),
  'Game-Build': header('The build that the response belongs to.'),
  'Retry-After': header('The seconds to wait before the next try.'),
  'RateLimit-Policy': header(
    'The caps of the account, on every response to a key that has any: `"minute";q=10;w=60` means 10 requests in any 60 seconds, `"day"` is the ' +
      'UTC day. Every request counts, except those for /api/me and those whose response is 304, 401, 429 or 5xx.',
    false,
  ),
  RateLimit: header(
    'For each cap, how many requests are left (`r`) and in how many seconds that number next grows (`t`).',
    false,
  ),
  'Content-Location': header(
    'Only when the record was renumbered and the address has an earlier id: its address with the current id.',
    false,
  ),
  'Accept-Ranges': header('`bytes`: `Range` requests are possible.'),
  'Content-Disposition': header('The name to save the file under.'),
  'Content-Range': header('The position of these bytes, and the size of the whole file.'),
  'Repr-Digest': header('The SHA-256 of the whole file as sent, coding included (RFC 9530).'),
};

const PART = {
  description: 'The part that `Range` names, of the file in the coding of the response.',
  headers: Object.fromEntries(
    ['ETag', 'Vary', 'Cache-Control', 'Link', 'Game-Build', ...FILE_HEADERS, 'Content-Range'].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  ),
  content: { 'application/json': { schema: { type: 'string', format: 'binary' } } },
};
