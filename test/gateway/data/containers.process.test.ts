import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcess } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { startFileServer } from '../../support/file-server.ts';
import { testInNamespaces } from '../../support/namespaces.ts';
import { OVER_TIME } from '../../support/over-time.ts';
import { BUILD } from '../../support/paths.ts';

const GATEWAYS = 4;
/** Opens a dist/ from a web server, as a gateway does when it starts. */
const PROGRAM = `
  import { readdir } from 'node:fs/promises';
  import { follow } from './gateway/mirror/remote-dists.js';
  const [address, cache, count] = process.argv.slice(1);
  const log = { info() {}, error: (message, fields) => console.log(JSON.stringify(fields)), access() {} };
  const follower = await follow(address, { cache, now: Date.now, log });
  console.log(process.pid + ' serves ' + follower.catalog.loaded.length);
  const present = async () => (await readdir(cache, { recursive: true })).filter((name) => !/^\\.|tmp$/.test(name));
  // Past builds follow in the background.
  while ((await present()).length < Number(count)) await new Promise((resolve) => setTimeout(resolve, 20));
  follower.close();
  process.exit();`;

const test = suite('gateways in containers');

testInNamespaces(test, 'that are all process 1 and share a cache folder start at once', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'containers-'));
  const dist = path.join(folder, 'dist');
  const cache = path.join(folder, 'cache');
  await buildGames(OVER_TIME, dist);
  const count = (await readdir(dist, { recursive: true })).length;
  const server = await startFileServer(dist);
  try {
    const node = [
      process.execPath,
      '--input-type=module',
      '--eval',
      PROGRAM,
      server.address,
      cache,
      String(count),
    ];
    const start = () => startProcess('unshare', ['--pid', '--fork', '--kill-child', ...node], { cwd: BUILD });
    const gateways = await Promise.all(Array.from({ length: GATEWAYS }, () => start().ended));
    for (const { stdout, stderr } of gateways) assert.match(stdout, /^1 serves \d+\n$/, stderr);
    // Names that begin with a dot are the cache's own; one gateway may end while it writes what another one has written.
    const names = (await readdir(cache, { recursive: true })).filter(
      (name) => !name.startsWith('.') && !name.endsWith('.tmp'),
    );
    assert.equal(names.sort(), (await readdir(dist, { recursive: true })).sort());
    const indexes = await Promise.all(
      [cache, dist].map((each) => readFile(path.join(each, 'index.json'), 'utf8')),
    );
    assert.is(indexes[0], indexes[1]);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
});

test.run();
