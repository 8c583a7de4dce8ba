import { errorOf } from '../../scripts/system.ts';
import { readBody, sendRequest } from '../../scripts/publish/object-store.ts';
import { DistError } from '../data/dist-folder.ts';
import { type DistSource, SourceFileError } from './dist-source.ts';

/** Statuses of a file that does not exist, or that the server does not show. */
const HIDDEN = new Set([403, 404, 410]);

/**
 * Opens a dist/ on a web server. A user name and password in the address are sent to it (RFC 7617).
 *
 * @param address `https://…`, of the folder
 * @throws DistError when it is not an address
 */
export function httpSource(address: string): DistSource {
  if (!URL.canParse(address))
    throw new DistError('--dist is not an address; expected one such as https://example.org/dist');
  const base = new URL(address);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const shown = new URL(base);
  shown.username = '';
  shown.password = '';
  const name = shown.href.replace(/\/$/, '');
  return {
    name,
    async read(file, limit, signal) {
      const refuse = (reason: string, isMissing: boolean) =>
        new SourceFileError(`${name}/${file} cannot be fetched: ${reason}`, isMissing);
      try {
        const response = await sendRequest(new URL(file, base), { signal });
        const { statusCode = 0 } = response;
        if (statusCode !== 200) {
          response.resume();
          throw refuse(`the server responds ${statusCode}, expected 200`, HIDDEN.has(statusCode));
        }
        const body = await readBody(response, limit);
        if (body === undefined) throw refuse(`it has more than ${limit} bytes`, false);
        return body;
      } catch (error) {
        if (error instanceof SourceFileError) throw error;
        throw new DistError(
          `${name}/${file} cannot be fetched: ${errorOf(error).message || 'no connection'}`,
        );
      }
    },
  };
}
