import { Ajv } from 'ajv';
import { HttpProblem } from '../http/problem.ts';
import { readUtc } from './platform.ts';

const ajv = new Ajv({ allowUnionTypes: true });
ajv.addFormat('time', (text: string) => readUtc(text) !== undefined);

/**
 * Makes a reader of a platform's payloads.
 *
 * @param schema JSON Schema (draft 7) of what is read of a payload; `time` is a format
 * @returns a function that gives a value that keeps to the schema, and throws HttpProblem `invalid-parameter` for any other
 */
export function payloadReader<T>(schema: object): (value: unknown) => T {
  const isValid = ajv.compile<T>(schema);
  return (value) => {
    if (isValid(value)) return value;
    const [{ instancePath = '', message = '' } = {}] = isValid.errors ?? [];
    throw unreadable(`the payload${instancePath && ` at ${instancePath}`} ${message}`);
  };
}

/** @throws HttpProblem `invalid-parameter` */
export function parsePayload(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('the payload is no JSON');
  }
}

/** A 400: the platform never sends this. */
export function unreadable(found: string): HttpProblem {
  const detail = `${found}, expected what the platform sends to webhooks`;
  return new HttpProblem('invalid-parameter', detail, { parameter: 'body' });
}
