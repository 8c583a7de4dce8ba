import type { IncomingMessage } from 'node:http';
import { readKey } from '../../access/api-key.ts';
import { type BadAttempts, networkOf } from '../../access/attempts.ts';
import { revokeHeldKey } from '../../access/key-options.ts';
import { readBody } from '../../http/html.ts';
import type { ClientAddress, Endpoint } from '../../http/incoming.ts';
import type { Log } from '../../http/log.ts';
import { HttpProblem } from '../../http/problem.ts';
import type { Store } from '../../store/sql.ts';
import { FORM_TYPE, readFields } from '../web/form.ts';

/** What the endpoint needs. */
export interface RevocationServices {
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  clientAddress: ClientAddress;
  /** Counts keys that do not work. */
  badAttempts: BadAttempts;
}

/** The endpoint's path. */
export const REVOKE_KEY = '/keys/revoke';

const PUBLIC =
  'is that of a browser key, which is public by design; only its account holder can revoke it, on /account, or the operator of this gateway';

const JSON_TYPE = 'application/json';
const MAX_BODY_BYTES = 4096;

/** Makes the endpoint that revokes the key in its body, JSON or a form. README.md says what its response reveals. */
export function revocationEndpoint(services: RevocationServices): Endpoint {
  const { store, log, clientAddress, badAttempts } = services;
  return {
    path: REVOKE_KEY,
    async post(request, response) {
      const address = clientAddress(request);
      const name = readKey((await readKeyIn(request)).trim());
      if (name === undefined) {
        badAttempts.refuse(address, 'this is not a well-formed key');
        throw invalidKey('is not a well-formed key, expected one whole key as it was issued');
      }
      const actor = { by: 'key-holder', network: networkOf(address) } as const;
      const outcome = await store.transaction((sql) => revokeHeldKey(sql, name.hash, actor));
      if (outcome === 'browser key') throw invalidKey(PUBLIC);
      if (outcome === 'revoked') log.info('a key was revoked by a client that sent it', { key: name.prefix });
      else badAttempts.refuse(address, 'this key does not work');
      response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
    },
  };
}

/** Reads the member or field `key` of a request's body. */
async function readKeyIn(request: IncomingMessage): Promise<string> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  switch (type.trim().toLowerCase()) {
    case JSON_TYPE:
      return readMember((await readBody(request, MAX_BODY_BYTES)).toString());
    case FORM_TYPE:
      return readFields(await readBody(request, MAX_BODY_BYTES)).get('key') ?? missingKey();
    default: {
      const detail = `the body has another media type, expected ${JSON_TYPE} or ${FORM_TYPE}`;
      const headers = { Accept: `${JSON_TYPE}, ${FORM_TYPE}`, Connection: 'close' };
      throw new HttpProblem('unsupported-media-type', detail, {}, headers);
    }
  }
}

function readMember(text: string): string {
  const { key } = parseObject(text) as { key?: unknown };
  return typeof key === 'string' ? key : missingKey();
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The error would repeat a part of the body.
  }
  return missingKey();
}

function missingKey(): never {
  throw invalidKey('is missing, expected {"key": "gdr_…"} or the form key=gdr_…');
}

function invalidKey(what: string): HttpProblem {
  return new HttpProblem('invalid-parameter', `the member "key" of the body ${what}`, { parameter: 'key' });
}
