import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPage, readTable } from '../../docs/pages.ts';
import { startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { withFolder } from '../../support/fixtures.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';

const metrics = suite('the metrics of a gateway');

/** Serves the sample games, and gives the addresses of the gateway and of its metrics. */
async function serve(
  args: readonly string[],
  use: (address: string, metrics: string) => Promise<void>,
): Promise<void> {
  await withFolder({}, async (folder) => {
    await buildGames(SAMPLE_GAMES, path.join(folder, 'dist'));
    const places = ['--dist', path.join(folder, 'dist'), '--store', path.join(folder, 'store')];
    const ports = ['--port', '0', '--metrics-port', '0'];
    const running = startCommand('gateway', ['serve', ...places, ...ports, ...args]);
    try {
      const [, port = ''] = await running.printed(/"message":"metrics","address":"(http:[^"]+)"/);
      const [, address = ''] = await running.printed(/"message":"listening","address":"(http:[^"]+)"/);
      await use(address, port);
    } finally {
      running.child.kill('SIGTERM');
      await running.ended;
    }
  });
}

const read = async (address: string) => (await fetch(`${address}/metrics`)).text();

const HEALTH = 'gateway_requests_total{route="/healthz",tier="none",status="200"} 3';

metrics('are ten of its own, each of them documented, beside those of Node.js', async () => {
  await serve([], async (address, port) => {
    for (let sent = 0; sent < 3; sent++) await fetch(`${address}/healthz`);
    const body = new URLSearchParams({ key: 'gdr_wrong' });
    await fetch(`${address}/keys/revoke`, { method: 'POST', body });
    const text = await read(port);
    const own = [...text.matchAll(/^# TYPE (gateway_\w+)/gm)].map(([, name]) => name);
    const documented = readTable(await readPage('docs/operators/night.md'), '| metric |');
    assert.equal(own.sort(), documented.map(([name = '']) => name.replaceAll('`', '')).sort());
    assert.is(own.length, 10);
    for (const line of [HEALTH, 'gateway_ready 1', 'gateway_store_up 1', 'gateway_dist_failing 0'])
      assert.ok(text.includes(`${line}\n`), line);
    assert.match(text, /^gateway_build_info\{game="star-rail",tier="pro",build="[\d.]+"\} 1$/m);
    assert.match(text, /^gateway_bad_keys\{result="refused"\} 1$/m);
    assert.match(text, /^process_resident_memory_bytes \d+/m);
  });
});

metrics('of several workers are shown in one scrape', async () => {
  await serve(['--workers', '2'], async (address, port) => {
    for (let sent = 0; sent < 3; sent++)
      await fetch(`${address}/healthz`, { headers: { connection: 'close' } });
    await until(async () => (await read(port)).includes(HEALTH));
  });
});

metrics.run();
