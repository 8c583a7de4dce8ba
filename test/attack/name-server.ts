import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** A name server whose answers may change with each question. */
export interface NameServer {
  port: number;
  close(): void;
}

const TYPE_A = 1;
const TYPE_AAAA = 28;
const HEADER_BYTES = 12;
/** A response to a recursive query; with the last bits 3, the name does not exist. */
const FOUND = 0x8180;
const NOT_FOUND = 0x8183;

/**
 * Starts a name server.
 *
 * @param find returns the addresses of a name when it is asked for the nth time, from 0
 */
export async function startNameServer(
  find: (name: string, nth: number) => readonly string[],
): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const question = `${name} ${type}`;
    const nth = asked.get(question) ?? 0;
    asked.set(question, nth + 1);
    const all = find(name.toLowerCase(), nth);
    const kind = type === TYPE_A ? 'ipv4' : 'ipv6';
    const found = all.map((text) => ipaddr.parse(text)).filter((parsed) => parsed.kind() === kind);
    const isKnown = all.length > 0 && (type === TYPE_A || type === TYPE_AAAA);
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(isKnown ? FOUND : NOT_FOUND, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(isKnown ? found.length : 0, 6);
    const records = isKnown ? found.map((parsed) => makeRecord(type, Buffer.from(parsed.toByteArray()))) : [];
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => socket.close() };
}

/** Reads the name and the type that a query asks for, and where the question ends (RFC 1035, 4.1.2). */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A record of the name in the question, valid for 0 seconds. */
function makeRecord(type: number, address: Buffer): Buffer {
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length]);
  return Buffer.concat([head, address]);
}
