import type { ServerResponse } from 'node:http';
import { detach } from '../bytes/draft.ts';
import { IdentifiedResponse } from './identified-response.ts';

/** Shorter bodies, such as those of health checks, are sent even if too many bytes wait. */
const SHORT_BYTES = 4 * 1024;
/** Longer bodies count as unsent immediately, so that the limits also apply to the responses of one tick. */
export const LONG_BYTES = 64 * 1024;

/**
 * Sends a response whose bytes are ready: by the writer of its server, otherwise by node:http.
 *
 * @param fields lines of the head, each ended by CRLF. They go out unchecked: their values must be Latin-1 without control characters.
 *   X-Request-Id, Date, Connection and Keep-Alive are added
 * @throws HttpProblem when too many bytes wait for clients to read them
 */
export function sendWhole(response: ServerResponse, status: number, fields: string, bytes?: Buffer): void {
  const identified = response instanceof IdentifiedResponse ? response : undefined;
  if (identified?.unsent && bytes !== undefined) {
    if (bytes.length > SHORT_BYTES) identified.unsent.check(response);
    if (bytes.length > LONG_BYTES) identified.unsent.hold(response, bytes.length);
  }
  if (identified?.writer) identified.writer.write(identified, status, fields, bytes);
  else writePlainly(response, status, fields, bytes);
}

/** Writes a response with node:http, which may keep the bytes for a while. */
export function writePlainly(response: ServerResponse, status: number, fields: string, bytes?: Buffer): void {
  response.writeHead(status, toList(fields)).end(bytes && detach(bytes));
}

/** Returns names and values alternately, as `writeHead` accepts them. */
function toList(fields: string): string[] {
  const lines = fields.split('\r\n').slice(0, -1);
  return lines.flatMap((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}
