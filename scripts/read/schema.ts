import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { RE2JS } from 're2js';
import { type CheckName, type Finding, type Outcome, type Place, quoteValue } from '../findings.ts';
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { type Schema, text } from '../format/json-schema.ts';
import { pointerSteps, pointerTo } from '../format/json.ts';
import { errorOf } from '../system.ts';
import { suggestFix } from '../text.ts';
import { withinStack } from './json.ts';

/** The form of an instant: a date, or a date-time with a time zone. Texts of this form can still be invalid, such as `2026-02-30`. */
export const INSTANT =
  '^(\\d{4})-(\\d\\d)-(\\d\\d)(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))?$';
const instantPattern = new RegExp(INSTANT);

/** Schema of a date or a date-time. */
export const instant = text({
  format: 'instant',
  description: 'an ISO 8601 date (midnight UTC) or date-time with a time zone, such as 2026-02-25T11:00:00Z',
});

/** Schema of the address of a repository. Names and passwords in it would be public. */
export const repositoryAddress = text({
  maxLength: 2000,
  pattern: '^(https?://[^\\s/@?#\\\\]+|file://)/[^\\s?#\\\\]*$',
  description:
    'the address of a git repository, such as https://github.com/owner/name.git, without a user name and password',
});

/** Converts an ISO 8601 date, or date-time with a time zone, to UTC (`2026-02-25T11:00:00Z`); undefined when it is neither. */
export function readInstant(text: string): string | undefined {
  const parts = instantPattern.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0] = parts.slice(1, 4).map(Number);
  const midnight = new Date(Date.UTC(year, month - 1, day));
  const instant = new Date(text);
  // `Date` turns April 31 into May 1; such a date is invalid.
  if (midnight.getUTCDate() !== day || Number.isNaN(instant.getTime())) return undefined;
  const utc = instant.toISOString().replace('.000Z', 'Z');
  // An offset can lead to a year with more than four digits.
  return /^\d{4}-/.test(utc) ? utc : undefined;
}

/** Returns whether a text is a pattern in RE2's syntax with exactly one group. */
function hasOneGroup(pattern: string): boolean {
  try {
    return RE2JS.compile(pattern).groupCount() === 1;
  } catch {
    return false;
  }
}

/**
 * Makes a function that returns what the group of a pattern captures in a text; undefined if the pattern does not match. It takes linear time,
 * as the patterns come from strangers.
 *
 * @param pattern one that `hasOneGroup`
 */
export function captureBy(pattern: string): (text: string) => string | undefined {
  const compiled = RE2JS.compile(pattern);
  return (text) => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? (matcher.group(1) ?? undefined) : undefined;
  };
}

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  strictTypes: false,
  // Ajv rejects invalid schemas even without the meta-schema. Compiling that takes as long as compiling all schemas here.
  meta: false,
  validateSchema: false,
});
// The text for editors (scripts/editor-schemas).
ajv.addKeyword('help');
ajv.addFormat('instant', (text: string) => readInstant(text) !== undefined);
ajv.addFormat('one-group', hasOneGroup);

/** Returns whether a value matches a schema, which describes a type; `errors` are those of the last value. */
export interface Validate<T = unknown> {
  (value: unknown): value is T;
  errors?: ErrorObject[] | null | undefined;
}

/**
 * Makes the function that checks values against a JSON Schema (draft 7) of the compiler. The schema is compiled on first use: that takes as
 * long as compiling a small build, and few commands use all schemas.
 */
export function compileSchema<T = unknown>(schema: Schema<T>): Validate<T> {
  const validate: Validate<T> = (value): value is T => {
    // Ajv caches compiled schemas by object.
    const compiled = ajv.compile(schema);
    const valid = compiled(value);
    validate.errors = compiled.errors;
    return valid;
  };
  return validate;
}

/**
 * Checks a value against a schema and turns all mismatches into findings.
 *
 * @param place the place of the value; the pointers of findings continue from it
 */
export function checkSchema(validate: Validate, value: unknown, check: CheckName, place: Place): Finding[] {
  return findMismatches(validate, value).map(({ pointer, found, expected }) => ({
    check,
    severity: 'error',
    place: { ...place, pointer: place.pointer + pointer },
    found,
    expected,
  }));
}

/** A mismatch between a value and a schema, with its JSON Pointer inside the value. */
export interface Mismatch {
  pointer: string;
  found: string;
  expected: string;
}

