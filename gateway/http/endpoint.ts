import type { IncomingMessage, ServerResponse } from 'node:http';

/** Handles one method of an address. An error that it throws is sent as a problem. */
export type EndpointHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** An address outside of the API, with a handler for each of its methods. HEAD is handled as GET. */
export interface Endpoint {
  path: string;
  get?: EndpointHandler;
  post?: EndpointHandler;
}

/** Returns an endpoint's methods as the header field Allow lists them. */
export function allowedMethods({ get, post }: Endpoint): string {
  return [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : []), 'OPTIONS'].join(', ');
}
