import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readIndex } from '../../../scripts/dist/read-dist.ts';
import { verifyDist } from '../../../scripts/dist/verify-dist.ts';
import { runCommand, startCommand } from '../../support/command.ts';
import { gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { hashFolder } from './hash-folder.ts';

const test = suite('interrupted builds');

const KILLS = Number(process.env.KILLS ?? 20);

/** Enough to write that a build can be ended in the middle of it. */
function characters(version: number) {
  return Array.from({ length: 300 }, (_, id) => ({
    id: `u${id}`,
    name: `Unit ${id}`,
    stats: { atk: id * version },
  }));
}

const FILES = {
  ...inFolder('data/alpha', gameFiles({ '1.0/characters.json': characters(1) })),
  ...inFolder('data/beta', gameFiles({ '1.0/characters.json': characters(2) })),
};

test(`killed at ${KILLS} random moments, dist/ is whole each time, and the next build is right`, async () => {
  await withFolder(FILES, async (cwd) => {
    const dist = path.join(cwd, 'dist');
    const begun = performance.now();
    assert.is((await runCommand('gamedata', ['build'], { cwd })).code, 0);
    const duration = performance.now() - begun;
    let states = 0;
    let last = '';
    for (let round = 0; round < KILLS; round++) {
      const released_at = new Date(Date.UTC(2026, 1, 1, 0, round)).toISOString();
      for (const game of ['alpha', 'beta']) {
        await writeFiles(cwd, {
          [`data/${game}/2.${round}/build.json`]: { released_at },
          [`data/${game}/2.${round}/characters.json`]: characters(round + 3),
        });
      }
      const { child, ended } = startCommand('gamedata', ['build', '--jobs', '2'], { cwd, detached: true });
      // Some get to their end, so that the next has something to go on from.
      if (round % 5 < 4) {
        await Promise.race([sleep(Math.random() * duration * 1.5), ended]);
        if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGKILL');
      }
      await ended;
      const index = await readIndex(dist);
      assert.ok(index);
      assert.equal((await verifyDist(dist, index)).faults, []);
      const state = await readFile(path.join(dist, 'index.json'), 'utf8');
      if (state !== last) states++;
      last = state;
    }
    assert.ok(states > 1, 'some builds got to their end');

    assert.is((await runCommand('gamedata', ['build'], { cwd })).code, 0);
    assert.is((await runCommand('gamedata', ['prune', '--keep-days', '0'], { cwd })).code, 0);
    const fresh = path.join(cwd, 'fresh');
    assert.is((await runCommand('gamedata', ['build', '--out', fresh, '--no-cache'], { cwd })).code, 0);
    assert.equal(await hashFolder(dist), await hashFolder(fresh));
  });
});

test('of two builds into one folder at once, one says who holds it, and the other is whole', async () => {
  await withFolder(FILES, async (cwd) => {
    const both = await Promise.all([1, 2].map(() => runCommand('gamedata', ['build'], { cwd })));
    const refused = both.filter(({ code }) => code !== 0);
    for (const { code, stderr } of refused) {
      assert.is(code, 1);
      assert.match(
        stderr,
        /gamedata: dist\/ is being written by another gamedata \(process \d+ on .+, since .+\)/,
      );
    }
    assert.ok(refused.length < 2);
    const index = await readIndex(path.join(cwd, 'dist'));
    assert.ok(index);
    assert.equal((await verifyDist(path.join(cwd, 'dist'), index)).faults, []);
  });
});

test.run();
