import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Differ } from '../../../gateway/data/differ.ts';
import { readIndex, readManifest } from '../../../gateway/data/dist-files.ts';
import type { BuildEntry, Index, Manifest } from '../../../scripts/format/dist-format.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { makeFolder } from '../../support/fixtures.ts';
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
  context.dist = await makeFolder('dist');
  await buildGames(OVER_TIME, context.dist);
  const [entry] = (await readIndex(context.dist)).games as [Index['games'][number]];
  context.game = await readManifest(context.dist, entry.manifest);
  context.builds = context.game.builds as Context['builds'];
});
test.before.each((context) => {
  context.logged = [];
  const error = (message: string) => void context.logged.push(message);
  context.differ = new Differ(context.dist, { info() {}, access() {}, error });
});
test.after.each(({ differ }) => differ.close());

test('recovers when its process is killed, at work or idle', async ({ differ, game, builds, logged }) => {
  const [first, second, third] = builds;
  await differ.diff(game, third, first, { form: 'diff' });
  killChildren();
  const atWork = differ.diff(game, third, second, { form: 'diff' }).then(
    () => 'computed',
    (error: { code: string }) => error.code,
  );
  const waiting = differ.diff(game, second, first, { form: 'diff' });
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
