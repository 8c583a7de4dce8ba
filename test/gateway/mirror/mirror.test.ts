import { cp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DegradedStates } from '../../../gateway/data/dist-files.ts';
import { createLog } from '../../../gateway/http/log.ts';
import { Mirror, openSource } from '../../../gateway/mirror/remote-dists.ts';
import type { Index } from '../../../scripts/format/dist-format.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { gameFiles, inFolder } from '../../support/fixtures.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { OVER_TIME } from '../../support/over-time.ts';
import { until } from '../../support/until.ts';
import { endServer, listen } from '../../support/listen.ts';

interface Context {
  root: string;
  /** The folder that the web server serves, also as the bucket `games`. */
  dist: string;
  folder: string;
  address: string;
  logged: string[];
  /** Paths that the web server sends byte by byte, without an end. */
  dripping?: string;
  /** What it sends in place of a snapshot; 404 if it returns undefined. */
  damage(content: Buffer): Buffer | undefined;
  /** The paths that were requested. */
  asked: string[];
  /** The values of the header Authorization that were received. */
  authorizations: Set<string | undefined>;
  mirror(address?: string, patience?: number): Promise<Mirror>;
  /** What is degraded, and why. */
  degraded: DegradedStates;
  /** Publishes another state of the game. */
  change(title: string): Promise<void>;
  stopServer(): Promise<void>;
}

