import type { Exchange } from '../support/exchange.ts';

/** What random requests are made of. */
export interface RequestParts {
  /** Addresses of the gateway. */
  paths: readonly string[];
  keys: readonly string[];
}

/** A request, and whether the gateway may reset its connection. */
export interface RandomRequest extends Exchange {
  /**
   * A head that is refused, or of another version than HTTP/1.1, ends its connection, and a large body may still be on its way. HTTP
   * allows to close then although the client may lose the response (RFC 9112, 9.6).
   */
  mayReset: boolean;
}

type Random = () => number;

const LARGE_BYTES = 900_000;
const METHODS = 'GET GET GET GET GET GET HEAD POST POST OPTIONS PUT DELETE TRACE CONNECT PROPFIND BREW'.split(
  ' ',
);
const VERSIONS = '1.1 1.1 1.1 1.1 1.1 1.0 0.9 2.0'.split(' ');
const RANGES = [
  'bytes=5-2',
  'bytes=0-0',
  'bytes=-5',
  'bytes=-0',
  'bytes=999999-',
  'bytes=0-1,3-4',
  'bytes=a-b',
  'bytes=9007199254740993-9007199254740999',
  'bytes=5--2',
  'lines=1-2',
  '',
];
/** Fields with which the length of a body is not known, and one that no field may have. */
const REFUSED = ['Transfer-Encoding: gzip', 'Content-Length: -1', 'X-Request-Id: \x7f'];
const FIELDS: readonly (readonly string[])[] = [
  RANGES.map((range) => `Range: ${range}`),
  ['If-Range: "x"', 'If-Range: Sun, 06 Nov 1994 08:49:37 GMT'],
  ['If-None-Match: *', 'If-None-Match: "x", W/"y"', 'If-None-Match: ,,'],
  ['Accept: text/html', 'Accept: */*', 'Accept: ;;,q=', 'Accept: application/json-patch+json'],
  ['Accept-Encoding: gzip', 'Accept-Encoding: br;q=0, *', 'Accept-Encoding: ;q=x'],
  [
    'Connection: close',
    'Connection: keep-alive',
    'Connection: Upgrade\r\nUpgrade: websocket',
    'Connection: ,',
  ],
  ['Expect: 100-continue', 'Expect: nothing'],
  ['Cookie: a=b; =; %', 'Origin: null', 'Sec-Fetch-Site: cross-site'],
  ['X-Forwarded-For: nonsense, 10.0.0.1', 'X-Request-Id: \x7f', `X-Request-Id: ${'i'.repeat(300)}`],
  ['Last-Event-ID: -1', 'TE: trailers', 'Transfer-Encoding: gzip', 'Content-Length: -1'],
  ['Content-Type: application/x-www-form-urlencoded', 'Content-Type: ;', 'Content-Type: application/json'],
];

/** Makes a request that may be wrong in any way: its line, its header fields, its body, or any byte of its head. */
export function randomRequest({ paths, keys }: RequestParts, random: Random): RandomRequest {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const chance = (share: number) => random() < share;
  const method = pick(METHODS);
  const fields = FIELDS.flatMap((values) => (chance(0.2) ? pick(values) : []));
  if (chance(0.95)) fields.push('Host: x');
  if (chance(0.05)) fields.push('Host: y');
  if (chance(0.8)) fields.push(`X-API-Key: ${pick(keys)}`);
  const { announced, body, isWhole } = randomBody(method === 'POST' ? 0.8 : 0.2, random);
  const target = randomTarget(pick(paths), random);
  const version = pick(VERSIONS);
  const line = `${method} ${target} HTTP/${version}`;
  const head = Buffer.from([line, ...fields, ...announced, '', ''].join('\r\n'), 'latin1');
  const isDamaged = chance(0.2);
  if (isDamaged) head[Math.floor(random() * head.length)] = Math.floor(random() * 256);
  const isUnknown = ['BREW', 'CONNECT'].includes(method) || target === 'x:443';
  const isHttp = !isUnknown && version === '1.1' && !fields.some((field) => REFUSED.includes(field));
  const isDoubtful = isDamaged || !isWhole || fields.some((field) => field.startsWith('Content-Length'));
  return {
    bytes: Buffer.concat([head, body]),
    isHead: method === 'HEAD',
    endsEarly: isDoubtful || chance(0.2),
    mayReset: (isDamaged || !isHttp) && body.length >= LARGE_BYTES,
  };
}

function randomTarget(path: string, random: Random): string {
  const forms = [
    path,
    path,
    path,
    `${path}?`,
    `${path}?a=%zz&limit=-1`,
    `${path}/`,
    `http://x${path}`,
    path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    `${path}%`,
    `${path}?q=${'a'.repeat(9000)}`,
    '*',
    'x:443',
  ];
  return forms[Math.floor(random() * forms.length)] as string;
}

/** @param share how many requests have a body */
function randomBody(share: number, random: Random): { announced: string[]; body: Buffer; isWhole: boolean } {
  if (random() >= share) return { announced: [], body: Buffer.alloc(0), isWhole: true };
  const form = 'email=ada%40example.org&token=x';
  const sized = (length: number, body: string | Buffer, isWhole: boolean) => ({
    announced: [`Content-Length: ${length}`],
    body: Buffer.from(body),
    isWhole,
  });
  const chunked = (body: string, isWhole: boolean) => ({
    announced: ['Transfer-Encoding: chunked'],
    body: Buffer.from(body),
    isWhole,
  });
  const chunk = `${form.length.toString(16)}\r\n${form}\r\n`;
  const kinds = [
    () => sized(form.length, form, true),
    () => sized(LARGE_BYTES, Buffer.alloc(LARGE_BYTES, 'a'), true),
    () => sized(form.length + 10, form, false),
    () => sized(form.length - 10, form, false),
    () => chunked(`${chunk}0\r\n\r\n`, true),
    () => chunked(`${chunk}zz\r\n`, false),
    () => chunked(chunk, false),
    () => chunked(`${LARGE_BYTES.toString(16)}\r\n${'a'.repeat(LARGE_BYTES)}\r\n0\r\n\r\n`, true),
  ];
  return (kinds[Math.floor(random() * kinds.length)] as (typeof kinds)[0])();
}
