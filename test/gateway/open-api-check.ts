import { Ajv2020 } from 'ajv/dist/2020.js';
import * as assert from 'uvu/assert';
import { describeApi } from '../../gateway/openapi.ts';
import { ROUTES } from '../../gateway/routes/routes.ts';

/** An answer as a test gets it. */
export interface TestAnswer {
  status: number;
  headers: Headers;
  text: string;
}

interface Operation {
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, { schema: { $ref: string } }> }
  >;
}

const document = JSON.parse(JSON.stringify(describeApi(ROUTES, '0.0.0'))) as {
  paths: Record<string, { get: Operation }>;
  components: object;
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
ajv.addFormat('uri-reference', /^\S+$/);
ajv.addSchema({ $id: 'api', components: document.components });

/** Holds an answer against the OpenAPI document: status, headers, content type and body. */
export function checkAgainstOpenApi(
  method: string,
  path: string,
  { status, headers, text }: TestAnswer,
): void {
  const template = Object.keys(document.paths).find((candidate) => toPattern(candidate).test(path));
  if (template === undefined || (method !== 'GET' && method !== 'HEAD')) return;
  const described = document.paths[template]?.get.responses[status];
  assert.ok(described, `${method} ${path} answered ${status}, which the document does not know`);
  for (const name of Object.keys(described.headers ?? {})) {
    assert.ok(headers.has(name), `${method} ${path} answered without ${name}`);
  }
  if (!described.content) {
    assert.is(text, '', `${method} ${path} answered ${status} with a body`);
    return;
  }
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const schema = described.content[type]?.schema;
  assert.ok(schema, `${method} ${path} answered ${status} as ${type}`);
  if (method === 'HEAD') return;
  const validate = ajv.getSchema(`api${schema.$ref}`);
  assert.ok(validate?.(JSON.parse(text)), `${path}: ${ajv.errorsText(validate?.errors)}`);
}

function toPattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}
