import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import type { Outcome } from '../findings/findings.ts';
import { withinStack } from '../findings/text.ts';
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../lib/json-pointer.ts';
import { readInstant } from './instant.ts';
import { checkSchema, findMismatches, type Mismatch } from './schema.ts';

/** How many values a schema may have, each counted as often as a `$ref` leads to it: what a check of a record can cost. */
const MOST_VALUES = 2000;
/** In values of the schema times characters of the record: beyond it only the first mismatch is told, for want of memory for all. */
const MOST_WORK = 1_000_000;
/** In characters. */
const LONGEST_PATTERN = 1000;
/** In instructions of the matcher: what a pattern can cost a character. */
const LARGEST_PATTERN = 2000;

/** A schema, ready to check records: tells what it has against one. */
export type DatasetSchema = (record: Json) => Mismatch[];

/**
 * Compiles a JSON Schema (draft 7) that a stranger wrote. It cannot do more than take its time, and that grows with its size and the
 * size of what it checks alone: patterns are matched in linear time (RE2), a `$ref` stays in the file and leads to no `$ref` that
 * leads back.
 *
 * @param file the path that a finding names
 * @returns the schema, or undefined and what is wrong with it
 */
export function compileDatasetSchema(schema: Json, file: string): Outcome<DatasetSchema | undefined> {
  return (
    withinStack(() => compileWithinStack(schema, file)) ??
    refuse(file, '', 'nesting without end', 'nesting that people can read')
  );
}

function compileWithinStack(schema: Json, file: string): Outcome<DatasetSchema | undefined> {
  // Most games have no schema, and to compile this one takes as long as many a build.
  metaSchema ??= compileMetaSchema();
  const findings = checkSchema(metaSchema, schema, 'schema-file', { file, pointer: '' });
  if (findings.length > 0) return { value: undefined, findings };
  const { size, problem } = measure(schema);
  if (problem) return refuse(file, problem.pointer, problem.found, problem.expected);
  if (size > MOST_VALUES) {
    const expected = `at most ${MOST_VALUES}, each as often as a $ref leads to it`;
    return refuse(file, '', `a schema of ${size} values`, expected);
  }
  try {
    const compile = (allErrors: boolean) =>
      createAjv({ allErrors, meta: false, validateSchema: false }).compile(schema as JsonObject | boolean);
    const first = compile(false);
    let all: ValidateFunction | undefined;
    const value = (record: Json) => {
      if (first(record)) return [];
      const tooMany = JSON.stringify(record).length * size > MOST_WORK;
      if (tooMany) return findMismatches(first, record);
      all ??= compile(true);
      return findMismatches(all, record);
    };
    return { value, findings: [] };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return refuse(file, '', (error as Error).message, 'a JSON Schema (draft 7)');
  }
}

function refuse(file: string, pointer: string, found: string, expected: string): Outcome<undefined> {
  const place = { file, pointer };
  return {
    value: undefined,
    findings: [{ check: 'schema-file', severity: 'error', place, found, expected }],
  };
}

function createAjv(options: Options): Ajv {
  const ajv = new Ajv({
    ...options,
    verbose: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictTuples: false,
    // What every object inherits (`constructor`) is no attribute of a record.
    ownProperties: true,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
    formats: {
      date: (text: string) => text.length === 10 && readInstant(text) !== undefined,
      'date-time': (text: string) => text.length > 10 && readInstant(text) !== undefined,
      regex: isPattern,
      'uri-reference': true,
    },
  });
  // Ajv's own compares every element with every other.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must have every element once' },
    validate: (wanted: boolean, list: Json[]) =>
      !wanted || new Set(list.map((element) => JSON.stringify(element))).size === list.length,
  });
  return ajv;
}

/** @throws Error when it is no pattern of the RE2 syntax, or one that repeats too much */
function compilePattern(pattern: string): RE2JS {
  if (pattern.length > LONGEST_PATTERN) throw new Error('too long a pattern');
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  if (compiled.programSize() > LARGEST_PATTERN) throw new Error(`too large a pattern: ${pattern}`);
  return compiled;
}

