import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../../http/problem.ts';

/** What is left unread of a body ends with its connection. */
const CLOSE = { Connection: 'close' };

/**
 * Reads a request's body, complete or not at all.
 *
 * @param limit in bytes
 * @throws HttpProblem `body-too-large`, or `invalid-parameter` where the client went away before its end
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    // Left open, so that there is a connection to refuse on.
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      bytes += part.length;
      if (bytes > limit) throw tooLarge(limit);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    throw cutShort();
  }
  return Buffer.concat(parts);
}

function tooLarge(limit: number): HttpProblem {
  return new HttpProblem(
    'body-too-large',
    `the body is too large, expected at most ${limit} bytes`,
    {},
    CLOSE,
  );
}

function cutShort(): HttpProblem {
  const detail = 'the body was cut short, expected all that the headers announce';
  return new HttpProblem('invalid-parameter', detail, { parameter: 'body' }, CLOSE);
}
