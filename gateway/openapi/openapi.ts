import type { JsonSchema, Route } from '../api/route.ts';
import {
  describeOperation,
  describeParameters,
  describeProblems,
  EVERYWHERE,
  HEADERS,
  TAGS,
} from './describe-operation.ts';
import { EVENT_WEBHOOK } from './event-schemas.ts';
import { SCHEMAS } from './schemas.ts';

/** What every document says of whom it is from. */
export const ABOUT = {
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'The operator of this gateway' },
};

export const SECURITY_SCHEMES = { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } };

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
      ...ABOUT,
    },
    tags: TAGS,
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths: {
      ...Object.fromEntries(
        routes.map((route) => [
          route.path.replace(/:(\w+)/g, '{$1}'),
          { get: describeOperation({ ...route, parameters: describeParameters(route) }) },
        ]),
      ),
      '/keys/revoke': { post: REVOKE_KEY },
    },
    webhooks: { event: EVENT_WEBHOOK },
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: sharedHeaders(),
      schemas: SCHEMAS,
    },
  };
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

/** The header fields that responses refer to: those of deprecated addresses are described where they are. */
function sharedHeaders(): JsonSchema {
  const { Deprecation: _, Sunset: __, ...shared } = HEADERS;
  return shared;
}
