import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyDist } from '../../../scripts/commands/verify.ts';
import { readIndex } from '../../../scripts/dist/read-dist.ts';
import { startCommand } from '../../support/command.ts';
import { gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Interruption, interruptAt } from '../../support/interrupt.ts';
import { seededRandom } from '../../support/random.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { hashFolder } from './hash-folder.ts';

const test = suite('interrupted builds');

/** `npm run faults` kills builds, and the other commands that write, at more steps. */
const KILLS = Number(process.env.KILLS ?? 10);
/** About as many steps as a build has. */
const STEPS = 70;
/** Steps at which a build is killed in every run: while it replaces the index, and while it writes builds.lock.json. */
const WORST: Omit<Interruption, 'signal'>[] = [
  { file: 'dist/index.json', step: 2 },
  { file: 'dist/index.json', step: 3 },
  { file: 'beta/builds.lock.json', step: 2 },
];

/** Enough characters that a build can be interrupted while it writes them. */
function characters(version: number) {
  return Array.from({ length: 300 }, (_, id) => ({
    id: `u${id}`,
    name: `Unit ${id}`,
    // Few values change from version to version, as gates expect.
    stats: { atk: id + (id % 20 === version % 20 ? version : 0) },
  }));
}

const FILES = {
  ...inFolder('data/alpha', gameFiles({ '1.0/characters.json': characters(1) })),
  ...inFolder('data/beta', gameFiles({ '1.0/characters.json': characters(2) })),
};

/** Runs a build that is killed at a step, unless it ends before. @returns whether it was killed */
async function buildAndKill(cwd: string, where: Omit<Interruption, 'signal'>): Promise<boolean> {
  const env = interruptAt({ ...where, signal: 'SIGKILL' });
  const { signal } = await startCommand('gamedata', ['build', '--jobs', '2'], { cwd, env, detached: true })
    .ended;
  return signal === 'SIGKILL';
}

test(`killed at ${KILLS} random steps, dist/ is complete each time, and the next build is correct`, async () => {
  await withFolder(FILES, async (cwd) => {
    const dist = path.join(cwd, 'dist');
    const random = seededRandom();
    const build = async (...args: string[]) =>
      assert.is((await runInProcess('gamedata', ['build', ...args], { cwd })).code, 0);
    await build();
    let states = 0;
    let kills = 0;
    let last = '';
    for (let round = 0; round < KILLS; round++) {
      const released_at = new Date(Date.UTC(2026, 1, 1, 0, round)).toISOString();
      for (const game of ['alpha', 'beta']) {
        await writeFiles(cwd, {
          [`data/${game}/2.${round}/build.json`]: { released_at },
          [`data/${game}/2.${round}/characters.json`]: characters(round + 3),
        });
      }
      // Some builds end, so that the next ones have a new state to start from.
      if (round % 5 === 4) await build('--jobs', '2');
      else if (await buildAndKill(cwd, WORST[round] ?? { file: '', step: 1 + Math.floor(random() * STEPS) }))
        kills++;
      const index = await readIndex(dist);
      assert.ok(index);
      assert.equal((await verifyDist(dist, index)).faults, []);
      const state = await readFile(path.join(dist, 'index.json'), 'utf8');
      if (state !== last) states++;
      last = state;
    }
    assert.ok(states > 1, 'some builds ended');
    assert.ok(kills >= WORST.length, `${kills} were killed`);

    await build();
    assert.is((await runInProcess('gamedata', ['prune', '--keep-days', '0'], { cwd })).code, 0);
    const fresh = path.join(cwd, 'fresh');
    await build('--out', fresh, '--no-cache');
    assert.equal(await hashFolder(dist), await hashFolder(fresh));
  });
});

test('a build into a folder that another process writes to reports that, and stops', async () => {
  await withFolder(FILES, async (cwd) => {
    const env = interruptAt({ file: 'dist/index.json', step: 1, signal: 'SIGSTOP' });
    const first = startCommand('gamedata', ['build'], { cwd, env });
    try {
      await first.printedError(/interrupted/);
      const second = await runInProcess('gamedata', ['build'], { cwd });
      assert.is(second.code, 1);
      assert.match(second.stderr, 'gamedata: another gamedata is writing to dist/');
      first.child.kill('SIGCONT');
      assert.is((await first.ended).code, 0);
    } finally {
      first.child.kill('SIGKILL');
    }
    const index = await readIndex(path.join(cwd, 'dist'));
    assert.ok(index);
    assert.equal((await verifyDist(path.join(cwd, 'dist'), index)).faults, []);
  });
});

test.run();
