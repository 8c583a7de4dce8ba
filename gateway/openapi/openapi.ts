import { hasSuffixes, isNegotiated, JSON_NAME, schemasOf } from '../api/api.ts';
import type { JsonSchema, QueryParameter, Route } from '../api/route.ts';
import { PROBLEMS, type ProblemCode, statusesOf } from '../http/problem.ts';
import { OPERATOR_NAMES, OPERATORS } from '../query/list-query.ts';
import { MAX_RECORDS, MAX_SEARCH_LENGTH, MAX_SEARCH_WORDS } from '../query/list-query.ts';
import { binary, list, ref, say, text, whole } from './change-schemas.ts';
import { SCHEMAS } from './schemas.ts';

/** The description of a route: of one in the table, or of one made for the document of a game. */
export interface Operation extends Omit<Route, 'handle' | 'parameters'> {
  parameters: readonly QueryParameter[];
  /** The tag of the operation; by default, the path decides it. */
  tag?: string;
  /** An example of the 200. */
  example?: unknown;
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
const TOTAL = 'X-Total-Count';
const FILE_HEADERS = ['Accept-Ranges', 'Content-Disposition', 'Repr-Digest'];
/** Added to the description of an address whose rows have other forms too. */
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
export const TAGS = [
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

/** Describes operations as the paths of a document. */
export function describePaths(operations: readonly Operation[]): JsonSchema {
  return Object.fromEntries(
    operations.map((operation) => [
      operation.path.replace(/:(\w+)/g, '{$1}'),
      { get: describeOperation(operation) },
    ]),
  );
}

function describeOperation(operation: Operation): JsonSchema {
  const { path, isFile, needsKey, example } = operation;
  const hasCaller = needsKey || operation.isAddress === true;
  const codes: ProblemCode[] = [
    ...EVERYWHERE,
    ...(needsKey ? WITH_KEY : []),
    ...(operation.isPro ? (['pro-only'] as const) : []),
    ...(hasCaller && !operation.isFree ? (['quota-exceeded'] as const) : []),
    ...(isNegotiated(operation) ? (['not-acceptable'] as const) : []),
    ...operation.problems,
  ];
  const bodies = Object.entries(describedSchemasOf(operation)).map(([type, name], index) => [
    type,
    { schema: ref(name), ...(index === 0 && example !== undefined && { example }) },
  ]);
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true, schema: text, description: PATH_PARAMETERS[name] },
  }));
  const inQuery = operation.parameters.map(({ name, description, required = false, ...rest }) => ({
    ...{ name, in: 'query', description, required, ...rest },
  }));
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    description: hasSuffixes(operation) ? `${operation.description} ${OTHER_FORMS}` : operation.description,
    tags: [operation.tag ?? tagOf(operation)],
    ...(!needsKey && { security: [] }),
    parameters: [...inPath, ...inQuery],
    responses: {
      200: {
        description: operation.summary,
        headers: headersOf(operation),
        content: Object.fromEntries(bodies),
      },
      ...(isFile && { 206: PART }),
      304: {
        description: 'Not modified: the bytes that If-None-Match names are current.',
        headers: refer(hasCaller ? QUOTA : []),
      },
      ...describeProblems(codes, hasCaller),
    },
  };
}

/**
 * The schemas that the document describes at an address. Other forms are described at their own addresses, so that a generated client has one type
 * per address.
 */
function describedSchemasOf(operation: Operation): Record<string, string> {
  return hasSuffixes(operation)
    ? { [JSON_NAME]: operation.result, ...operation.alternatives }
    : schemasOf(operation);
}

