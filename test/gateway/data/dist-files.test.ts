import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filesOf } from '../../../scripts/format/dist-format.ts';
import { gameFiles, inFolder } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const test = suite<{ gateway: TestGateway; file: string; good: Buffer }>('files of dist');
test.before.each(async (context) => {
  context.gateway = await startGateway(inFolder('mini', gameFiles()));
  const { dist, follower } = context.gateway;
  const snapshot = follower.catalog.loaded
    .flatMap(({ entry }) => filesOf(entry).map(({ file }) => file))
    .find((name) => /snapshot\S+gz$/.test(name));
  context.file = path.join(dist, snapshot ?? '');
  context.good = await readFile(context.file);
});
test.after.each(({ gateway }) => gateway.stop());

/** Changes one byte but not the length, like a failing disk. */
function damage(good: Buffer): Buffer {
  const damaged = Buffer.from(good);
  damaged.writeUInt8(good.readUInt8(3) ^ 1, 3);
  return damaged;
}

/** Replaces a file, like a new build or a mirror. */
async function replace(file: string, content: Buffer): Promise<void> {
  await writeFile(`${file}.new`, content);
  await rename(`${file}.new`, file);
}

const statusOf = async (gateway: TestGateway) =>
  (await gateway.ask('/api/mini/snapshot/1.0', { headers: { 'accept-encoding': 'identity' } })).status;

test('a damaged snapshot is a 503 and is reported, until it is replaced', async ({ gateway, file, good }) => {
  await replace(file, damage(good));
  assert.is(await statusOf(gateway), 503);
  assert.is(await statusOf(gateway), 503);
  await until(() => gateway.follower.degraded.length > 0);
  const [part, ...others] = gateway.follower.degraded;
  assert.is(part?.game, 'mini');
  assert.match(
    part?.problem ?? '',
    /snapshot\S+ is damaged \(its SHA-256 differs\): delete it and run gamedata build$/,
  );
  assert.equal(others, []);
  assert.is(gateway.logged.filter((line) => line.includes('a file of dist is damaged')).length, 1);
  await replace(file, good);
  await until(async () => (await statusOf(gateway)) === 200 && gateway.follower.degraded.length === 0);
});

test.run();
