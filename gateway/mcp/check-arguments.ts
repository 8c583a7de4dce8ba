import { fromJsonSchema, type JsonSchemaType, type StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { JsonSchema } from '../api/route.ts';
import { quote, suggest } from '../http/suggest.ts';
import type { Arguments } from './tool.ts';

/** Compiled schemas, which are compiled when they are first used. */
const compiled = new WeakMap<JsonSchema, StandardSchemaV1<unknown, Arguments>>();

/** The most entries of a list: more than an address has room for. */
const MAX_ENTRIES = 2000;
/** How much is shown of what is wrong: each entry of a list could be. */
const MAX_ISSUES_CHARS = 300;

/** Checks the arguments of a call. @returns them, or what is wrong with them and what was expected */
export async function checkArguments(schema: JsonSchema, values: unknown): Promise<Arguments | string> {
  const excess = findExcess(membersOf(schema).properties, values);
  if (excess !== undefined) return `${excess}. ${describeExpected(schema)}`;
  const validator = compiled.get(schema) ?? fromJsonSchema<Arguments>(schema as JsonSchemaType);
  compiled.set(schema, validator);
  const checked = await validator['~standard'].validate(values);
  if (!checked.issues) return checked.value;
  const issues = checked.issues.map(describeIssue).join('; ');
  const shown = issues.length > MAX_ISSUES_CHARS ? `${issues.slice(0, MAX_ISSUES_CHARS)}…` : issues;
  return `${shown}. ${describeExpected(schema)}`;
}

function membersOf(schema: JsonSchema) {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, unknown>;
    required?: readonly string[];
  };
  return { properties, required };
}

function describeExpected(schema: JsonSchema): string {
  const { properties, required } = membersOf(schema);
  const names = Object.keys(properties).map((name) =>
    required.includes(name) ? `${name} (required)` : name,
  );
  return `Expected: ${names.join(', ') || 'no arguments'}.`;
}

function describeIssue({ message, path = [] }: StandardSchemaV1.Issue): string {
  const steps = path.map((step) => String(typeof step === 'object' ? step.key : step)).filter(Boolean);
  return steps.length > 0 ? `the argument ${steps.join('.')}: ${message}` : message;
}

/** Finds an argument that a tool does not have, or a list that is too long to be checked. */
function findExcess(properties: Record<string, unknown>, values: unknown): string | undefined {
  if (typeof values !== 'object' || values === null) return undefined;
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(properties, name))
      return `${quote(name)} is not an argument${suggest(name, Object.keys(properties))}`;
    if (Array.isArray(value) && value.length > MAX_ENTRIES)
      return `${name} has ${value.length} entries, expected at most ${MAX_ENTRIES}`;
  }
  return undefined;
}
