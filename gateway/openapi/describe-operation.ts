import { type Forms, hasSuffixes, isNegotiated, JSON_NAME, schemasOf } from '../api/handle-route.ts';
import type { JsonSchema, QueryParameter, Route } from '../api/route.ts';
import { PROBLEMS, type ProblemCode } from '../http/problem.ts';
import { HEADERS } from './header-descriptions.ts';

/** What the document says of a route: of one in the table, or of one that is made for the document of a game. */
export interface Operation extends Omit<Route, 'handle' | 'result' | 'alternatives' | 'parameters'> {
  parameters: readonly QueryParameter[];
  /** The name of the 200's schema in the document. */
  result: string;
  alternatives?: Readonly<Record<string, string>>;
  /** What it is listed under; without it, what the path says. */
  tag?: string;
  /** An example of the 200. */
  example?: unknown;
  /** Whether its responses belong to one game, when no part of the path is the game. */
  isOfGame?: true;
}

/** The errors of every operation. */
export const EVERYWHERE: ProblemCode[] = [
  'invalid-parameter',
  'method-not-allowed',
  'uri-too-long',
  'headers-too-large',
];
/** The errors of every operation that needs a key. */
const WITH_KEY: ProblemCode[] = [
  'missing-key',
  'invalid-key',
  'origin-not-allowed',
  'too-many-attempts',
  'unread-responses',
  'unavailable',
];
/** The header fields of every response to a key whose tier has caps. */
const QUOTA = ['RateLimit-Policy', 'RateLimit'];

const PRO: ProblemCode[] = ['pro-only'];

/** Describes an operation of the API. */
export function describeOperation(route: Operation): JsonSchema {
  const hasCaller = route.needsKey || route.isAddress === true;
  const isCounted = hasCaller && !route.isFree;
  const codes = new Set<ProblemCode>([
    ...EVERYWHERE,
    ...(route.needsKey ? WITH_KEY : []),
    ...(route.isPro ? PRO : []),
    ...(isCounted ? (['quota-exceeded'] as const) : []),
    ...(isNegotiated(route) ? (['not-acceptable'] as const) : []),
    ...route.problems,
  ]);
  const bodies = Object.entries(describedSchemasOf(route));
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: hasSuffixes(route) ? `${route.description} ${OTHER_FORMS}` : route.description,
    ...(route.deprecated && { deprecated: true }),
    tags: [route.tag ?? tagOf(route)],
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
          bodies.map(([type, name], index) => [
            type,
            {
              schema: { $ref: `#/components/schemas/${name}` },
              ...(index === 0 && route.example !== undefined && { example: route.example }),
            },
          ]),
        ),
      },
      ...(route.isFile && { 206: PART }),
      ...(!route.isStream && {
        304: {
          description: 'Not modified: the bytes that If-None-Match names are current.',
          headers: refer(hasCaller ? QUOTA : []),
        },
      }),
      ...describeProblems(codes, hasCaller),
    },
  };
}

/** What is said of an address whose rows have other forms too. */
const OTHER_FORMS =
  'With `Accept: text/csv` or `application/x-ndjson` the response is that of the address which ends in `.csv` or `.ndjson`.';

/** Describes the responses for errors. */
export function describeProblems(codes: ReadonlySet<ProblemCode>, needsKey: boolean): JsonSchema {
  const statuses = [...new Set([...codes].map((code) => PROBLEMS[code].status))].sort();
  return Object.fromEntries(statuses.map((status) => [status, describeProblem(status, codes, needsKey)]));
}

/** What operations are listed under. */
export const TAGS = [
  { name: 'Games', description: 'The games, and their builds.' },
  { name: 'Characters', description: 'The roster of a game, and the full records of its characters.' },
  {
    name: 'Datasets',
    description: 'What a game has besides characters: lists of records, and single objects.',
  },
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

/** What the parameters in paths are. */
export const PATH_PARAMETERS: Record<string, string> = {
  game: "A game's slug.",
  id: 'The id of a character, or of a record.',
  dataset: "A dataset's key.",
  build: "A build's name, or `latest`.",
  file: "A file's name, as the signed address has it.",
  token: 'The token of the read-only address, `gdt_` and 32 characters.',
  rows: 'The rows and their form, such as `characters.csv`.',
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

function headersOf({
  path,
  result,
  needsKey,
  isFile,
  isStream,
  isOfGame,
  hasRows,
  isAddress,
  deprecated,
  form,
  parameters,
}: Operation): JsonSchema {
  const names = ['Cache-Control', 'Link', ...(isOfGame || path.includes(':game') ? ['Game-Build'] : [])];
  const headers = [
    ...(['Status', 'RandomCharacters'].includes(result) || isStream ? [] : ['ETag', 'Vary']),
    ...(isFile ? FILE_HEADERS : []),
  ];
  const hasPages = parameters.some(({ name }) => name === 'limit');
  // A signed address and a table for spreadsheets are made for the request, and are no files.
  const isMade = result === 'SnapshotOrLink' || (isFile && parameters.some(({ name }) => name === 'csv'));
  return {
    ...(isMade ? makeOptional(headers) : refer(headers)),
    ...refer([
      ...names,
      ...(path.includes(':id') ? ['Content-Location'] : []),
      ...(needsKey || isAddress ? QUOTA : []),
    ]),
    ...refer(parameters.some(({ name }) => name === 'lang') ? ['Content-Language'] : []),
    ...(hasPages && { Link: referTo('PageLink') }),
    ...(deprecated && makeOptional(['Deprecation', 'Sunset'])),
    ...(hasRows && (form ? refer([TOTAL]) : makeOptional([TOTAL]))),
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

const TOTAL = 'X-Total-Count';

const FILE_HEADERS = ['Accept-Ranges', 'Content-Disposition', 'Repr-Digest'];

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

/** Returns the schemas that the document describes at an address: those of other forms at theirs, so that a generated client has one type for each address. */
export function describedSchemasOf(forms: Forms): Record<string, string> {
  return hasSuffixes(forms) ? { [JSON_NAME]: forms.result, ...forms.alternatives } : schemasOf(forms);
}
