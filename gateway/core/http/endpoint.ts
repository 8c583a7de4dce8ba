import type { ServerResponse } from 'node:http';
import type { Incoming } from './incoming.ts';

/** Handles one method of an address. An error that it throws is sent as a problem. */
export type EndpointHandler = (request: Incoming, response: ServerResponse) => Promise<void>;

/** Responds with a file, or calls `next` if there is none. */
export type FileHandler = (request: Incoming, response: ServerResponse, next: () => void) => void;

/** An address outside of the API, with a handler for each of its methods. HEAD is handled as GET. */
export interface Endpoint {
  /** Exact, with `:name` for parameters. */
  path: string;
  get?: EndpointHandler;
  post?: EndpointHandler;
}

/** Returns an endpoint's methods as the header field Allow lists them. */
export function allowedMethods({ get, post }: Endpoint): string {
  return [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : []), 'OPTIONS'].join(', ');
}
