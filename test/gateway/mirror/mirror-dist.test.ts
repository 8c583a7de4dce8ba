import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sirv from 'sirv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DegradedParts } from '../../../gateway/data/dist-files.ts';
import { createLog } from '../../../gateway/http/log.ts';
import { boundSource } from '../../../gateway/mirror/bounded-source.ts';
import { ComparedGames } from '../../../gateway/mirror/compared-games.ts';
import type { DistMirror, Trust } from '../../../gateway/mirror/dist-mirror.ts';
import { httpSource } from '../../../gateway/mirror/http-source.ts';
import { mirrorDist } from '../../../gateway/mirror/mirror-dist.ts';
import { TRUST_ALL } from '../../../gateway/mirror/read-published.ts';
import { s3Source } from '../../../gateway/mirror/s3-source.ts';
import type { Index } from '../../../scripts/format/dist-format.ts';
import { type ObjectStore, openObjectStore } from '../../../scripts/publish/object-store.ts';
import {
  createSigningKeys,
  readPrivateKey,
  readPublicKey,
  signText,
} from '../../../scripts/publication/signature.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { gameFiles, inFolder } from '../../support/fixtures.ts';
import { OVER_TIME } from '../../support/over-time.ts';
import { until } from '../../support/until.ts';

interface Context {
  root: string;
  /** The folder that the web server serves. */
  dist: string;
  folder: string;
  address: string;
  logged: string[];
  /** Paths that the web server sends byte by byte, without an end. */
  dripping?: string;
  /** The paths that were requested. */
  asked: string[];
  /** The values of the header Authorization that were received. */
  authorizations: Set<string | undefined>;
  mirror(address?: string, patience?: number, trust?: Trust): Promise<DistMirror>;
  /** What is degraded, and why. */
  degraded: DegradedParts;
  /** Publishes another state of the game. */
  change(title: string): Promise<void>;
  stopServer(): Promise<void>;
}

