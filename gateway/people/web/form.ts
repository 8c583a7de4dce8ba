import type { IncomingMessage } from 'node:http';
import { readBody } from '../../http/html.ts';
import { ParameterError, parseRawQuery } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import { readEmail } from '../../store/email.ts';

/** The media type of forms. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';
/** The maximum length of a form; longer ones get a 413. */
export const MAX_FORM_BYTES = 4096;

/**
 * Reads the form in a request's body.
 *
 * @param maxBytes the maximum length of the form
 * @returns its fields; for a repeated field, the first value
 * @throws HttpProblem `unsupported-media-type`, or the errors of `readBody`
 * @throws ParameterError when the form is not UTF-8
 */
export async function readForm(
  request: IncomingMessage,
  maxBytes = MAX_FORM_BYTES,
): Promise<ReadonlyMap<string, string>> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM_TYPE) {
    const detail = `the body has another media type, expected ${FORM_TYPE}`;
    throw new HttpProblem('unsupported-media-type', detail, {}, { Accept: FORM_TYPE });
  }
  return readFields(await readBody(request, maxBytes));
}

/**
 * Reads the fields of a form.
 *
 * @returns for a repeated field, the first value
 * @throws ParameterError when the form is not UTF-8
 */
export function readFields(body: Buffer): ReadonlyMap<string, string> {
  const fields = parseRawQuery(body.toString());
  if (!fields) throw new ParameterError('body', 'the form has malformed percent-encoding, expected UTF-8');
  return new Map(fields.toReversed());
}

/**
 * Parses an email address that a visitor typed. Does the same as `readEmail`, but refuses domains without a dot, which are on this machine
 * or in its local network.
 */
export function readPublicEmail(text: string): string | undefined {
  const email = readEmail(text);
  return email?.slice(email.indexOf('@')).includes('.') ? email : undefined;
}
