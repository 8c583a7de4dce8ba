import { Ajv } from 'ajv';
import { HttpProblem } from '../../http/problem.ts';
import { once } from '../../lib/once.ts';
import { readUtc } from './platform.ts';

const prepareAjv = once(() =>
  new Ajv({ allowUnionTypes: true }).addFormat('time', (text: string) => readUtc(text) !== undefined),
);

/**
 * Makes a reader of a platform's payloads. The schema is compiled when the first comes.
 *
 * @param schema JSON Schema (draft 7) of what is read of a payload; `time` is a format
 * @returns a function that gives a value that keeps to the schema, and throws HttpProblem `invalid-parameter` for any other
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
