import { Ajv } from 'ajv';
import { HttpProblem } from '../../http/problem.ts';
import { once } from '../../http/work.ts';
import { readUtc } from './platform.ts';

const prepareAjv = once(() =>
  new Ajv({ allowUnionTypes: true }).addFormat('time', (text: string) => readUtc(text) !== undefined),
);

/**
 * Makes a function that validates a platform's payloads. The schema is compiled for the first payload.
 *
 * @param schema JSON Schema (draft 7) of the part of a payload that is used; `time` is a format
 * @returns a function that returns a valid value, and throws HttpProblem `invalid-parameter` for any other
 */
export function payloadReader<T>(schema: object): (value: unknown) => T {
  const compile = once(() => prepareAjv().compile<T>(schema));
  return (value) => {
    const isValid = compile();
    if (isValid(value)) return value;
    const [{ instancePath = '', message = '' } = {}] = isValid.errors ?? [];
    throw unreadable(`the payload${instancePath && ` at ${instancePath}`} ${message}`);
  };
}

/** Parses a payload. @throws HttpProblem `invalid-parameter` */
export function parsePayload(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('the payload is not JSON');
  }
}

/** Makes a 400 for a payload that the platform never sends. */
export function unreadable(found: string): HttpProblem {
  const detail = `${found}, expected what the platform sends to webhooks`;
  return new HttpProblem('invalid-parameter', detail, { parameter: 'body' });
}
