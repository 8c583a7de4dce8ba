import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { boundSource } from '../../../gateway/mirror/bounded-source.ts';
import { DistError } from '../../../gateway/data/dist-folder.ts';
import { httpSource } from '../../../gateway/mirror/http-source.ts';
import { startSwitching } from '../../support/switching-server.ts';

const source = suite('a dist on a web server');

source('fails to read from a server that switches protocols', async () => {
  const switching = await startSwitching();
  const { read } = boundSource(httpSource(switching.address));
  const error: unknown = await read('index.json', 1000).catch((reason: unknown) => reason);
  assert.instance(error, DistError);
  assert.match(
    (error as Error).message,
    /index\.json cannot be fetched: the connection closed without a response/,
  );
  switching.close();
});

source.run();
