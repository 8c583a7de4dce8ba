import { Ajv, type ErrorObject } from 'ajv';
import type { CheckName } from '../findings/check-names.ts';
import { type Finding, type Place, quoteValue } from '../findings/findings.ts';
import { pointerSteps, pointerTo } from '../lib/json-pointer.ts';
import { readInstant } from './instant.ts';

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  strictTypes: false,
  // Ajv refuses what is no schema without the schema of schemas; to compile that takes as long as all that are compiled here.
  meta: false,
  validateSchema: false,
});
// For editors.
ajv.addKeyword('help');
ajv.addFormat('instant', (text: string) => readInstant(text) !== undefined);

/** Tells whether a value keeps to a schema; `errors` is what the schema had against the last one. */
export interface Validate {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null | undefined;
}

/**
 * Makes the check of a JSON Schema (draft 7). Every schema of the compiler goes through here. It is compiled when it is first asked: that
 * takes as long as many a build, and few commands ask all schemas.
 */
export function compileSchema(schema: object): Validate {
  const validate: Validate = (value) => {
    // Ajv compiles an object once.
    const compiled = ajv.compile(schema);
    const valid = compiled(value);
    validate.errors = compiled.errors;
    return valid;
  };
  return validate;
}

/**
 * Checks a value and turns everything the schema says against it into findings.
 *
 * @param place where the value stands; a finding's pointer goes on from there
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

/** What a schema has against a value, by the JSON Pointer inside it. */
export interface Mismatch {
  pointer: string;
  found: string;
  expected: string;
}

/** Checks a value and says in words what the schema has against it. */
export function findMismatches(validate: Validate, value: unknown): Mismatch[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  return errors
    .filter(isTelling(errors))
    .map((error) => ({ pointer: pointerOf(error), ...describeError(error) }));
}

const FORMS: readonly string[] = ['anyOf', 'oneOf', 'not', 'contains'];

/** Of a value that fits none of several forms, one finding says so; what each form lacked would only hide it. */
function isTelling(errors: ErrorObject[]): (error: ErrorObject) => boolean {
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
  const name = propertyName ?? pointerSteps(error.instancePath).at(-1);
  const described = parentSchema?.description as string | undefined;
  switch (keyword) {
    case 'required':
      return {
        found: `no "${params.missingProperty}"`,
        expected: `"${params.missingProperty}" to be given`,
      };
    case 'dependencies':
      return {
        found: `"${params.property}" without "${params.missingProperty}"`,
        expected: `"${params.missingProperty}" beside it`,
      };
    case 'additionalProperties': {
      const known = Object.keys((parentSchema?.properties as object) ?? {}).filter(
        (key) => !key.startsWith('$'),
      );
      return { found: `"${params.additionalProperty}"`, expected: `one of ${known.join(', ')}` };
    }
    case 'anyOf':
      return { found: quoteValue(data), expected: described ?? expectForms(parentSchema?.anyOf) };
    case 'type':
      return {
        found: quoteValue(data),
        expected: described ?? `a value of type ${[params.type].flat().join(' or ')}`,
      };
    case 'oneOf':
      return { found: quoteValue(data), expected: described ?? 'exactly one of several forms' };
    case 'enum':
      return { found: quoteValue(data), expected: described ?? `one of ${listValues(params.allowedValues)}` };
    case 'minLength':
      return {
        found: quoteValue(data),
        expected: params.limit === 1 ? 'a text that is not empty' : (described ?? `${error.message}`),
      };
    default:
      if (propertyName !== undefined)
        return { found: `the name "${name}"`, expected: described ?? `${error.message}` };
      return { found: quoteValue(data), expected: described ?? `${error.message}` };
  }
}

const MOST_LISTED = 12;

function listValues(values: unknown[]): string {
  const listed = values.slice(0, MOST_LISTED).map((value) => JSON.stringify(value));
  return [...listed, ...(values.length > MOST_LISTED ? ['…'] : [])].join(', ');
}

function expectForms(forms: unknown): string {
  const types = (forms as { type?: string }[]).map(({ type }) => type ?? 'value');
  return `a value of type ${[...new Set(types)].join(' or ')}`;
}
