import { Ajv, type ErrorObject } from 'ajv';
import type { CheckName } from '../findings/check-names.ts';
import { type Finding, type Place, quoteValue } from '../findings/findings.ts';
import type { Json } from '../format/json.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { suggestFix } from '../lib/nearest.ts';
import { hasOneGroup } from './capture.ts';
import { readInstant } from './instant.ts';

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
export function compileSchema<T = unknown>(schema: object): Validate<T> {
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