/** Describes the error responses, in addition to those of every operation. */
function describeProblems(own: readonly ProblemCode[], hasCaller: boolean): JsonSchema {
  const codes = [...new Set([...EVERYWHERE, ...own])];
  // Only operations with `too-large` read a body.
  const ofBodies = own.includes('too-large') ? [] : [413, 415];
  const statuses = [...new Set(codes.flatMap(statusesOf))]
    .filter((status) => !ofBodies.includes(status))
    .sort();
  const describe = (status: number) => ({
    description: codes
      .filter((code) => statusesOf(code).includes(status))
      .map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`)
      .join(' '),
    headers: refer([
      ...([429, 503].includes(status) ? ['Retry-After'] : []),
      ...(hasCaller && [400, 403, 404, 429, 503].includes(status) ? QUOTA : []),
    ]),
    content: { 'application/problem+json': { schema: ref('Problem') } },
  });
  return Object.fromEntries(statuses.map((status) => [status, describe(status)]));
}

function headersOf(operation: Operation): JsonSchema {
  const { path, isFile, hasRows, parameters } = operation;
  const has = (parameter: string) => parameters.some(({ name }) => name === parameter);
  const headers = [...(operation.isUncached ? [] : ['ETag', 'Vary']), ...(isFile ? FILE_HEADERS : [])];
  // A signed link and a table for spreadsheets are made for the request, so they are not files.
  const isMade = isFile && has('csv');
  return {
    ...(isMade ? makeOptional(headers) : refer(headers)),
    ...refer([
      ...['Cache-Control', 'Link'],
      ...(operation.isOfGame || path.includes(':game') ? ['Game-Build'] : []),
      ...(path.includes(':id') ? ['Content-Location'] : []),
      ...(operation.needsKey || operation.isAddress ? QUOTA : []),
      ...(has('lang') ? ['Content-Language'] : []),
    ]),
    ...(has('limit') && { Link: referTo('PageLink') }),
    ...(hasRows && (operation.form ? refer([TOTAL]) : makeOptional([TOTAL]))),
  };
}

function refer(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, referTo(name)]));
}

function referTo(name: string): JsonSchema {
  return { $ref: `#/components/headers/${name}` };
}

/** Marks header fields as optional. */
function makeOptional(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { ...HEADERS[name], required: false }]));
}

const PART = {
  description: 'The part that `Range` names, of the file in the coding of the response.',
  headers: refer(['ETag', 'Vary', 'Cache-Control', 'Link', 'Game-Build', ...FILE_HEADERS, 'Content-Range']),
  content: { 'application/json': { schema: binary } },
};

function header(description: string, required = true): JsonSchema {
  return { description, required, schema: text };
}

/** The header fields of responses. */
// biome-ignore format: a header field is a line
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  ETag: header('Strong: at one address, the same tag means the same bytes.'),
  'Cache-Control': header('A client may cache the response for itself, and must revalidate it before each use.'),
  Vary: header('The request header fields that the response depends on.'),
  Link: header('The terms of use.'),
  PageLink: header('The terms of use; the first, previous, next and last page where they exist.'),
  'X-Total-Count': header('How many rows match, on all pages; only of CSV and NDJSON.'),
  'Game-Build': header('The build that the response belongs to.'),
  'Retry-After': header('The seconds to wait before the next try.'),
  'RateLimit-Policy': header('The limits of the account, on every response to a key that has any: `"minute";q=10;w=60` means 10 requests in any 60 seconds, `"day"` is the UTC day. Every request counts, except those for /api/me and those whose response is 304, 401, 429 or 5xx.', false),
  RateLimit: header('For each limit, how many requests are left (`r`) and in how many seconds that number next grows (`t`).', false),
  'Content-Location': header('Only when the record was renumbered and the address has an earlier id: its address with the current id.', false),
  'Content-Language': header('The language of `lang`, as a language tag; only with that parameter.', false),
  'Accept-Ranges': header('`bytes`: `Range` requests are possible.'),
  'Content-Disposition': header('The name to save the file under.'),
  'Content-Range': header('The position of these bytes, and the size of the whole file.'),
  'Repr-Digest': header('The SHA-256 of the whole file as sent, coding included (RFC 9530).'),
};

