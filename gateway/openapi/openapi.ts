import type { JsonSchema, Route } from '../api/route.ts';
import { describeParameters, describePaths, describeProblems, HEADERS, TAGS } from './operations.ts';
import { SCHEMAS } from './schemas.ts';
import { ref, text } from './shapes.ts';

/** What the documents of all games and of one game have in common. */
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

/** The one operation outside the routes that programs use; `people/` has it. */
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
