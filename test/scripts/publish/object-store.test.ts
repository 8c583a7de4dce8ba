import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectStore } from '../../../scripts/publish/object-store.ts';
import { listen } from '../../support/listen.ts';

const NAMES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

const test = suite('a bucket whose store is gone for a moment');
test.before(() => {
  for (const name of NAMES) process.env[name] = 'test';
});
test('a request whose connection closes without a response is sent again', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const isFirst = connections === 1;
    socket.on('error', () => {});
    // Node closes a connection that switches protocols, with no error of its own.
    const response = isFirst
      ? 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'
      : 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nwhole';
    socket.once('data', () => socket.write(response));
  });
  const bytes = await new ObjectStore('s3://bucket', await listen(server)).read('index.json');
  assert.equal([connections, String(bytes)], [2, 'whole']);
});

test('a file that a store without XML does not have is absent, and no address leaves its bucket', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'));
  });
  const store = new ObjectStore('s3://bucket/a.b', await listen(server));
  assert.is(await store.read('index.json'), undefined);
  server.close();
  assert.throws(() => new ObjectStore('s3://games/../other'), 'is not the address of a bucket');
});

test.run();