/** The parameters of lists. */
// biome-ignore format: descriptions are longer than lines
const LIST_PARAMETERS: readonly QueryParameter[] = [
  { name: 'filter',
    description: 'Filters, such as `element=Pyro` or `stats.atk[gte]=20`: a facet, an operator if needed, `=` and a value. Each can also be a separate parameter, as in ' +
      '`?element=Pyro&stats.atk[gte]=20`; /openapi/{game}.json lists these for one game. Every scalar attribute of a full record that is reached through objects is a facet, ' +
      'by its dotted key (`stats.atk`); a list of scalars matches when any element does. The same facet several times: any of the ' +
      "values; different facets: all of them. Values match exactly, case included, and are read by the facet's own type. " +
      `Operators: ${OPERATOR_NAMES.map((name) => `\`[${name}]\` ${OPERATORS[name].label}`).join(', ')}; an ` +
      'operator given several times must hold each time. `null` and an empty list count as absent. The dataset `facets` lists them. ' +
      'A key may lead into a list of objects (`ascension.materials.name=Mora`): the filter holds when it does for any element. Filters with the ' +
      'same label after the list hold for one element: `ascension.materials[m].name=Mora&ascension.materials[m].count[gte]=20`. A label is a ' +
      'lowercase letter, and up to 15 further letters and digits.',
    schema: list(text),
    style: 'form', explode: true, example: ['rarity=5', 'stats.atk[gte]=20'] },
  { name: 'q',
    description: 'Name search over `name`, every `name_xx` and `aliases`, in any language: every word must be found somewhere in one name. Folded: NFKC, ' +
      'case, Latin, Greek and Cyrillic accents, hiragana = katakana, full = half width; spaces, punctuation and symbols do not matter; a hangul ' +
      'initial consonant stands for every syllable that begins with it (`ㅇㄹ`). Ranked, unless `sort` is given: whole names, beginnings of ' +
      'names, beginnings of words, parts; in each, shorter names first. When a search of up to three characters is a whole name, only such ' +
      'names match. When no name matches, those match whose words differ by one letter, or by two in words of six letters or more. ' +
      `At most ${MAX_SEARCH_LENGTH} characters and ${MAX_SEARCH_WORDS} different words.`,
    schema: { ...text, minLength: 1, maxLength: MAX_SEARCH_LENGTH } },
  { name: 'sort',
    description: 'Facets separated by commas, `-` before one for descending: `-rarity,name`. Numbers by size, texts in natural order (runs of ' +
      'digits as numbers, all else by code unit). Records without the facet come last either way; ties by id in natural order. ' +
      'Default: by id; in the order of `ids` when given; by relevance with `q`; in the order of the list when it has no ids.',
    schema: { ...text, minLength: 1 } },
  { name: 'offset',
    description: 'How many records to skip before the page.',
    schema: { ...whole, default: 0 } },
  { name: 'ids',
    description: 'Only the records with these ids, separated by commas, in this order unless `sort` is given; an id given twice counts once. ' +
      'Unknown ids are listed in `missing`.',
    schema: list(say('An id.')),
    style: 'form', explode: false },
  { name: 'fields',
    description: 'Only these attributes of the full record, by dotted key and separated by commas; `id` is always included.',
    schema: list(say('A dotted key.')),
    style: 'form', explode: false, example: ['id', 'name', 'stats.atk'] },
];

/** Describes the parameters of a route. Those of lists are found by name. */
export function describeParameters({ parameters }: Pick<Route, 'parameters'>): QueryParameter[] {
  return parameters.map((parameter) => {
    if ('schema' in parameter) return parameter;
    const { name, default: size } = parameter;
    if (name === 'limit')
      return {
        name,
        description: `The size of a page, 0 to ${MAX_RECORDS}.${size === undefined ? ' Without it the list is whole.' : ''}`,
        schema: { ...whole, maximum: MAX_RECORDS, ...(size !== undefined && { default: size }) },
      };
    const described = LIST_PARAMETERS.find((each) => each.name === name);
    if (described === undefined) throw new Error(`the parameter ${name} has no description`);
    return described;
  });
}

/** The parts that the documents of all games and of a single game share. */
export function makeDocument(
  info: JsonSchema,
  tags: readonly JsonSchema[],
  { headers, schemas, ...rest }: JsonSchema,
): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      ...info,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this gateway' },
    },
    tags,
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    ...rest,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers,
      schemas,
    },
  };
}

/** Makes the OpenAPI 3.1 document of the routes. */
export function describeApi(routes: readonly Route[], version: string): JsonSchema {
  const operations = routes.map((route) => ({ ...route, parameters: describeParameters(route) }));
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
  return makeDocument(info, TAGS, {
    paths: { ...describePaths(operations), '/keys/revoke': { post: REVOKE_KEY } },
    webhooks: { event: { post: RECEIVE_EVENT } },
    headers: HEADERS,
    schemas: SCHEMAS,
  });
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
    content: {
      'application/json': { schema: ref('RevokeKey') },
      'application/x-www-form-urlencoded': { schema: ref('RevokeKey') },
    },
  },
  responses: {
    204: { description: 'The key does not work, or no longer.' },
    ...describeProblems(['too-large', 'not-acceptable', 'quota-exceeded', 'unavailable'], false),
  },
};

const signed = (name: string, description: string) => ({
  ...{ name, in: 'header', required: true, schema: text, description },
});

/** The request to an account's webhook. */
const RECEIVE_EVENT = {
  operationId: 'receiveEvent',
  summary: 'An event about what the account follows',
  description:
    'In the form of Standard Webhooks. Without a 2xx within 15 seconds the event is sent again, up to nine times within three and a half days. ' +
    'A redirect is not followed. 410 ends the webhook.',
  tags: ['Account'],
  security: [],
  parameters: [
    signed('webhook-id', 'The id of the event: the same for every attempt.'),
    signed('webhook-timestamp', 'The time of the attempt, in seconds since 1970.'),
    signed(
      'webhook-signature',
      '`v1,` and the HMAC-SHA256 of id, timestamp and body, joined by dots, in base 64.',
    ),
  ],
  requestBody: { required: true, content: { 'application/json': { schema: ref('GameEvent') } } },
  responses: { '2XX': { description: 'It was received.' } },
};
