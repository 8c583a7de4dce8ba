import { type RequestOptions, request } from 'node:http';

/** A response as node:http reads it, not decoded. */
export interface PlainResponse {
  status: number;
  headers: Record<string, string | undefined>;
  body: Buffer;
}

/** Sends a request without the headers and the decoding that fetch adds. */
export function sendPlainly(
  address: string,
  options: RequestOptions & { body?: string } = {},
): Promise<PlainResponse> {
  return new Promise((resolve, reject) => {
    const { body, ...rest } = options;
    const sent = request(address, rest, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as PlainResponse['headers'],
          body: Buffer.concat(parts),
        }),
      );
    });
    sent.on('error', reject).end(body);
  });
}
