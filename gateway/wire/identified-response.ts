import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';

/** The header field with the id of the request that a response belongs to. */
export const REQUEST_ID = 'X-Request-Id';

/** As `writeHead` of node:http accepts them. */
type WriteHeadArguments = [
  status: number,
  ...rest: (string | OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined)[],
];

/** A response that has the id of its request in its head. */
export class IdentifiedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** It goes into the head unchecked. */
  requestId = '';

  override writeHead(...args: WriteHeadArguments): this {
    const headers = args.at(-1);
    if (Array.isArray(headers)) headers.push(REQUEST_ID, this.requestId);
    else this.setHeader(REQUEST_ID, this.requestId);
    return super.writeHead(...(args as Parameters<ServerResponse['writeHead']>));
  }
}
