import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../../http/problem.ts';
import { ParameterError } from '../../lib/parameter-error.ts';
import { parseRawQuery } from '../../lib/raw-query.ts';
import { readBody } from './read-body.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Longer forms get a 413, in bytes. */
export const LONGEST_FORM = 4096;

/**
 * Reads a form that a request carries.
 *
 * @param longest in bytes
 * @returns its fields; of a field that is sent several times the first
 * @throws HttpProblem `unsupported-media-type`, or what `readBody` throws
 * @throws ParameterError where it is not UTF-8
 */
export async function readForm(
  request: IncomingMessage,
  longest = LONGEST_FORM,
): Promise<ReadonlyMap<string, string>> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM_TYPE) {
    const detail = `the body is of another media type, expected ${FORM_TYPE}`;
    throw new HttpProblem('unsupported-media-type', detail, {}, { Accept: FORM_TYPE, Connection: 'close' });
  }
  const fields = parseRawQuery((await readBody(request, longest)).toString());
  if (!fields) throw new ParameterError('body', 'the form has malformed percent-encoding, expected UTF-8');
  return new Map(fields.toReversed());
}
