import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLinks, nginxScheme } from '../../../gateway/api/links.ts';
import { BULK_FORMATS, type FileRef, TABLE_FORMATS } from '../../../scripts/format/dist-format.ts';
import { publish } from '../../../scripts/publish/publish.ts';
import { FolderTarget } from '../../../scripts/publish/targets.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { NOON } from '../../support/harness.ts';
import { startNginx } from '../../support/nginx-server.ts';
import { OVER_TIME } from '../../support/over-time.ts';
import { sendPlainly } from '../../support/plain-request.ts';
import { SILENT } from '../../support/silent.ts';
import { withPrograms } from '../../support/skip.ts';

const SECRET = 'a-secret-of-tests';
const nginx = suite('links on nginx');

interface World {
  /** The address of the nginx. */
  address: string;
  /** The folder that it serves. */
  folder: string;
  /** Its snapshots, not compressed. */
  snapshots: FileRef[];
  /** What it has in other formats. */
  others: FileRef[];
  /** Signs an address as a gateway does. */
  sign(file: string): Promise<string>;
}

/** Starts the nginx of docs/operators/stores.md over the snapshots of a game. */
async function withNginx(use: (world: World) => Promise<void>): Promise<void> {
  const root = await mkdtemp(path.join(tmpdir(), 'cdn-'));
  const [dist, folder] = [path.join(root, 'dist'), path.join(root, 'cdn')];
  const server = await startNginx('cdn', { '/srv/cdn;': `${folder};`, THE_SECRET: SECRET });
  const links = createLinks(Date.now, nginxScheme(server.address, SECRET));
  try {
    await buildGames(OVER_TIME, dist, BULK_FORMATS);
    const options = { dist, snapshots: true, prune: false, verify: false, now: NOON };
    const { files } = await publish(new FolderTarget(folder), options, SILENT);
    await use({
      address: server.address,
      folder,
      snapshots: files.filter(({ file }) => file.endsWith('.json')),
      others: files.filter(({ file }) => !file.endsWith('.json')),
      sign: async (file) => (await links.issue(file)).url,
    });
  } finally {
    await server.remove();
    await rm(root, { recursive: true });
  }
}

const register = withPrograms(nginx, 'nginx');

register('lead to the same bytes, plain or as gzip', () =>
  withNginx(async ({ snapshots: [snapshot], sign }) => {
    const { file, bytes, sha256 } = snapshot as FileRef;
    const url = await sign(file);
    const plain = await sendPlainly(url);
    assert.equal(
      [plain.status, plain.body.length, plain.headers['content-type']],
      [200, bytes, 'application/json'],
    );
    assert.is(createHash('sha256').update(plain.body).digest('hex'), sha256);
    const zipped = await sendPlainly(url, { headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal([zipped.status, zipped.headers['content-encoding']], [200, 'gzip']);
    assert.ok(gunzipSync(zipped.body).equals(plain.body));
    const part = await sendPlainly(url, { headers: { Range: 'bytes=5-9' } });
    assert.equal([part.status, part.body.toString()], [206, plain.body.subarray(5, 10).toString()]);
  }),
);

register('lead to builds in other formats, and to single collections', () =>
  withNginx(async ({ others, sign }) => {
    const kinds = new Set(others.map(({ file }) => file.replace(/^saga\/|\.[0-9a-f]{32}/g, '')));
    const tables = TABLE_FORMATS.flatMap((format) => [
      `bulk.${format}.zip`,
      ...['characters', 'dataset.items', 'dataset.pull_planner'].map((name) => `${name}.${format}`),
    ]);
    assert.equal([...kinds].sort(), [...tables, 'bulk.sqlite'].sort());
    for (const { file, sha256 } of others) {
      const { status, body } = await sendPlainly(await sign(file));
      assert.is(status, 200, file);
      assert.is(createHash('sha256').update(body).digest('hex'), sha256, file);
    }
  }),
);

register('are refused if they are expired, changed, for another file, or not signed', () =>
  withNginx(async ({ address, folder, snapshots, sign }) => {
    const [file = '', other = ''] = snapshots.map((snapshot) => snapshot.file);
    const url = await sign(file);
    const scheme = nginxScheme(address, SECRET);
    const query = url.slice(url.indexOf('?'));
    const seconds = Math.floor(Date.now() / 1000);
    const statusOf = async (target: string) => (await sendPlainly(target)).status;
    assert.is(await statusOf(url), 200);
    assert.is(await statusOf(scheme.sign(file, seconds - 60) as string), 410);
    const WRONG = [
      `${address}/${other}${query}`,
      url.replace(/expires=\d+/, `expires=${seconds + 6000}`),
      url.replace('md5=', 'md5=A'),
      url.replace(/md5=[^&]+/, 'md5='),
      url.replace(/md5=[^&]+&/, ''),
      url.replace(/\?.*/, ''),
    ];
    for (const wrong of WRONG) assert.is(await statusOf(wrong), 403, wrong);
    const folders = [
      '/',
      '/saga',
      '/saga/',
      `/${query}`,
      `/saga/${query}`,
      '/index.json',
      `/index.json${query}`,
    ];
    for (const listing of folders) assert.is(await statusOf(address + listing), 404, listing);
    await writeFile(path.join(folder, 'index.json'), '{}');
    assert.is(await statusOf(await sign('index.json')), 404);
    for (const name of await readdir(path.join(folder, 'saga'))) {
      assert.is(await statusOf(await sign(`saga/${name}`)), 200, name);
      assert.is(await statusOf(await sign(`saga/${name}.gz`)), 404, name);
    }
  }),
);

nginx('keep the path of a CDN’s address', async () => {
  const sign = nginxScheme('https://cdn.example.org/a%20b', SECRET).sign('saga/snapshot.json', 7);
  const md5 = createHash('md5').update(`7/a b/saga/snapshot.json ${SECRET}`).digest('base64url');
  assert.is(sign, `https://cdn.example.org/a%20b/saga/snapshot.json?md5=${md5}&expires=7`);
});

nginx.run();
