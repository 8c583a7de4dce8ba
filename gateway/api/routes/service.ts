import { createHash } from 'node:crypto';
import { unavailable } from '../../http/problem.ts';
import type { Route } from './route.ts';

export const openApiRoute: Route = {
  path: '/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This document',
  description: 'The OpenAPI 3.1 description of the API.',
  needsKey: false,
  parameters: [],
  result: 'OpenApi',
  problems: [],
  handle(_request, { openApi }) {
    return { tag: createHash('sha256').update(openApi).digest('hex'), body: () => ({ json: openApi }) };
  },
};

export const healthRoute: Route = {
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the gateway is alive',
  description: '200 as long as the process runs.',
  needsKey: false,
  parameters: [],
  result: 'Status',
  problems: [],
  handle: () => ({ body: () => ({ json: Buffer.from('{"status":"alive"}') }) }),
};

export const readyRoute: Route = {
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the gateway is ready',
  description:
    '200 while the gateway has data and a store; 503 when the store does not respond or the gateway is shutting down.',
  needsKey: false,
  parameters: [],
  result: 'Status',
  problems: ['unavailable'],
  async handle(_request, { store, isOpen }) {
    if (!isOpen()) throw unavailable('the gateway is shutting down');
    await store.ping().catch(() => {
      throw unavailable('the store does not respond');
    });
    return { body: () => ({ json: Buffer.from('{"status":"ready"}') }) };
  },
};
