import {
  openObjectStore,
  readBody,
  StoreRefusalError,
  sendRequest,
} from '../../scripts/publish/object-store.ts';
import { errorOf } from '../../scripts/system.ts';
import { DistError } from '../data/dist-files.ts';

/** A published dist/ on another machine. */
export interface DistSource {
  /** Its name for messages, without a password. */
  name: string;
  /**
   * Reads a file of at most `limit` bytes within `maxMs`.
   *
   * @throws UnreachableError if the source cannot be reached, DistError if only this file is faulty
   */
  read(file: string, limit: number, maxMs: number): Promise<Buffer>;
}

/** The source does not respond, so other files need not be tried. */
export class UnreachableError extends DistError {}

/** Larger files cannot be served: the longest string in JavaScript has this length. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * Opens a published dist/.
 *
 * @param address `http(s)://…`, where a user name and password are sent (RFC 7617), or `s3://bucket/prefix`
 * @param endpoint of an S3-compatible store other than AWS
 * @throws DistError when it is not an address
 */
export function openSource(address: string, endpoint: string | undefined): DistSource {
  const { name, fetch } = /^https?:/i.test(address) ? webServer(address) : bucket(address, endpoint);
  return {
    name,
    async read(file, limit, maxMs) {
      const failed = `${name}/${file} cannot be fetched`;
      if (limit > MAX_FILE_BYTES)
        throw new DistError(
          `${failed}: it has ${limit} bytes according to its index, expected ${MAX_FILE_BYTES} at most`,
        );
      const signal = AbortSignal.timeout(Math.ceil(maxMs));
      try {
        return await fetch(file, limit, signal);
      } catch (error) {
        if (signal.aborted)
          throw new DistError(`${failed}: it was not whole after ${Math.ceil(maxMs / 1000)} s`);
        const isOfFile = error instanceof RefusedFile || error instanceof StoreRefusalError;
        const message = `${failed}: ${errorOf(error).message || 'no connection'}`;
        throw isOfFile ? new DistError(message) : new UnreachableError(message);
      }
    },
  };
}

/** The source responds, but does not return the file. */
class RefusedFile extends Error {}

interface Opened {
  name: string;
  fetch: (file: string, limit: number, signal: AbortSignal) => Promise<Buffer>;
}

function webServer(address: string): Opened {
  if (!URL.canParse(address))
    throw new DistError('--dist is not an address; expected one such as https://example.org/dist');
  const base = new URL(address);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const shown = new URL(base);
  shown.username = '';
  shown.password = '';
  return {
    name: shown.href.replace(/\/$/, ''),
    async fetch(file, limit, signal) {
      const response = await sendRequest(new URL(file, base), { signal });
      if (response.statusCode !== 200) {
        response.resume();
        throw new RefusedFile(`the server responds ${response.statusCode}, expected 200`);
      }
      const body = await readBody(response, limit);
      if (body === undefined) throw new RefusedFile(`it has more than ${limit} bytes`);
      return body;
    },
  };
}

function bucket(address: string, endpoint: string | undefined): Opened {
  const store = openObjectStore(address, endpoint);
  if (!store)
    throw new DistError(`--dist ${address} is not the address of a bucket, expected s3://bucket/prefix`);
  return {
    name: store.name,
    async fetch(file, limit, signal) {
      const bytes = await store.read(file, limit, signal).catch((error: unknown) => {
        throw error instanceof RangeError ? new RefusedFile(error.message) : error;
      });
      if (bytes === undefined) throw new RefusedFile('there is no such file');
      return bytes;
    },
  };
}
