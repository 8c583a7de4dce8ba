import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type Finding, type Place, pointerSteps, pointerTo, quoteValue } from './findings.ts';
import { readInstant } from './read/definition.ts';

const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, strictTypes: false });
ajv.addFormat('instant', (text: string) => readInstant(text) !== undefined);

/** Compiles a JSON Schema (draft 7). Every schema of the compiler goes through here. */
export function compileSchema(schema: object): ValidateFunction {
  return ajv.compile(schema);
}

/**
 * Checks a value and turns everything the schema says against it into findings.
 *
 * @param place where the value stands; a finding's pointer goes on from there
 */
export function checkSchema(
  validate: ValidateFunction,
  value: unknown,
  check: string,
  place: Place,
): Finding[] {
  return findMismatches(validate, value).map(({ pointer, found, expected }) => ({
    check,
    severity: 'error',
    place: { ...place, pointer: place.pointer + pointer },
    found,
    expected,
  }));
}

/** Checks a value and says in words what the schema has against it, each with its JSON Pointer inside the value. */
export function findMismatches(
  validate: ValidateFunction,
  value: unknown,
): { pointer: string; found: string; expected: string }[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  return errors
    .filter(isTelling(errors))
    .map((error) => ({ pointer: pointerOf(error), ...describeError(error) }));
}

/** Of a value that fits none of several forms, one finding says so; what each form lacked would only hide it. */
function isTelling(errors: ErrorObject[]): (error: ErrorObject) => boolean {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  return (error) =>
    error.keyword !== 'propertyNames' &&
    error.keyword !== 'if' &&
    !unions.some((union) => union !== error && error.schemaPath.startsWith(`${union.schemaPath}/`));
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
    case 'minLength':
      return { found: quoteValue(data), expected: 'a text that is not empty' };
    default:
      if (propertyName !== undefined)
        return { found: `the name "${name}"`, expected: described ?? `${error.message}` };
      return { found: quoteValue(data), expected: described ?? `${error.message}` };
  }
}

function expectForms(forms: unknown): string {
  const types = (forms as { type?: string }[]).map(({ type }) => type ?? 'value');
  return `a value of type ${[...new Set(types)].join(' or ')}`;
}
