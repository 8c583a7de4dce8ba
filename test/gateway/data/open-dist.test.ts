import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sirv from 'sirv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DistFollower, openDist } from '../../../gateway/data/follow-dist.ts';
import { createLog } from '../../../gateway/http/log.ts';
import type { BuildEntry, FileRef, Index, Manifest } from '../../../scripts/format/dist-format.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { NOON } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const game = (name: string) => ({
  'mini/game.json': { title: 'Mini' },
  'mini/1/build.json': { released_at: '2026-01-01' },
  'mini/1/characters.json': [
    { id: 'a', name },
    { id: 'b', name: 'Bob' },
  ],
  'mini/1/pull_planner.json': { currency: 'gems' },
});

interface Context {
  root: string;
  /** The folder that the web server serves. */
  dist: string;
  logged: string[];
  open(): Promise<DistFollower>;
  stopServer(): void;
}

const opening = suite<Context>('openDist, from a web server');
const followers: DistFollower[] = [];
opening.before.each(async (context) => {
  const root = await mkdtemp(path.join(tmpdir(), 'opened-'));
  const dist = path.join(root, 'dist');
  await buildGames(game('Ann'), dist);
  const server = createServer(sirv(dist, { dev: true }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const logged: string[] = [];
  const log = createLog(
    { write: (text) => logged.push(text), on: () => {} },
    { now: Date.now, access: false },
  );
  Object.assign(context, {
    ...{ root, dist, logged },
    async open() {
      const cache = path.join(root, 'cache');
      const opened = await openDist(address, { cache, now: () => NOON, log });
      followers.push(opened);
      return opened;
    },
    stopServer() {
      server.close();
      server.closeAllConnections();
    },
  });
});
opening.after.each(async ({ root, stopServer }) => {
  for (const follower of followers.splice(0)) follower.close();
  stopServer();
  // A file of a past build may still be written.
  await rm(root, { recursive: true, maxRetries: 10 });
});

/** Publishes a state whose files match their hashes, but one of which breaks the format: a name is a number. */
async function publishBroken(dist: string): Promise<void> {
  const read = async <T>({ file }: FileRef) => JSON.parse(await readFile(path.join(dist, file), 'utf8')) as T;
  const write = async (kind: string, text: string): Promise<FileRef> => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    const file = `mini/${kind}.${sha256.slice(0, 32)}.json`;
    await writeFile(path.join(dist, file), text);
    return { file, bytes: Buffer.byteLength(text), sha256 };
  };
  const index = JSON.parse(await readFile(path.join(dist, 'index.json'), 'utf8')) as Index;
  for (const entry of index.games) {
    const manifest = await read<Manifest>(entry.manifest);
    const { characters } = manifest.builds.at(-1) as BuildEntry;
    const text = await readFile(path.join(dist, characters.file), 'utf8');
    Object.assign(characters, await write('characters', text.replace('"name":"Bob"', '"name":5')));
    entry.manifest = await write('manifest', JSON.stringify(manifest));
  }
  await writeFile(path.join(dist, 'index.json'), JSON.stringify(index));
}

const servedBy = ({ catalog }: DistFollower) =>
  String(catalog.viewAt(NOON, 'pro').games.get('mini')?.roster.records[0]);

opening(
  'serves the last state that could be loaded, also after a restart, until a new one can be loaded',
  async (context) => {
    const { root, dist, logged, open } = context;
    const first = await open();
    await publishBroken(dist);
    await until(() =>
      /(roster|characters)\S+ cannot be loaded: attribute \\"name\\" has several types/.test(logged.join('')),
    );
    assert.match(servedBy(first), 'Ann');
    const second = await open();
    assert.match(servedBy(second), 'Ann');

    const next = path.join(root, 'next');
    await buildGames(game('Eve'), next);
    await cp(next, dist, { recursive: true });
    await until(() => [first, second].every((follower) => servedBy(follower).includes('Eve')));
  },
);

opening.run();
