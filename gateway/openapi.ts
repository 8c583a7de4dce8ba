import { PROBLEMS, type ProblemCode } from './http/problem.ts';
import type { QueryParameter, Route } from './routes/route.ts';
import { type JsonSchema, SCHEMAS } from './schemas.ts';

/** What any request may be answered with; those about keys only where one is asked for. */
const EVERYWHERE: ProblemCode[] = [
  'invalid-parameter',
  'method-not-allowed',
  'uri-too-long',
  'headers-too-large',
];
const WITH_KEY: ProblemCode[] = ['missing-key', 'invalid-key', 'unavailable'];

/** Makes the OpenAPI 3.1 document of the routes. */
export function describeApi(routes: readonly Route[], version: string): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Game Data Read API',
      version,
      description:
        'Structured reference data of mobile games: rosters of characters and named datasets, as JSON. Every operation under /api/ is a ' +
        'GET (HEAD and OPTIONS besides) and needs an API key in the header X-API-Key. Parameters that an address does not have are errors.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(
      routes.map((route) => [route.path.replace(/:(\w+)/g, '{$1}'), { get: describeRoute(route) }]),
    ),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers: HEADERS,
      schemas: SCHEMAS,
    },
  };
}

function describeRoute(route: Route): JsonSchema {
  const codes = new Set([...EVERYWHERE, ...(route.needsKey ? WITH_KEY : []), ...route.problems]);
  const statuses = [...new Set([...codes].map((code) => PROBLEMS[code].status))].sort();
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: route.description,
    ...(!route.needsKey && { security: [] }),
    parameters: [...pathParameters(route.path), ...route.parameters.map(describeParameter)],
    responses: {
      200: {
        description: route.summary,
        headers: headersOf(route),
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${route.answer}` } } },
      },
      304: { description: 'Not modified: the bytes that If-None-Match names are current.' },
      ...Object.fromEntries(statuses.map((status) => [status, describeProblem(status, codes)])),
    },
  };
}

function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: PATH_PARAMETERS[name],
  }));
}

const PATH_PARAMETERS: Record<string, string> = {
  game: "A game's slug.",
  id: "A character's id.",
  dataset: "A dataset's key.",
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

function headersOf({ path, answer }: Route): JsonSchema {
  const kept = answer === 'Status' ? [] : ['ETag', 'Vary'];
  const names = [...kept, 'Cache-Control', 'Link', ...(path.includes(':game') ? ['Game-Build'] : [])];
  const link = ['Roster', 'Dataset', 'Facets'].includes(answer) ? 'PageLink' : 'Link';
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name === 'Link' ? link : name}` }]),
  );
}

function describeProblem(status: number, codes: ReadonlySet<ProblemCode>): JsonSchema {
  const names = [...codes].filter((code) => PROBLEMS[code].status === status);
  return {
    description: names.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

const header = (description: string) => ({ description, required: true, schema: { type: 'string' } });
const HEADERS = {
  ETag: header('Strong: the same tag means the same bytes.'),
  'Cache-Control': header('A cache may keep an answer for its own client, and asks before it uses it again.'),
  Vary: header('What else an answer depends on.'),
  Link: header('The terms of use.'),
  PageLink: header('The terms of use; the first, previous, next and last page where they exist.'),
  'Game-Build': header('The build that the answer is of.'),
};
