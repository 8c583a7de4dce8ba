/** A request that two programs could read differently; `HIDDEN` is where another request is hidden. */
interface Form {
  name: string;
  bytes: string;
}

const START = 'POST /signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n';
const READ = 'GET /api/games HTTP/1.1\r\nHost: x\r\nX-API-Key: KEY\r\n';
const LENGTHS = [
  '+0',
  '-0',
  '0x0',
  '0, 0',
  '0,5',
  ' 0 0',
  '0\r\nContent-Length: 5',
  '5\r\nContent-Length: 0',
  '18446744073709551616',
  '4294967296',
  '9007199254740993',
  '0;',
  '"0"',
  '0\x0b',
  '0_0',
  '1e1',
  '',
];
const CODINGS = [
  'chunked',
  ' chunked',
  '\tchunked',
  'Chunked',
  'chunked ',
  'xchunked',
  'chunked, identity',
  'identity, chunked',
  'chunked\r\nTransfer-Encoding: identity',
  'identity\r\nTransfer-Encoding: chunked',
  'gzip, chunked',
  'chunked;q=1',
  'chunked,',
  ',chunked',
  '"chunked"',
  '\x0bchunked',
  'chun\0ked',
  'chunked\r\nTransfer-Encoding: chunked',
  '\r\n chunked',
];
const NAMES = [
  'Transfer-Encoding',
  'Transfer-Encoding ',
  ' Transfer-Encoding',
  '\tTransfer-Encoding',
  'Transfer_Encoding',
  'Transfer\rEncoding',
  'Transfer-Encoding\t',
  'X: y\nTransfer-Encoding',
  'X: y\rTransfer-Encoding',
  'Transfer-Encoding\0',
  'TRANSFER-ENCODING',
];
const SIZES = [
  '0 ',
  ' 0',
  '0x0',
  '-0',
  '+0',
  '0\n',
  '0\r\r',
  '0;\n',
  '0;a="\r\n"',
  '100000000',
  'ffffffffffffffff',
  '10000000000000000',
  'g',
  '',
  '0\0',
  '0;\x00',
  '1;\r\nx',
];
const LINES = [
  'GET http://x/api/games HTTP/1.1',
  'GET  /api/games HTTP/1.1',
  'GET /api/games  HTTP/1.1',
  'GET\t/api/games\tHTTP/1.1',
  'GET /api/games HTTP/1.1 ',
  'GET /api/games',
  'GET /api/games HTTP/0.9',
  'GET /api/games HTTP/1.10',
  'GET /api/games HTTP/01.1',
  'GET /api/games http/1.1',
  'GET //x/api/games HTTP/1.1',
  'GET /api/games#x HTTP/1.1',
  'GET /api/games?a b HTTP/1.1',
  'GET /api/\u00e9 HTTP/1.1',
  '\r\nGET /api/games HTTP/1.1',
  '\nGET /api/games HTTP/1.1',
  'GET x:80 HTTP/1.1',
  'GET * HTTP/1.1',
  'CONNECT x:80 HTTP/1.1',
  'G\0ET / HTTP/1.1',
  'GET /\0 HTTP/1.1',
];
const FIELDS = [
  'Host: y',
  'Host: x, y',
  'Host : x',
  ' Host: y',
  'Host:\r\n y',
  'host: y',
  'Host: x/../y',
  'Host: x@y',
  'Host: ',
  'Host:\0x',
  'X: a\r\n b',
  'X: a\n b',
  'X: a\r b',
  'X',
  ': x',
  'X\0: y',
  'X: \0',
  `X: ${'a'.repeat(70_000)}`,
  `X${'a'.repeat(70_000)}: y`,
  'X: a\nHost: y',
  'Connection: close, keep-alive',
  'Connection: Host',
  'Connection: X-API-Key',
  'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked',
  'Expect: 100-continue\r\nContent-Length: 5',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
  'Trailer: X-API-Key\r\nTransfer-Encoding: chunked',
  'Content-Length: 0\r\nContent-Length: 0',
  'Max-Forwards: 0',
  'X-HTTP-Method-Override: DELETE',
];

/** Every form. What follows the head is a body in one reading, and another request in the other. None is a valid pipeline of both. */
export const SMUGGLING_FORMS: readonly Form[] = [
  ...LENGTHS.flatMap((length) => [
    form(`Content-Length: ${length}`, `${START}Content-Length: ${length}\r\n\r\nHIDDEN`),
    form(
      `Content-Length: ${length}, and chunked`,
      `${START}Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHIDDEN`,
    ),
  ]),
  ...CODINGS.flatMap((coding) => [
    form(
      `a length and Transfer-Encoding: ${coding}`,
      `${START}Content-Length: 5\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\nHIDDEN`,
    ),
    form(
      `a read with Transfer-Encoding: ${coding}`,
      `${READ}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\nHIDDEN`,
    ),
  ]),
  ...NAMES.map((name) =>
    form(`${name}: chunked`, `${START}Content-Length: SIZE\r\n${name}: chunked\r\n\r\n0\r\n\r\nHIDDEN`),
  ),
  ...SIZES.map((size) =>
    form(`a chunk of ${size}`, `${START}Transfer-Encoding: chunked\r\n\r\n${size}\r\n\r\nHIDDEN`),
  ),
  ...LINES.map((line) =>
    form(line, `${line}\r\nHost: x\r\nX-API-Key: KEY\r\nContent-Length: SIZE\r\n\r\nHIDDEN`),
  ),
  ...FIELDS.map((field) => form(field, `${READ}${field}\r\nContent-Length: SIZE\r\n\r\nHIDDEN`)),
  form('a bare line feed after the head', `${START.replaceAll('\r\n', '\n')}Content-Length: SIZE\n\nHIDDEN`),
  form(
    'HTTP/1.0 with chunks',
    `${START.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nHIDDEN`,
  ),
  form('a thousand header fields', `${READ}${'X: y\r\n'.repeat(3000)}Content-Length: SIZE\r\n\r\nHIDDEN`),
  form(
    'a chunk extension without end',
    `${START}Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(100_000)}\r\nx\r\n0\r\n\r\nHIDDEN`,
  ),
  form(
    'many tiny chunks',
    `${START}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`,
  ),
  form(
    'a trailer that is a header field',
    `${START}Transfer-Encoding: chunked\r\n\r\n0\r\nX-API-Key: KEY\r\nHost: y\r\n\r\n`,
  ),
];

function form(name: string, bytes: string): Form {
  return { name, bytes };
}

/** Fills a form. @param hidden the request that must get no response */
export function fillForm({ bytes }: Form, key: string, hidden: string): Buffer {
  const filled = bytes.replace('KEY', key).replace('SIZE', String(hidden.length)).replace('HIDDEN', hidden);
  return Buffer.from(filled, 'latin1');
}
