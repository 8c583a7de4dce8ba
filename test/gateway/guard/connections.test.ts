import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Connections } from '../../../gateway/guard/connections.ts';
import { block } from '../../support/block.ts';

const test = suite('connections');

test('that drain respond to requests that arrived while the process was busy, however long it was', async () => {
  const server = createServer((_, response) => response.end('response'));
  const connections = new Connections(server, 30_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await Promise.all([accepted, once(socket, 'connect')]);

  const drained = connections.drain(10_000);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  block(500);
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  assert.match(Buffer.concat(parts).toString(), /^HTTP\/1.1 200 /);
  await drained;
});

test('that are closed end the current response and the one that waits for it', async () => {
  const responses: ServerResponse[] = [];
  const server = createServer(({ socket }, response) => {
    connections.begin(socket, response);
    if (responses.push(response) === 2) server.emit('both');
  });
  const connections = new Connections(server, 30_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const both = once(server, 'both');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
  await both;

  const closed = Promise.all(responses.map((response) => once(response, 'close')));
  socket.destroy();
  await closed;
  await connections.drain(10_000);
  assert.equal(
    responses.map(({ destroyed }) => destroyed),
    [true, true],
  );
});

test.run();
