import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../http/problem.ts';

/**
 * Reads a request's complete body.
 *
 * @param limit in bytes
 * @throws HttpProblem `body-too-large`, or `invalid-parameter` when the client disconnected before its end
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  if (request.destroyed) throw endedEarly();
  const parts: Buffer[] = [];
  let bytes = 0;
  // Listeners take a fraction of the time of an iterator. The request stays open, so that an error response can be sent.
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: HttpProblem) => {
      request.off('data', add).off('end', end).off('close', fail).off('error', fail);
      if (!error) return resolve();
      // The rest is read and dropped: a proxy that is still sending would not read the response otherwise.
      request.resume();
      reject(error);
    };
    const end = () => settle();
    const fail = () => settle(endedEarly());
    const add = (part: Buffer) => {
      bytes += part.length;
      if (bytes > limit) settle(tooLarge(limit));
      else parts.push(part);
    };
    request.on('data', add).on('end', end).on('close', fail).on('error', fail);
  });
  return Buffer.concat(parts);
}

function tooLarge(limit: number): HttpProblem {
  return new HttpProblem('body-too-large', `the body is too large, expected at most ${limit} bytes`);
}

function endedEarly(): HttpProblem {
  const detail = 'the body ended early, expected as many bytes as the headers announce';
  return new HttpProblem('invalid-parameter', detail, { parameter: 'body' });
}
