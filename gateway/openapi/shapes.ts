import { BUILD_NAME, SLUG } from '../../scripts/format/dist-format.ts';
import type { JsonSchema } from '../api/route.ts';

// The words that the schemas are written in.
export const text = { type: 'string' };
export const number = { type: 'number' };
export const flag = { type: 'boolean' };
export const whole = { type: 'integer', minimum: 0 };
export const instant = { type: 'string', format: 'date-time', description: 'ISO 8601 in UTC.' };
export const binary = { type: 'string', format: 'binary' };
export const address = { type: 'string', format: 'uri-reference' };
export const scalar = { type: ['string', 'number', 'boolean'] };
export const slug = { type: 'string', pattern: SLUG };
export const buildName = { type: 'string', pattern: BUILD_NAME };
export const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' };

/** A schema with what it means. */
export function say(description: string, schema: JsonSchema = text): JsonSchema {
  return { ...schema, description };
}

/** An object with these members and no others. A name that ends in `?` may be absent. */
export function object(members: Record<string, JsonSchema>): JsonSchema {
  const names = Object.keys(members);
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]]));
  const required = names.filter((name) => !name.endsWith('?'));
  return { type: 'object', required, properties, additionalProperties: false };
}

export function oneOf(...values: string[]): JsonSchema {
  return { enum: values };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** An object of which the names say what each value belongs to. */
export function mapOf(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type, 'null'] };
}

/** The schema of this name in the document. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
