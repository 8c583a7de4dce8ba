import { createHash } from 'node:crypto';
import { HttpProblem } from '../http/problem.ts';
import { type Route, rejectParameters } from './route.ts';

const RETRY = { 'Retry-After': 5 };

export const openApiRoute: Route = {
  path: '/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This document',
  description: 'The OpenAPI 3.1 description of the API.',
  access: 'open',
  parameters: [],
  answer: 'OpenApi',
  problems: ['invalid-parameter'],
  handle({ query }, { openApi }) {
    rejectParameters(query);
    return { tag: createHash('sha256').update(openApi).digest('hex'), body: () => ({ json: openApi }) };
  },
};

export const healthRoute: Route = {
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the gateway is alive',
  description: 'Answers as long as the process does.',
  access: 'open',
  parameters: [],
  answer: 'Status',
  problems: [],
  handle: () => ({ tag: 'alive', body: () => ({ json: Buffer.from('{"status":"alive"}') }) }),
};

export const readyRoute: Route = {
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the gateway can answer',
  description:
    'Answers 200 while there are data and a store; 503 when the store does not answer or the gateway is shutting down.',
  access: 'open',
  parameters: [],
  answer: 'Status',
  problems: ['unavailable'],
  async handle(_request, { store, isOpen }) {
    if (!isOpen()) throw new HttpProblem('unavailable', 'the gateway is shutting down', {}, RETRY);
    await store.ping().catch(() => {
      throw new HttpProblem('unavailable', 'the store does not answer', {}, RETRY);
    });
    return { tag: 'ready', body: () => ({ json: Buffer.from('{"status":"ready"}') }) };
  },
};
