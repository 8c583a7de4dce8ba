import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { boundSource } from '../../../gateway/catalog/bounded-source.ts';
import { DistError } from '../../../gateway/catalog/dist-folder.ts';
import { httpSource } from '../../../gateway/catalog/http-source.ts';

const source = suite('a dist on a web server');

source('fails to read from a server that switches protocols', async () => {
  const switching = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    );
  }).listen(0, '127.0.0.1');
  await once(switching, 'listening');
  const { port } = switching.address() as AddressInfo;
  const { read } = boundSource(httpSource(`http://127.0.0.1:${port}`));
  const error: unknown = await read('index.json', 1000).catch((reason: unknown) => reason);
  assert.instance(error, DistError);
  assert.match(
    (error as Error).message,
    /index\.json cannot be fetched: the connection closed without a response/,
  );
  switching.close();
});

source.run();
