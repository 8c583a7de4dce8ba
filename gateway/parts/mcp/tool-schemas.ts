import type { JsonSchema, Route } from '../../core/api/routes/route.ts';

const REFERENCE = '#/components/schemas/';

/** The argument that names a game. */
export const GAME = { game: { type: 'string', description: "A game's slug." } };

/** Describes an argument of a tool as the OpenAPI document describes the parameter of the route that it becomes. */
export function argumentOf({ path, parameters }: Route, name: string): JsonSchema {
  const parameter = parameters.find((each) => each.name === name);
  if (!parameter) throw new Error(`${path} has no parameter ${name}`);
  return { ...parameter.schema, description: parameter.description };
}

/** Makes the schema of a tool's arguments. */
export function inputSchema(properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Describes the arguments that choose a page of a tool. @param of what the pages consist of */
export function pageArguments(size: number, max: number, of: string): Record<'offset' | 'limit', JsonSchema> {
  return {
    offset: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: `How many ${of} to skip before the page.`,
    },
    limit: {
      ...{ type: 'integer', minimum: 1, maximum: max, default: size },
      description: `The number of ${of} on a page.`,
    },
  };
}

/**
 * Makes the schema of a tool's result: what the route responds, in one of some schemas, and where it was cut.
 *
 * @param names those of the schemas
 * @param schemas those of all responses
 */
export function outputSchema(names: readonly string[], schemas: Schemas): JsonSchema {
  const schema = made.get(names) ?? makeOutputSchema(names, schemas);
  made.set(names, schema);
  return schema;
}

/** The schemas of results, by the list of their names. */
const made = new WeakMap<readonly string[], JsonSchema>();

function makeOutputSchema(names: readonly string[], schemas: Schemas): JsonSchema {
  const definitions: Definitions = { schemas, made: new Map() };
  const [first = ''] = names;
  const result = names.length === 1 ? refer(first) : { anyOf: names.map(refer) };
  for (const name of names) define(name, definitions);
  return {
    type: 'object',
    properties: {
      result,
      next_offset: {
        type: 'integer',
        description: 'Only if there is more: the `offset` with which the next call continues.',
      },
      cut: {
        type: 'array',
        items: {
          type: 'object',
          properties: { path: { type: 'string' }, total: { type: 'integer' }, shown: { type: 'integer' } },
          required: ['path', 'total', 'shown'],
          additionalProperties: false,
        },
        description: 'Only if some are: the lists of the result that are not whole, by JSON Pointer.',
      },
    },
    required: ['result'],
    additionalProperties: false,
    $defs: Object.fromEntries(definitions.made),
  };
}

type Schemas = Readonly<Record<string, JsonSchema>>;

/** The definitions of a tool's schema, and the schemas that they are made from. */
interface Definitions {
  schemas: Schemas;
  made: Map<string, unknown>;
}

function refer(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

/** Adds a schema of the OpenAPI document, and those that it refers to. */
function define(name: string, definitions: Definitions): void {
  const { made, schemas } = definitions;
  if (made.has(name)) return;
  made.set(name, {});
  made.set(name, localise(schemas[name], definitions));
}

/** Returns a part of a schema whose references lead to definitions of the tool's own schema. */
function localise(part: unknown, definitions: Definitions): unknown {
  if (Array.isArray(part)) return part.map((each) => localise(each, definitions));
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.entries(part).map(([name, value]): [string, unknown] => {
    if (name !== '$ref' || typeof value !== 'string') return [name, localise(value, definitions)];
    const referred = value.slice(REFERENCE.length);
    define(referred, definitions);
    return [name, `#/$defs/${referred}`];
  });
  return Object.fromEntries(members);
}