/** A compiled schema of a game: returns the mismatches of a record. */
export type DatasetSchema = (record: Json) => Mismatch[];

/** Checks a value against a schema and describes the mismatches. */
export function findMismatches(validate: Validate, value: unknown): Mismatch[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  return errors
    .filter(isHelpful(errors))
    .map((error) => ({ pointer: pointerOf(error), ...describeError(error) }));
}

const FORMS: readonly string[] = ['anyOf', 'oneOf', 'not', 'contains'];

/** When a value matches none of several forms, one finding says so; the errors of each form would only hide it. */
function isHelpful(errors: ErrorObject[]): (error: ErrorObject) => boolean {
  const unions = new Set(
    errors.flatMap(({ keyword, schemaPath }) => (FORMS.includes(keyword) ? schemaPath : [])),
  );
  return ({ keyword, schemaPath }) =>
    keyword !== 'propertyNames' &&
    keyword !== 'if' &&
    ![...unions].some((union) => schemaPath.startsWith(`${union}/`));
}

function pointerOf({ instancePath, keyword, params, propertyName }: ErrorObject): string {
  if (keyword === 'additionalProperties') return pointerTo(instancePath, params.additionalProperty);
  return propertyName === undefined ? instancePath : pointerTo(instancePath, propertyName);
}

function describeError(error: ErrorObject): { found: string; expected: string } {
  const { keyword, params, data, propertyName, parentSchema } = error;
  const described = parentSchema?.description as string | undefined;
  const instead = (usual: string) => ({ found: quoteValue(data), expected: described ?? usual });
  switch (keyword) {
    case 'required':
      return {
        found: `no "${params.missingProperty}"`,
        expected: `"${params.missingProperty}" to be present`,
      };
    case 'dependencies':
      return {
        found: `"${params.property}" without "${params.missingProperty}"`,
        expected: `"${params.missingProperty}" together with it`,
      };
    case 'additionalProperties': {
      const names = Object.keys(parentSchema?.properties ?? {}).filter((key) => !key.startsWith('$'));
      const { fix } = suggestFix(params.additionalProperty, names);
      const found = `"${params.additionalProperty}"${fix ? `; ${fix}` : ''}`;
      return { found, expected: `one of ${names.join(', ')}` };
    }
    case 'anyOf':
      return instead(expectForms(parentSchema?.anyOf));
    case 'type':
      return instead(`a value of type ${[params.type].flat().join(' or ')}`);
    case 'oneOf':
      return instead('exactly one of several forms');
    case 'enum':
      return instead(`one of ${listValues(params.allowedValues)}`);
    default:
      if (keyword === 'minLength' && params.limit === 1)
        return { found: quoteValue(data), expected: 'a text that is not empty' };
      return {
        ...instead(`${error.message}`),
        ...(propertyName !== undefined && { found: `the name "${propertyName}"` }),
      };
  }
}

const MAX_LISTED_VALUES = 12;

function listValues(values: unknown[]): string {
  const listed = values.slice(0, MAX_LISTED_VALUES).map((value) => JSON.stringify(value));
  return [...listed, ...(values.length > MAX_LISTED_VALUES ? ['…'] : [])].join(', ');
}

function expectForms(forms: readonly { type?: string }[]): string {
  const types = forms.map(({ type }) => type ?? 'value');
  return `a value of type ${[...new Set(types)].join(' or ')}`;
}

/** The maximum number of values in a schema, each counted once for every `$ref` to it. It limits the time to check a record. */
const MAX_VALUES = 2000;
/** The maximum of the schema's values times the record's characters. Above it, only the first mismatch is reported, to save memory. */
const MAX_WORK = 1_000_000;
const MAX_PATTERN_CHARACTERS = 1000;
/** The maximum number of instructions of the matcher. It limits the time to match a character. */
const MAX_PATTERN_INSTRUCTIONS = 2000;

/**
 * Compiles a JSON Schema (draft 7) that is not trusted. The time of a check is bounded by the sizes of the schema and the record: patterns
 * are matched in linear time (RE2), and a `$ref` must stay in the file and not lead back to itself.
 *
 * @param file the path for findings
 * @returns the schema; undefined, with findings, when it cannot be used
 */
export function compileDatasetSchema(schema: Json, file: string): Outcome<DatasetSchema | undefined> {
  return (
    withinStack(() => compileWithinStack(schema, file)) ??
    refuse(file, '', 'nesting that is too deep', 'fewer levels of nesting')
  );
}

