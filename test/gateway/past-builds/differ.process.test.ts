import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DistError, readIndex, readManifest } from '../../../gateway/catalog/dist-folder.ts';
import { Differ } from '../../../gateway/past-builds/differ.ts';
import type { BuildEntry, Index, Manifest } from '../../../scripts/format/dist-format.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { OVER_TIME } from '../../support/over-time.ts';
import { workerPids } from '../../support/worker-pids.ts';

interface Context {
  dist: string;
  game: Manifest;
  /** The game's builds, oldest first. */
  builds: [BuildEntry, BuildEntry, BuildEntry];
  differ: Differ;
  /** The errors that the differ logged. */
  logged: string[];
}

const test = suite<Context>('differ');
test.before(async (context) => {
  context.dist = await mkdtemp(path.join(tmpdir(), 'dist-'));
  await buildGames(OVER_TIME, context.dist);
  const [entry] = (await readIndex(context.dist)).games as [Index['games'][number]];
  context.game = await readManifest(context.dist, entry.manifest);
  context.builds = context.game.builds as Context['builds'];
});
test.after(({ dist }) => rm(dist, { recursive: true }));
test.before.each((context) => {
  context.logged = [];
  context.differ = new Differ({
    folder: context.dist,
    log: { info() {}, access() {}, error: (message) => context.logged.push(message) },
  });
});
test.after.each(({ differ }) => differ.close());

test('computes a diff once for several requests, at the same time and later', async ({
  differ,
  game,
  builds,
}) => {
  const [first, , third] = builds;
  const ask = () => differ.diff(game, first, third, 'diff');
  const [one, two] = await Promise.all([ask(), ask()]);
  assert.ok(one === two && one === (await ask()));
  assert.is.not(one, await differ.diff(game, first, third, 'patch'));
});

test('reports which file cannot be read', async ({ differ, game, builds: [first, second] }) => {
  const gone = {
    ...second,
    snapshot: { ...second.snapshot, sha256: 'another' },
    characters: { ...second.characters, file: 'saga/characters.gone.json' },
  };
  try {
    await differ.diff(game, first, gone, 'diff');
    assert.unreachable();
  } catch (error) {
    assert.instance(error, DistError);
    assert.match((error as Error).message, /characters\.gone\.json/);
  }
});

test('recovers when its process is killed, at work or idle', async ({ differ, game, builds, logged }) => {
  const [first, second, third] = builds;
  await differ.diff(game, third, first, 'diff');
  killChildren();
  const atWork = differ.diff(game, third, second, 'diff').then(
    () => 'computed',
    (error: { code: string }) => error.code,
  );
  const waiting = differ.diff(game, second, first, 'diff');
  let ended = false;
  void atWork.finally(() => {
    ended = true;
  });
  while (!ended) {
    killChildren();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(await atWork, 'unavailable');
  assert.equal(logged, ['a diff could not be computed']);
  assert.ok(JSON.parse((await waiting).toString()));
});

/** Kills the worker processes that this one has started. */
function killChildren(): void {
  for (const pid of workerPids(process.pid)) process.kill(pid, 'SIGKILL');
}

test.run();
