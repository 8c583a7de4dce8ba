import { fromJsonSchema, type JsonSchemaType, type StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { JsonSchema } from '../api/schemas.ts';
import type { Arguments } from './tool.ts';

/** Compiled schemas, which are compiled when they are first used. */
const compiled = new WeakMap<JsonSchema, StandardSchemaV1<unknown, Arguments>>();

/** Checks the arguments of a call. @returns them, or what is wrong with them and what was expected */
export async function checkArguments(schema: JsonSchema, given: unknown): Promise<Arguments | string> {
  const known = compiled.get(schema) ?? fromJsonSchema<Arguments>(schema as JsonSchemaType);
  compiled.set(schema, known);
  const checked = await known['~standard'].validate(given);
  if (!checked.issues) return checked.value;
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, unknown>;
    required?: readonly string[];
  };
  const names = Object.keys(properties).map((name) =>
    required.includes(name) ? `${name} (required)` : name,
  );
  const issues = checked.issues.map(({ message }) => message).join('; ');
  return `${issues}. Expected: ${names.join(', ') || 'no arguments'}.`;
}