function compileWithinStack(schema: Json, file: string): Outcome<DatasetSchema | undefined> {
  // Compiled on first use: most games have no schema, and this takes as long as compiling a small build.
  metaSchema ??= compileMetaSchema();
  const findings = checkSchema(metaSchema, schema, 'schema-file', { file, pointer: '' });
  if (findings.length > 0) return { value: undefined, findings };
  const { size, problem } = measure(schema);
  if (problem) return refuse(file, problem.pointer, problem.found, problem.expected);
  if (size > MAX_VALUES) {
    const expected = `at most ${MAX_VALUES}, each counted once for every $ref to it`;
    return refuse(file, '', `a schema of ${size} values`, expected);
  }
  try {
    const compile = (allErrors: boolean) =>
      createAjv({ allErrors, meta: false, validateSchema: false }).compile(schema as JsonObject | boolean);
    const first = compile(false);
    let all: ValidateFunction | undefined;
    const value = (record: Json) => {
      if (first(record)) return [];
      const tooMany = JSON.stringify(record).length * size > MAX_WORK;
      if (tooMany) return findMismatches(first, record);
      all ??= compile(true);
      return findMismatches(all, record);
    };
    return { value, findings: [] };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return refuse(file, '', errorOf(error).message, 'a JSON Schema (draft 7)');
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
    // Inherited properties such as `constructor` are not attributes of a record.
    ownProperties: true,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
    formats: {
      date: (text: string) => text.length === 10 && readInstant(text) !== undefined,
      'date-time': (text: string) => text.length > 10 && readInstant(text) !== undefined,
      regex: isPattern,
      'uri-reference': true,
    },
  });
  // Ajv's own implementation compares each element with every other one.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not contain equal elements' },
    validate: (wanted: boolean, list: Json[]) =>
      !wanted || new Set(list.map((element) => JSON.stringify(element))).size === list.length,
  });
  return ajv;
}

/** @throws Error when the pattern is not valid RE2 syntax, or too large */
function compilePattern(pattern: string): RE2JS {
  if (pattern.length > MAX_PATTERN_CHARACTERS) throw new Error('the pattern is too long');
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  if (compiled.programSize() > MAX_PATTERN_INSTRUCTIONS)
    throw new Error(`the pattern is too large: ${pattern}`);
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

/** Compiles the meta-schema of draft 7 without the parts not supported here: unknown keywords, ids, and references to other files. */
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
      'a regular expression in RE2 syntax (no look-around, no back-references) that is not too large',
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
        description: 'a reference into this file, such as "#/definitions/item"',
      },
      type: {
        anyOf: [types, { type: 'array', items: types, minItems: 1, uniqueItems: true }],
        description: `one of ${types.enum.join(', ')}, or a list of them`,
      },
      // `anyOf` would hide the error inside one of its forms.
      items: schemaOr('schemaArray'),
      dependencies: { type: 'object', additionalProperties: schemaOr('stringArray') },
      format: { enum: ['date', 'date-time'], description: '"date" or "date-time", or a pattern' },
      pattern: { type: 'string', ...pattern },
      patternProperties: { ...properties.patternProperties, propertyNames: pattern },
    },
  });
}

/** Makes the schema of a value that is a schema, or a list defined by `#/definitions/<list>`. */
function schemaOr(list: string): object {
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  return { if: { type: 'array' }, then: { $ref: `#/definitions/${list}` }, else: { $ref: '#' } };
}

interface Measured {
  /** The number of values, each counted once for every `$ref` to it. */
  size: number;
  /** The first `$ref` that leads nowhere, or back to itself. */
  problem?: { pointer: string; found: string; expected: string };
}

function measure(schema: Json): Measured {
  const sizes = new Map<Json, number | undefined>();
  let problem: Measured['problem'];
  const walk = (value: Json, pointer: string): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const cachedSize = sizes.get(value);
    if (cachedSize !== undefined) return cachedSize;
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
        problem ??= { pointer: at, found: `"${part}"`, expected: 'a reference to something in this file' };
      else if (sizes.has(target.value) && sizes.get(target.value) === undefined)
        problem ??= {
          pointer: at,
          found: `"${part}", which leads back to itself`,
          expected: 'references without a cycle',
        };
      else size += walk(target.value, target.pointer);
    }
    sizes.set(value, size);
    return size;
  };
  const size = walk(schema, '');
  return { size, ...(problem && { problem }) };
}

/** Resolves a `$ref` such as `#/definitions/item`. */
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
