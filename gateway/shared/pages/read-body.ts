import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../../core/http/problem.ts';

/** Closes the connection, since the rest of the body has not been read. */
const CLOSE = { Connection: 'close' };

/**
 * Reads a request's complete body.
 *
 * @param limit in bytes
 * @throws HttpProblem `body-too-large`, or `invalid-parameter` when the client disconnected before its end
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    // The request stays open, so that an error response can be sent.
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      bytes += part.length;
      if (bytes > limit) throw tooLarge(limit);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    throw endedEarly();
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

function endedEarly(): HttpProblem {
  const detail = 'the body ended early, expected as many bytes as the headers announce';
  return new HttpProblem('invalid-parameter', detail, { parameter: 'body' }, CLOSE);
}