const mirroring = suite<Context>('mirrorDist');
const mirrors: DistMirror[] = [];
mirroring.before.each(async (context) => {
  const root = await mkdtemp(path.join(tmpdir(), 'mirror-'));
  const dist = path.join(root, 'dist');
  await buildGames(OVER_TIME, dist);
  const asked: string[] = [];
  const authorizations = new Set<string | undefined>();
  const files = sirv(dist, { dev: true });
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    authorizations.add(request.headers.authorization);
    if (context.dripping && request.url?.includes(context.dripping)) drip(response);
    else files(request, response, () => void response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const logged: string[] = [];
  const log = createLog(
    { write: (text) => logged.push(text), on: () => {} },
    { now: Date.now, access: false },
  );
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const folder = path.join(root, 'mirror');
  const degraded = new DegradedParts(Date.now);
  Object.assign(context, {
    ...{ root, dist, folder, address, logged, asked, authorizations, degraded, dripping: undefined },
    async mirror(from = address, patience = 20_000, trust = TRUST_ALL) {
      const opened = await mirrorDist(httpSource(from), folder, {
        tryState: async () => {},
        log,
        interval: 10,
        patience,
        trust,
        degraded,
      });
      mirrors.push(opened);
      return opened;
    },
    async change(title: string) {
      const next = path.join(root, title);
      await buildGames({ ...OVER_TIME, 'saga/game.json': { title } }, next);
      await cp(path.join(next, 'saga'), path.join(dist, 'saga'), { recursive: true });
      await rename(path.join(next, 'index.json'), path.join(dist, 'index.json'));
    },
    stopServer: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
});
mirroring.after.each(async ({ root, stopServer }) => {
  for (const mirror of mirrors.splice(0)) mirror.close();
  await stopServer();
  await rm(root, { recursive: true });
});

/** Sends a space now and then, until the connection is closed. */
function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

async function readAll(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const contents = files.map(
    async (file) => [path.relative(folder, file), await readFile(file, 'latin1')] as const,
  );
  return new Map((await Promise.all(contents)).sort());
}

const indexOf = (folder: string) => readFile(path.join(folder, 'index.json'), 'utf8').catch(() => '');

mirroring('keeps a copy of a remote dist/, and fetches only files that changed', async (context) => {
  const { dist, folder, mirror, change, asked } = context;
  await mirror();
  assert.equal(await readAll(folder), await readAll(dist));
  const kept = (await readAll(folder)).size;
  asked.length = 0;
  await change('other');
  await until(async () => (await indexOf(folder)) === (await indexOf(dist)));
  assert.equal(await readAll(folder), await readAll(dist));
  // Only the index and new files.
  const fetched = asked.filter((url) => url !== '/index.json' && url !== '/published.json');
  assert.is(fetched.length, (await readAll(dist)).size - kept);
});

mirroring(
  'does not use a state of which a file is damaged, missing or longer than its index says',
  async (context) => {
    const { dist, folder, mirror, change, logged } = context;
    await mirror();
    const before = await indexOf(folder);
    const known = await readAll(dist);
    await change('other');
    const next = await readAll(dist);
    const [file = ''] = [...next.keys()].filter((name) => !known.has(name) && name.includes('snapshot'));
    const target = path.join(dist, file);
    const good = await readFile(target);
    const damaged = Buffer.from(good);
    damaged.writeUInt8(good.readUInt8(3) ^ 1, 3);
    const DAMAGES: [() => Promise<void>, RegExp][] = [
      [
        () => writeFile(target, damaged),
        /snapshot\S* differs from the index there: run gamedata publish --verify/,
      ],
      [() => writeFile(target, `${good}\n`), /snapshot\S* cannot be fetched: it has more than \d+ bytes/],
      [() => rm(target), /snapshot\S* cannot be fetched: the server responds 404, expected 200/],
    ];
    for (const [damage, message] of DAMAGES) {
      await damage();
      await until(() => message.test(logged.join('')));
      assert.is(await indexOf(folder), before);
    }
    await writeFile(target, good);
    await until(async () => (await indexOf(folder)) !== before);
    assert.is(await readFile(path.join(folder, file), 'latin1'), good.toString('latin1'));
  },
);

mirroring('gives other users of the machine no access to its copy', async ({ mirror, folder }) => {
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

mirroring('gives up on a file that arrives too slowly, and continues when it arrives', async (context) => {
  const { folder, dist, mirror, change, logged } = context;
  // Longer than any file needs on a busy machine. The test waits for nothing else.
  await mirror(context.address, 3000);
  const before = await indexOf(folder);
  context.dripping = 'manifest.';
  await change('other');
  await until(() => /manifest\.\w+\.json cannot be fetched: it was not whole after /.test(logged.join('')));
  assert.is(await indexOf(folder), before);
  delete context.dripping;
  await until(async () => (await indexOf(folder)) === (await indexOf(dist)));
});

mirroring('gives up on a file that arrives too slowly from a bucket', async (context) => {
  context.dripping = 'drop.json';
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'reader', AWS_SECRET_ACCESS_KEY: 's3cret' });
  const store = openObjectStore('s3://games', context.address);
  const { read } = boundSource(s3Source(store as ObjectStore), 200);
  await read('drop.json', 1000).then(
    () => assert.unreachable(),
    ({ message }: Error) =>
      assert.is(message, 's3://games/drop.json cannot be fetched: it was not whole after 1 s'),
  );
});

mirroring('does not request a file whose size is above the limit', async (context) => {
  const { dist, mirror, asked } = context;
  const index = JSON.parse(await indexOf(dist)) as Index;
  for (const { manifest } of index.games) manifest.bytes = 2 ** 40;
  await writeFile(path.join(dist, 'index.json'), JSON.stringify(index));
  await mirror().then(
    () => assert.unreachable(),
    ({ message }: Error) =>
      assert.match(
        message,
        /manifest\S+ cannot be fetched: it has 1099511627776 bytes according to its index, expected 536870912 at most$/,
      ),
  );
  assert.equal(asked, ['/published.json', '/index.json']);
});

mirroring('keeps its copy while the source is gone, also after a restart', async (context) => {
  const { folder, dist, mirror, stopServer, logged } = context;
  await mirror();
  await stopServer();
  await until(() => /dist not mirrored, serving what is there.*cannot be fetched/.test(logged.join('')));
  await mirror();
  assert.equal(await readAll(folder), await readAll(dist));
  await rm(folder, { recursive: true });
  await mirror().then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /^http:\S+\/published\.json cannot be fetched: /),
  );
});

mirroring('reports in one line that its folder cannot be written', async ({ folder, mirror }) => {
  await writeFile(folder, 'a file');
  await mirror().then(
    () => assert.unreachable(),
    ({ message }: Error) => assert.match(message, /^\S+mirror cannot be written: E.*$/),
  );
});

mirroring('at its start, fetches the files again that were damaged in the folder', async (context) => {
  const { folder, dist, mirror } = context;
  (await mirror()).close();
  for (const [file, content] of await readAll(folder))
    if (file !== 'index.json') await writeFile(path.join(folder, file), `x${content.slice(1)}`, 'latin1');
  await mirror();
  assert.equal(await readAll(folder), await readAll(dist));
});

mirroring('removes unused files a day after they were fetched', async (context) => {
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
  await until(async () => (await readdir(path.join(folder, 'saga'))).length < both.size);
  assert.is(await readFile(mine, 'utf8'), 'x');
});

mirroring('sends the name and password in an address, and shows them nowhere', async (context) => {
  const { address, mirror, stopServer, logged, authorizations } = context;
  const secret = address.replace('//', '//reader:s3cret@');
  await mirror(secret);
  assert.equal([...authorizations], [`Basic ${Buffer.from('reader:s3cret').toString('base64')}`]);
  await stopServer();
  await until(() => logged.join('').includes('cannot be fetched'));
  assert.not.match(logged.join(''), 's3cret');
});

mirroring('gives up on an index that arrives too slowly, and follows the next one', async (context) => {
  const { folder, dist, mirror, change, logged, degraded } = context;
  await mirror(context.address, 3000);
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

/** Adds a game to the published ones. */
async function addGame({ root, dist }: Context): Promise<void> {
  const next = path.join(root, 'two');
  await buildGames({ ...OVER_TIME, ...inFolder('mini', gameFiles()) }, next);
  await cp(next, dist, { recursive: true });
}

const gamesOf = async (folder: string) =>
  (JSON.parse((await indexOf(folder)) || '{"games":[]}') as Index).games.map(({ slug }) => slug);

mirroring('updates all games except one with a missing file', async (context) => {
  const { folder, dist, mirror, logged, degraded } = context;
  await mirror();
  await addGame(context);
  const [file = ''] = [...(await readAll(dist)).keys()].filter((name) => /^mini\/characters/.test(name));
  await rename(path.join(dist, file), path.join(dist, 'away'));
  const index = JSON.parse(await indexOf(dist)) as Index;
  const next = path.join(context.root, 'next');
  await buildGames({ ...OVER_TIME, 'saga/game.json': { title: 'Saga II' } }, next);
  await cp(path.join(next, 'saga'), path.join(dist, 'saga'), { recursive: true });
  const [saga] = (JSON.parse(await indexOf(next)) as Index).games;
  const games = index.games.map((game) => (game.slug === 'saga' ? saga : game));
  await writeFile(path.join(dist, 'index.json'), JSON.stringify({ ...index, games }));

  await until(async () => (await indexOf(folder)).includes(saga?.manifest.sha256 ?? '-'));
  assert.equal(await gamesOf(folder), ['saga'], 'a new game is not named before it is there');
  assert.is(existsSync(path.join(folder, file)), false);
  await until(() => degraded.list.some(({ game }) => game === 'mini'));
  assert.match(
    logged.join(''),
    /dist mirrored in part.*mini: .*characters\S+ cannot be fetched: the server responds 404/,
  );
  await rename(path.join(dist, 'away'), path.join(dist, file));
  await until(() => degraded.list.length === 0);
  assert.equal(await gamesOf(folder), ['mini', 'saga']);
  assert.is(existsSync(path.join(folder, file)), true);
});

mirroring('a manifest that was damaged in the folder does not block new builds', async (context) => {
  const { folder, dist, mirror } = context;
  await mirror();
  const [file = ''] = [...(await readAll(folder)).keys()].filter((name) => name.includes('manifest'));
  const good = await readFile(path.join(folder, file), 'utf8');
  await writeFile(path.join(folder, file), good.replace('{', '['));
  await addGame(context);
  await until(async () => (await indexOf(folder)) === (await indexOf(dist)));
  await mirror();
  assert.is(await readFile(path.join(folder, file), 'utf8'), good, 'fetched again after a restart');
});

mirroring('only the files of games that changed are looked at', async (context) => {
  const { root, folder, dist, mirror, asked } = context;
  await addGame(context);
  await mirror();
  // It would be fetched again if the game were looked at.
  const isOther = (name: string) => name.startsWith('mini/') && name.endsWith('.br');
  const [file = ''] = [...(await readAll(folder)).keys()].filter(isOther);
  await rm(path.join(folder, file));
  asked.length = 0;
  const next = path.join(root, 'next');
  await buildGames(
    { ...OVER_TIME, 'saga/game.json': { title: 'other' }, ...inFolder('mini', gameFiles()) },
    next,
  );
  await cp(next, dist, { recursive: true });
  await until(async () => (await indexOf(folder)) === (await indexOf(dist)));
  assert.ok(asked.some((url) => url.startsWith('/saga/manifest')));
  assert.not.ok(asked.includes(`/${file}`));
  await mirror();
  assert.ok(asked.includes(`/${file}`), 'fetched after a restart');
});

mirroring('a restart reads only the files of games that were written since', async (context) => {
  const { folder, dist, mirror } = context;
  (await mirror()).close();
  const [game] = (JSON.parse(await indexOf(folder)) as Index).games;
  assert.ok(game);
  const [file = ''] = [...(await readAll(folder)).keys()].filter((name) => name.endsWith('.br'));
  const target = path.join(folder, file);
  const damaged = Buffer.alloc((await stat(target)).size);
  await writeFile(target, damaged);
  // Like damage by the disk, which changes no time: the marks are those of the damaged file.
  const compared = await ComparedGames.open(folder);
  await compared.note(game.slug, game.manifest);
  await compared.save();
  (await mirror()).close();
  assert.ok((await readFile(target)).equals(damaged), 'not read');
  await writeFile(target, damaged);
  await mirror();
  assert.equal(await readAll(folder), await readAll(dist), 'written since, so compared');
});

/** Publishes the state of a folder as `gamedata publish` does. */
async function publishTo(dist: string, serial: number, key?: KeyObject, supersedes?: number): Promise<void> {
  const index = await indexOf(dist);
  const published = { format: 2, serial, ...(supersedes !== undefined && { supersedes }), index };
  const signature = key && signText(`2\n${serial}\n${published.index}`, key);
  await writeFile(
    path.join(dist, 'published.new'),
    JSON.stringify({ ...published, ...(signature && { signature }) }),
  );
  await rename(path.join(dist, 'published.new'), path.join(dist, 'published.json'));
}

mirroring('does not follow an older state, also after a restart, unless that is allowed', async (context) => {
  const { folder, dist, mirror, change, logged, address } = context;
  await publishTo(dist, 7);
  const first = await mirror();
  assert.not.ok(first.state.isRefused);
  await change('other');
  await publishTo(dist, 6);
  await until(() => /published\.json has serial 6, and 7 was followed before/.test(logged.join('')));
  assert.ok(first.state.isRefused);
  const known = await indexOf(folder);
  assert.is.not(known, await indexOf(dist));
  first.close();
  const second = await mirror();
  assert.is(await indexOf(folder), known);
  second.close();
  // A state without published.json could be from an old version of `gamedata publish`.
  await rename(path.join(dist, 'published.json'), path.join(dist, 'away.json'));
  (await mirror()).close();
  assert.is(await indexOf(folder), known);
  assert.match(logged.join(''), /no \S+published\.json, and its serial 7 was followed before/);
  await rename(path.join(dist, 'away.json'), path.join(dist, 'published.json'));
  await mirror(address, undefined, { keys: [], allowOlder: true });
  assert.is(await indexOf(folder), await indexOf(dist));
});

mirroring(
  'leaves a serial that is far too high for the one that supersedes it, and follows no such step',
  async (context) => {
    const { folder, dist, mirror, change, logged } = context;
    const highest = Number.MAX_SAFE_INTEGER;
    const isSame = async () => (await indexOf(folder)) === (await indexOf(dist));
    await publishTo(dist, highest);
    await mirror();
    await change('other');
    await publishTo(dist, 42, undefined, highest);
    await until(isSame);
    await change('poisoned');
    await publishTo(dist, highest);
    const help =
      /has serial 9007199254740991, and 42 was followed before: it grew by more than 1000000; find out who wrote it, then publish with --supersede 1000043 --serial 43/;
    await until(() => help.test(logged.join('')));
    assert.not.ok(await isSame());
    await publishTo(dist, 43, undefined, 1_000_043);
    await until(
      async () => JSON.parse(await readFile(path.join(folder, 'published.json'), 'utf8')).serial === 43,
    );
    assert.ok(await isSame());
  },
);

mirroring(
  'with keys follows only what is signed with one of them',
  async ({ folder, dist, mirror, address }) => {
    const [mine, other] = [createSigningKeys(), createSigningKeys()];
    const keys = [readPublicKey(other.publicKey), readPublicKey(mine.publicKey)] as KeyObject[];
    const secret = readPrivateKey(mine.privateKey) as KeyObject;
    const open = () => mirror(address, undefined, { keys, allowOlder: false });
    const reasonOf = () =>
      open().then(
        () => 'opened',
        ({ message }: Error) => message,
      );
    assert.match(await reasonOf(), 'which --dist-key requires');
    await publishTo(dist, 1);
    assert.match(await reasonOf(), 'is not signed with a key of --dist-key');
    await publishTo(dist, 1, readPrivateKey(createSigningKeys().privateKey));
    assert.match(await reasonOf(), 'is not signed with a key of --dist-key');
    await publishTo(dist, 1, secret);
    await open();
    assert.is(await indexOf(folder), await indexOf(dist));
  },
);

mirroring.run();
