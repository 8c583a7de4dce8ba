import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLinks } from '../../gateway/links/shared/links.ts';
import { s3Scheme } from '../../gateway/mirror/s3-scheme.ts';
import type { FileRef } from '../../scripts/format/dist-format.ts';
import { type ObjectStore, openObjectStore } from '../../scripts/publication/object-store.ts';
import { type PublishOptions, publish } from '../../scripts/publish/publish.ts';
import { S3Target } from '../../scripts/publish/s3-target.ts';
import { type Running, startCommand } from '../support/command.ts';
import { buildGames } from '../support/dist-fixture.ts';
import { NOON } from '../support/harness.ts';
import { OVER_TIME } from '../support/over-time.ts';
import { sendPlainly } from '../support/plain-request.ts';
import { type Outcome, runInProcess } from '../support/run-in-process.ts';
import { SILENT } from '../support/silent.ts';
import { withPrograms } from '../support/skip.ts';
import { writeFiles } from '../support/fixtures.ts';
import { type SwiftServer, startSwift } from '../support/swift-server.ts';

const BUCKET = 'games';
const DAY = 86_400_000;

/** One Swift for all tests, because it starts slowly. Each test uses its own prefix. */
let swift: SwiftServer | undefined;
const store = suite<{ folder: string; dist: string }>('object store');
store.before(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 's3-'));
  context.dist = path.join(context.folder, 'dist');
  await buildGames(OVER_TIME, context.dist);
});
store.after(async ({ folder }) => {
  await swift?.remove();
  await rm(folder, { recursive: true });
});
const register = withPrograms(store, 'swift-proxy-server');

async function startOnce(): Promise<SwiftServer> {
  swift ??= await startSwift(BUCKET);
  return swift;
}

async function open(prefix: string): Promise<ObjectStore> {
  const { endpoint } = await startOnce();
  const opened = openObjectStore(`s3://${BUCKET}/${prefix}`, endpoint);
  assert.ok(opened);
  return opened;
}

const OPTIONS: Omit<PublishOptions, 'dist'> = {
  snapshots: false,
  prune: false,
  verify: false,
  dryRun: false,
  now: NOON,
};

async function publishByCommand(address: string, ...args: string[]): Promise<Outcome> {
  const { endpoint, env } = await startOnce();
  return await runInProcess('gamedata', ['publish', address, '--endpoint', endpoint, ...args], { env });
}

async function listKeys(prefix: string): Promise<string[]> {
  const { send } = await startOnce();
  const { body } = await send('GET', `?list-type=2&prefix=${prefix}`);
  return [...String(body).matchAll(/<Key>(.*?)<\/Key>/g)]
    .map(([, key = '']) => key.slice(prefix.length))
    .sort();
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name))).sort();
}

register('gets all of dist/ from gamedata publish, with the headers that the web needs', async ({ dist }) => {
  const { send } = await startOnce();
  const { code, stdout, stderr } = await publishByCommand(`s3://${BUCKET}/all`, '--dist', dist);
  assert.is(code, 0, stderr);
  const files = await listFiles(dist);
  assert.match(stdout, `${files.length - 1} files, 0.`);
  assert.match(stdout, 'the index replaced');
  assert.equal(await listKeys('all/'), [...files, 'published.json'].sort());
  assert.is((await send('HEAD', 'all/published.json')).headers['cache-control'], 'no-cache');
  for (const file of files.filter((name) => /index|roster|snapshot/.test(name))) {
    const { headers, body } = await send('GET', `all/${file}`);
    assert.ok(body.equals(await readFile(path.join(dist, file))), file);
    assert.equal(
      [headers['content-type'], headers['content-encoding'], headers['cache-control']],
      [
        'application/json',
        file.endsWith('.gz') ? 'gzip' : file.endsWith('.br') ? 'br' : undefined,
        file === 'index.json' ? 'no-cache' : 'public, max-age=31536000, immutable',
      ],
    );
  }
  const again = await publishByCommand(`s3://${BUCKET}/all`, '--dist', dist);
  assert.match(again.stdout, /; 0 sent, 0\.00 MB; 0 removed\n$/);
});