function isPattern(text: string): boolean {
  try {
    compilePattern(text);
    return true;
  } catch {
    return false;
  }
}

let metaSchema: ValidateFunction | undefined;

/** The schema of schemas, less what is not taken here: keywords that nobody knows, ids, and what lies outside the file. */
function compileMetaSchema(): ValidateFunction {
  const ajv = createAjv({ allErrors: true });
  const draft7 = ajv.getSchema('http://json-schema.org/draft-07/schema')?.schema as {
    properties: Record<string, object>;
    definitions: { simpleTypes: { enum: string[] } };
  };
  const { $id, ...properties } = draft7.properties;
  const pattern = {
    format: 'regex',
    description:
      'a regular expression in the syntax of RE2 (no look-around, no back reference), not too large',
  };
  const types = { enum: draft7.definitions.simpleTypes.enum };
  return ajv.compile({
    ...draft7,
    $id: 'dataset-schema',
    additionalProperties: false,
    properties: {
      ...properties,
      $schema: {
        enum: ['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-07/schema'],
        description: '"http://json-schema.org/draft-07/schema#", or no $schema',
      },
      $ref: {
        type: 'string',
        pattern: '^#(/|$)',
        description: 'a place in this file, as "#/definitions/item"',
      },
      type: {
        anyOf: [types, { type: 'array', items: types, minItems: 1, uniqueItems: true }],
        description: `${types.enum.join(', ')}, or a list of some of them`,
      },
      // One of several forms would hide what is wrong inside it.
      items: schemaOr('schemaArray'),
      dependencies: { type: 'object', additionalProperties: schemaOr('stringArray') },
      format: { enum: ['date', 'date-time'], description: '"date" or "date-time", or a pattern' },
      pattern: { type: 'string', ...pattern },
      patternProperties: { ...properties.patternProperties, propertyNames: pattern },
    },
  });
}

/** A schema, or where a list stands that of its definition. */
function schemaOr(list: string): object {
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  return { if: { type: 'array' }, then: { $ref: `#/definitions/${list}` }, else: { $ref: '#' } };
}

interface Measured {
  /** How many values there are, those that a `$ref` leads to among them as often as one does. */
  size: number;
  /** The first `$ref` that leads nowhere, or back. */
  problem?: { pointer: string; found: string; expected: string };
}

function measure(schema: Json): Measured {
  const sizes = new Map<Json, number | undefined>();
  let problem: Measured['problem'];
  const walk = (value: Json, pointer: string): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    sizes.set(value, undefined);
    let size = 1;
    for (const [key, part] of Object.entries(value)) {
      const at = pointerTo(pointer, key);
      if (key !== '$ref' || typeof part !== 'string') {
        size += walk(part, at);
        continue;
      }
      const target = resolve(schema, part);
      if (target === undefined)
        problem ??= { pointer: at, found: `"${part}"`, expected: 'a place that is in the file' };
      else if (sizes.has(target.value) && sizes.get(target.value) === undefined)
        problem ??= {
          pointer: at,
          found: `"${part}", which leads back to itself`,
          expected: 'levels that end',
        };
      else size += walk(target.value, target.pointer);
    }
    sizes.set(value, size);
    return size;
  };
  const size = walk(schema, '');
  return { size, ...(problem && { problem }) };
}

/** What a `$ref` such as `#/definitions/item` leads to. */
function resolve(schema: Json, ref: string): { value: Json; pointer: string } | undefined {
  let pointer: string;
  try {
    pointer = decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
  let value: Json | undefined = schema;
  for (const step of pointerSteps(pointer)) {
    const below: Json | undefined = value;
    if ((!isObject(below) && !Array.isArray(below)) || !Object.hasOwn(below, step)) return undefined;
    value = (below as Record<string, Json>)[step];
  }
  return value === undefined ? undefined : { value, pointer };
}
