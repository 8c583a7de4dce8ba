import { Ajv, type ErrorObject } from 'ajv';
import { RE2JS } from 're2js';
import {
  type CheckName,
  errorAt,
  type Finding,
  type Place,
  quoteValue,
  type WithFindings,
} from '../findings.ts';
import type { Json, JsonObject } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { type Schema, text } from '../format/json-schema.ts';
import { errorOf } from '../system.ts';
import { suggestFix } from '../text.ts';
import { withinStack } from './json.ts';

/** The form of a date, or a date-time with a time zone. A text of this form can still be invalid, such as `2026-02-30`. */
export const INSTANT =
  '^(\\d{4})-(\\d\\d)-(\\d\\d)(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))?$';
const instantPattern = new RegExp(INSTANT);

/** A date or date-time. */
export const instant = text({
  format: 'instant',
  description: 'an ISO 8601 date (midnight UTC) or date-time with a time zone, such as 2026-02-25T11:00:00Z',
});

/** The address of a repository. Without user names and passwords, which would be public. */
export const repositoryAddress = text({
  maxLength: 2000,
  pattern: '^(https?://[^\\s/@?#\\\\]+|file://)/[^\\s?#\\\\]*$',
  description:
    'the address of a git repository, such as https://github.com/owner/name.git, without a user name and password',
});

/** Converts an ISO 8601 date, or date-time with a time zone, to UTC (`2026-02-25T11:00:00Z`); undefined if it is neither. */
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

/** Returns whether a text is a pattern in RE2 syntax with exactly one group. */
function hasOneGroup(pattern: string): boolean {
  try {
    return RE2JS.compile(pattern).groupCount() === 1;
  } catch {
    return false;
  }
}

/**
 * Returns a function that returns what the group of a pattern captures in a text; undefined without a match. It takes linear time, because the
 * patterns come from strangers.
 *
 * @param pattern accepted by `hasOneGroup`
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
  // Ajv rejects invalid schemas even without the meta-schema, whose compilation takes as long as that of all schemas here.
  meta: false,
  validateSchema: false,
  // Shorter code would take longer to make than it saves.
  code: { optimize: false },
});
// The text that editors show (read/editor-schemas.ts).
ajv.addKeyword('help');
ajv.addFormat('instant', (text: string) => readInstant(text) !== undefined);
ajv.addFormat('one-group', hasOneGroup);

/** Returns whether a value matches a schema, which describes a type. `errors` are those of the last value. */
export interface Validate<T = unknown> {
  (value: unknown): value is T;
  errors?: ErrorObject[] | null | undefined;
}

/**
 * Returns the function that checks values against a JSON Schema (draft 7) of the compiler. The schema is compiled at its first use: that takes as
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
 * Checks a value against a schema; each mismatch becomes a finding.
 *
 * @param place of the value; the pointers of findings continue from it
 */
export function checkSchema(validate: Validate, value: unknown, check: CheckName, place: Place): Finding[] {
  return findMismatches(validate, value).map(({ pointer, found, expected }) =>
    errorAt(check, { ...place, pointer: place.pointer + pointer }, found, expected),
  );
}

/** A mismatch between a value and a schema, at a JSON Pointer inside the value. */
export interface Mismatch {
  pointer: string;
  found: string;
  expected: string;
}

/** A game's compiled schema: returns the mismatches of a record. */
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

/** If a value matches none of several forms, one finding says so; the errors of each form would only hide it. */
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
  const { keyword, params, data, propertyName, parentSchema = {}, message = '' } = error;
  const missing = params.missingProperty;
  if (keyword === 'required') return { found: `no "${missing}"`, expected: `"${missing}" to be present` };
  if (keyword === 'dependencies')
    return { found: `"${params.property}" without "${missing}"`, expected: `"${missing}" together with it` };
  if (keyword === 'additionalProperties') {
    const names = Object.keys(parentSchema.properties ?? {}).filter((key) => !key.startsWith('$'));
    const { fix } = suggestFix(params.additionalProperty, names);
    const found = `"${params.additionalProperty}"${fix ? `; ${fix}` : ''}`;
    return { found, expected: `one of ${names.join(', ')}` };
  }
  const isEmpty = keyword === 'minLength' && params.limit === 1;
  const usual: Record<string, string> = {
    type: `a value of type ${[params.type].flat().join(' or ')}`,
    anyOf: expectForms(parentSchema.anyOf ?? []),
    oneOf: 'exactly one of several forms',
    enum: `one of ${listValues(params.allowedValues ?? [])}`,
  };
  return {
    found: propertyName === undefined ? quoteValue(data) : `the name "${propertyName}"`,
    expected: isEmpty ? 'a text that is not empty' : (parentSchema.description ?? usual[keyword] ?? message),
  };
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

/**
 * Compiles a JSON Schema (draft 7) of a game. Patterns are matched in linear time, because they come from strangers. All other work of a schema is
 * bounded by the worker's time limit.
 *
 * @param file the path for findings
 * @returns undefined, with a finding, if the schema cannot be used
 */
export function compileDatasetSchema(schema: Json, file: string): WithFindings<DatasetSchema | undefined> {
  const compilePattern = (pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern));
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictTuples: false,
    // Inherited properties such as `constructor` are not attributes of a record.
    ownProperties: true,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
    formats: {
      date: (text: string) => text.length === 10 && readInstant(text) !== undefined,
      'date-time': (text: string) => text.length > 10 && readInstant(text) !== undefined,
    },
    logger: false,
  });
  let found = 'nesting that is too deep';
  try {
    const compiled = withinStack(() => ajv.compile(schema as JsonObject | boolean));
    if (compiled) return { value: (record: Json) => findMismatches(compiled, record), findings: [] };
  } catch (error) {
    found = errorOf(error).message;
  }
  const expected = 'a JSON Schema (draft 7), with patterns in RE2 syntax';
  return { value: undefined, findings: [errorAt('schema-file', { file, pointer: '' }, found, expected)] };
}