register('gets damaged files again when gamedata publish verifies', async ({ dist }) => {
  const { send } = await startOnce();
  await publish(new S3Target(await open('damaged')), { ...OPTIONS, dist }, SILENT);
  const [file = ''] = (await listFiles(dist)).filter((name) => name.includes('/snapshot.'));
  const bytes = await readFile(path.join(dist, file));
  await send('PUT', `damaged/${file}`, 'x'.repeat(bytes.length));
  const sent = async (...args: string[]) =>
    /; (\d+) sent/.exec(
      (await publishByCommand(`s3://${BUCKET}/damaged`, '--dist', dist, ...args)).stdout,
    )?.[1];
  assert.is(await sent(), '0');
  assert.is(await sent('--verify'), '1');
  assert.ok(bytes.equals((await send('GET', `damaged/${file}`)).body));
});

register(
  'is pruned of files that the index no longer names, a day after they were sent',
  async ({ folder, dist }) => {
    const target = new S3Target(await open('pruned'));
    await publish(target, { ...OPTIONS, dist }, SILENT);
    const next = path.join(folder, 'next');
    await buildGames({ ...OVER_TIME, 'saga/game.json': { title: 'Other' } }, next);
    const options = { ...OPTIONS, dist: next, prune: true };
    assert.equal((await publish(target, { ...options, now: Date.now() }, SILENT)).removed, []);
    const { removed } = await publish(target, { ...options, now: Date.now() + 2 * DAY }, SILENT);
    assert.ok(removed.length > 0);
    assert.equal(await listKeys('pruned/'), [...(await listFiles(next)), 'published.json'].sort());
  },
);

register('that cannot be used is reported in one line, with what to do', async ({ dist }) => {
  const { env } = await startOnce();
  const CASES: [string, string[], Record<string, string>, number, RegExp][] = [
    [
      `s3://${BUCKET}/x`,
      [],
      { ...env, AWS_SECRET_ACCESS_KEY: 'wrong' },
      1,
      /cannot (?:publish to|read) .*: .*signature/,
    ],
    ['s3://no-such-bucket', [], env, 1, /cannot (?:publish to|read) s3:\/\/no-such-bucket: .*bucket/],
    [
      `s3://${BUCKET}`,
      ['--endpoint', 'http://127.0.0.1:1'],
      env,
      1,
      /cannot (?:publish to|read) .*: .*ECONNREFUSED/,
    ],
    ['s3:games', [], env, 2, /s3:games is not the address of a bucket, expected s3:\/\/bucket\/prefix/],
  ];
  for (const [address, args, given, expected, message] of CASES) {
    const { endpoint } = await startOnce();
    const options = ['--dist', dist, '--endpoint', endpoint, ...args];
    const { code, stderr } = await runInProcess('gamedata', ['publish', address, ...options], { env: given });
    assert.equal([code, stderr.trimEnd().split('\n').length], [expected, 1], stderr);
    assert.match(stderr, message);
  }
});

register('serves snapshots at presigned addresses, and nothing at others', async ({ dist }) => {
  const opened = await open('cdn');
  const target = new S3Target(opened);
  const { files } = await publish(target, { ...OPTIONS, dist, snapshots: true }, SILENT);
  const [{ file, bytes, sha256 }, other] = files as [FileRef, FileRef];
  let now = Date.now();
  const scheme = s3Scheme(opened, () => now);
  const links = createLinks(() => now, scheme);
  const { url } = await links.issue(file);
  const { status, headers, body } = await sendPlainly(url);
  assert.equal([status, headers['content-type'], body.length], [200, 'application/json', bytes]);
  assert.is(createHash('sha256').update(body).digest('hex'), sha256);

  const statusOf = async (address: string) => (await sendPlainly(address)).status;
  now -= 601_000;
  assert.is(await statusOf((await links.issue(file)).url), 403, 'expired');
  const query = url.slice(url.indexOf('?'));
  const plain = url.slice(0, url.indexOf('?'));
  const WRONG = [
    url.replace(file, other.file),
    url.replace('X-Amz-Expires=600', 'X-Amz-Expires=6000'),
    url.replace(/X-Amz-Signature=./, (found) =>
      found.endsWith('0') ? 'X-Amz-Signature=1' : 'X-Amz-Signature=0',
    ),
    `${plain.replace(file, 'index.json')}${query}`,
    plain,
    ...['/', `/${BUCKET}`, `/${BUCKET}/`, `/${BUCKET}?list-type=2`].map(
      (listing) => new URL(listing, url).href,
    ),
  ];
  for (const wrong of WRONG) {
    const refused = await statusOf(wrong);
    assert.ok(refused >= 400 && refused < 500, `${wrong} is ${refused}`);
  }
});