const mirroring = suite<Context>('a copy of a published dist');
const mirrors: Mirror[] = [];
mirroring.before(() => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'reader', AWS_SECRET_ACCESS_KEY: 's3cret' });
});
mirroring.before.each(async (context) => {
  const root = await makeFolder('mirror');
  const dist = path.join(root, 'dist');
  await buildGames(OVER_TIME, dist);
  const asked: string[] = [];
  const authorizations = new Set<string | undefined>();
  const server = createServer((request, response) => {
    request.url = request.url?.replace(/^\/games\//, '/') ?? '';
    asked.push(request.url);
    authorizations.add(request.headers.authorization);
    if (context.dripping && request.url.includes(context.dripping)) return drip(response);
    // Read as a whole: tests replace and remove files meanwhile.
    void readFile(path.join(dist, request.url)).then(
      (content) => {
        const sent = request.url?.includes('snapshot') ? context.damage(content) : content;
        response.writeHead(sent ? 200 : 404).end(sent);
      },
      () => response.writeHead(404).end(),
    );
  });
  const address = `${await listen(server)}/`;
  const logged: string[] = [];
  const log = createLog(
    { write: (text) => logged.push(text), on: () => {} },
    { now: Date.now, access: false },
  );
  const folder = path.join(root, 'mirror');
  const degraded = new DegradedStates();
  Object.assign(context, {
    root,
    dist,
    folder,
    address,
    logged,
    asked,
    authorizations,
    degraded,
    dripping: undefined,
    damage: (content: Buffer) => content,
    async mirror(from = address, patience = 20_000) {
      const mirror = new Mirror(openSource(from, address), folder, { log, degraded, interval: 10, patience });
      await mirror.start();
      mirrors.push(mirror);
      return mirror;
    },
    async change(title: string) {
      const next = path.join(root, title);
      await buildGames({ ...OVER_TIME, 'saga/game.json': { title } }, next);
      await cp(path.join(next, 'saga'), path.join(dist, 'saga'), { recursive: true });
      await rename(path.join(next, 'index.json'), path.join(dist, 'index.json'));
    },
    stopServer: () => endServer(server),
  });
});
mirroring.after.each(async ({ stopServer }) => {
  for (const mirror of mirrors.splice(0)) mirror.close();
  await stopServer();
});

/** Sends a space now and then, until the connection is closed. */
function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

async function readAll(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  const contents = files.map(async ({ parentPath, name }) => {
    const file = path.join(parentPath, name);
    return [path.relative(folder, file), await readFile(file, 'latin1')] as const;
  });
  return new Map((await Promise.all(contents)).sort());
}

const indexOf = (folder: string) => readFile(path.join(folder, 'index.json'), 'utf8').catch(() => '');

/** Why a mirror does not start. */
async function failureOf(mirror: Promise<unknown>): Promise<string> {
  return await mirror.then(
    () => 'started',
    ({ message }: Error) => message,
  );
}

for (const kind of ['a web server', 'a bucket']) {
  mirroring(`is equal to ${kind}, and only files that changed are fetched`, async (context) => {
    const { dist, folder, mirror, change, asked } = context;
    await mirror(kind === 'a bucket' ? 's3://games' : undefined);
    assert.equal(await readAll(folder), await readAll(dist));
    const kept = (await readAll(folder)).size;
    asked.length = 0;
    await change('other');
    await until(async () => (await indexOf(folder)) === (await indexOf(dist)));
    assert.equal(await readAll(folder), await readAll(dist));
    const fetched = asked.filter((url) => url !== '/index.json');
    assert.is(fetched.length, (await readAll(dist)).size - kept);
  });

  mirroring(`gives up on ${kind} that sends too slowly, and continues`, async (context) => {
    const { folder, dist, mirror, change, logged, degraded } = context;
    // Longer than any file needs on a busy machine. The test waits for nothing else.
    await mirror(kind === 'a bucket' ? 's3://games' : undefined, 3000);
    const before = await indexOf(folder);
    context.dripping = 'index.json';
    await change('other');
    await until(() => logged.join('').includes('/index.json cannot be fetched: it was not whole after 3 s'));
    assert.is(await indexOf(folder), before);
    assert.match(degraded.list[0]?.problem ?? '', 'index.json cannot be fetched');
    delete context.dripping;
    await until(async () => (await indexOf(folder)) === (await indexOf(dist)));
    await until(() => degraded.list.length === 0);
  });
}

mirroring('does not use a file that is damaged, missing or longer than its index says', async (context) => {
  const { dist, folder, mirror, change, logged } = context;
  await mirror();
  const before = await indexOf(folder);
  const DAMAGES: [Context['damage'], RegExp][] = [
    [
      (good) => Buffer.from(good).fill('x', 3, 4),
      /snapshot\S* differs from the index there: run gamedata publish --verify/,
    ],
    [(good) => Buffer.concat([good, good]), /snapshot\S* cannot be fetched: it has more than \d+ bytes/],
    [() => undefined, /snapshot\S* cannot be fetched: the server responds 404, expected 200/],
  ];
  for (const [at, [damage, message]] of DAMAGES.entries()) {
    context.damage = damage;
    if (at === 0) await change('other');
    await until(() => message.test(logged.join('')));
    assert.is(await indexOf(folder), before);
  }
  context.damage = (content) => content;
  await until(async () => (await indexOf(folder)) !== before);
  assert.equal(await readAll(folder), await readAll(dist));
});

mirroring('gives other users of the machine no access', async ({ mirror, folder }) => {
  const umask = process.umask(0o022);
  try {
    await mirror();
    const entries = ['.', ...(await readdir(folder, { recursive: true }))];
    const modes = await Promise.all(entries.map((entry) => stat(path.join(folder, entry))));
    assert.ok(entries.length > 5);
    assert.equal(
      entries.filter((_, at) => ((modes[at]?.mode ?? 0) & 0o007) !== 0),
      [],
    );
  } finally {
    process.umask(umask);
  }
});

mirroring('is kept while the source is gone, also after a restart', async (context) => {
  const { folder, dist, mirror, stopServer, logged } = context;
  await mirror();
  await stopServer();
  await until(() => /dist not mirrored, serving what is there.*cannot be fetched/.test(logged.join('')));
  await mirror();
  assert.equal(await readAll(folder), await readAll(dist));
  await rm(folder, { recursive: true });
  assert.match(await failureOf(mirror()), /^http:\S+\/index\.json cannot be fetched: /);
});

mirroring('gets the files again that were damaged in its folder, at its start', async (context) => {
  const { folder, dist, mirror } = context;
  (await mirror()).close();
  for (const [file, content] of await readAll(folder))
    if (file !== 'index.json') await writeFile(path.join(folder, file), `x${content.slice(1)}`, 'latin1');
  await mirror();
  assert.equal(await readAll(folder), await readAll(dist));
});

mirroring('loses files a day after the index stopped naming them, however old they are', async (context) => {
  const { folder, mirror, change } = context;
  await mirror();
  const mine = path.join(folder, 'saga', 'notes.txt');
  await writeFile(mine, 'x');
  const before = await readAll(folder);
  const switchTo = async (title: string) => {
    const index = await indexOf(folder);
    await change(title);
    await until(async () => (await indexOf(folder)) !== index);
  };
  await switchTo('second');
  const both = await readAll(folder);
  assert.ok([...before.keys()].every((file) => both.has(file)) && both.size > before.size);
  const old = new Date(Date.now() - 90_000_000);
  for (const file of both.keys()) await utimes(path.join(folder, file), old, old);
  await switchTo('third');
  const has = async (file: string) =>
    (await stat(path.join(folder, file)).catch(() => undefined)) !== undefined;
  await until(async () => !(await has([...before.keys()].find((file) => file.includes('/manifest.')) ?? '')));
  for (const file of both.keys()) assert.ok(before.has(file) || (await has(file)), file);
  assert.is(await readFile(mine, 'utf8'), 'x');
});

mirroring('sends the name and password in an address, and shows them nowhere', async (context) => {
  const { address, mirror, stopServer, logged, authorizations } = context;
  await mirror(address.replace('//', '//reader:s3cret@'));
  assert.equal([...authorizations], [`Basic ${Buffer.from('reader:s3cret').toString('base64')}`]);
  await stopServer();
  await until(() => logged.join('').includes('cannot be fetched'));
  assert.not.match(logged.join(''), 's3cret');
});

mirroring('has the new state of all games except one with a missing file', async (context) => {
  const { root, folder, dist, mirror, logged, degraded, asked } = context;
  const gamesOf = async () => (JSON.parse(await indexOf(folder)) as Index).games.map(({ slug }) => slug);
  await mirror();
  const next = path.join(root, 'next');
  const saga = { ...OVER_TIME, 'saga/game.json': { title: 'Saga II' } };
  await buildGames({ ...saga, ...inFolder('mini', gameFiles()) }, next);
  const [file = ''] = [...(await readAll(next)).keys()].filter((name) => /^mini\/characters/.test(name));
  await rename(path.join(next, file), path.join(dist, 'away'));
  const before = await indexOf(folder);
  await cp(next, dist, { recursive: true, filter: (from) => !from.endsWith('index.json') });
  await rename(path.join(next, 'index.json'), path.join(dist, 'index.json'));

  await until(async () => (await indexOf(folder)) !== before);
  assert.equal(await gamesOf(), ['saga'], 'a new game is not named before it is there');
  await until(() => degraded.list.some(({ game }) => game === 'mini'));
  assert.match(
    logged.join(''),
    /dist mirrored in part.*mini: .*characters\S+ cannot be fetched: the server responds 404/,
  );
  const tryTwice = async () => {
    asked.length = 0;
    await until(() => asked.filter((url) => url === `/${file}`).length > 1);
  };
  await tryTwice();
  const [verified = ''] = (await readdir(path.join(folder, 'mini'))).filter(
    (name) => !/^manifest/.test(name),
  );
  await rename(path.join(folder, 'mini', verified), path.join(root, 'kept'));
  await tryTwice();
  assert.not.ok(asked.includes(`/mini/${verified}`), 'what was verified is not read again');
  await rename(path.join(root, 'kept'), path.join(folder, 'mini', verified));
  await rename(path.join(dist, 'away'), path.join(dist, file));
  await until(() => degraded.list.length === 0);
  assert.equal(await gamesOf(), ['mini', 'saga']);
  assert.equal(await readAll(folder), await readAll(dist));
});

mirroring.run();