register('is compared with data/ by gamedata check --against', async ({ folder, dist }) => {
  const { endpoint, env } = await startOnce();
  await publish(new S3Target(await open('against')), { ...OPTIONS, dist }, SILENT);
  const cwd = path.join(folder, 'against');
  const check = async (address: string) =>
    await runInProcess('gamedata', ['check', '--against', address, '--endpoint', endpoint], { cwd, env });
  await writeFiles(path.join(cwd, 'data'), OVER_TIME);
  // The lock that was published with the builds.
  assert.is((await runInProcess('gamedata', ['build'], { cwd })).code, 0);
  const same = await check(`s3://${BUCKET}/against`);
  assert.is(same.code, 0, same.stdout);
  await writeFiles(path.join(cwd, 'data'), {
    'saga/1.0/items.json': [
      { id: 'i1', name: 'First' },
      { id: 'i2', name: 'Two', price: 5 },
    ],
  });
  const { code, stdout } = await check(`s3://${BUCKET}/against`);
  assert.equal(
    [code, stdout.includes(`the build as published in s3://${BUCKET}/against`)],
    [1, true],
    stdout,
  );
  const nothing = await check(`s3://${BUCKET}/nothing`);
  assert.match(nothing.stderr, 'index.json of s3://games/nothing cannot be read: there is no such file');
});

register('is followed by a gateway, which keeps serving when the store stops', async ({ folder, dist }) => {
  const { endpoint, env, stop } = await startOnce();
  const address = `s3://${BUCKET}/followed`;
  await publish(new S3Target(await open('followed')), { ...OPTIONS, dist }, SILENT);
  const keys = ['--store', path.join(folder, 'store')];
  const issued = await runInProcess('gateway', ['keys', 'issue', 'a@example.org', '--json', ...keys]);
  const { key } = JSON.parse(issued.stdout) as { key: string };
  const cache = path.join(folder, 'cache');
  const started: Running[] = [];
  const serve = async () => {
    const args = ['serve', '--port', '0', '--dist', address, '--cache', cache, ...keys];
    const gateway = startCommand('gateway', args, { env: { ...env, AWS_ENDPOINT_URL_S3: endpoint } });
    started.push(gateway);
    const [, listening = ''] = await gateway.printed(/"address":"(http:[^"]+)"/);
    const titleOf = async () => {
      const response = await fetch(`${listening}/api/games`, { headers: { 'x-api-key': key } });
      return ((await response.json()) as { games: { title: string }[] }).games[0]?.title;
    };
    return { gateway, titleOf };
  };
  try {
    const first = await serve();
    assert.is(await first.titleOf(), 'Saga');
    const next = path.join(folder, 'renamed');
    await buildGames({ ...OVER_TIME, 'saga/game.json': { title: 'Saga II' } }, next);
    await publish(new S3Target(await open('followed')), { ...OPTIONS, dist: next }, SILENT);
    await first.gateway.printed(/dist reloaded/);
    assert.is(await first.titleOf(), 'Saga II');
    await stop();
    await first.gateway.printed(/dist not mirrored, serving what is there/);
    assert.is(await first.titleOf(), 'Saga II');
    assert.is(await (await serve()).titleOf(), 'Saga II');
  } finally {
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
  }
});

store.run();
