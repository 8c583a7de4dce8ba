import { chmod, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const test = suite('private files');

/** The entries of a folder to which users other than the owner and the group have any access. */
async function openEntries(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const modes = await Promise.all(['.', ...entries].map((entry) => stat(path.join(folder, entry))));
  return ['.', ...entries].filter((_, at) => ((modes[at]?.mode ?? 0) & 0o007) !== 0);
}

test('gamedata build gives others no access to dist/ and the cache, and publish follows the umask and warns', async () => {
  const files = inFolder('data/game', gameFiles({ '1.0/build.json': { released_at: '2099-01-01' } }));
  await withFolder(files, async (cwd) => {
    await chmod(cwd, 0o755);
    const gamedata = (...args: string[]) => runInProcess('gamedata', args, { cwd });
    const umask = process.umask(0o022);
    try {
      assert.is((await gamedata('build', '--cache', 'cache')).code, 0);
      for (const folder of ['dist', 'cache']) assert.equal(await openEntries(path.join(cwd, folder)), []);
      const { code, stderr } = await gamedata('publish', 'public');
      assert.is(code, 0);
      assert.match(
        stderr,
        /^warning: all users of this machine can read public, which holds 1 build before/m,
      );
      assert.ok((await openEntries(path.join(cwd, 'public'))).includes('index.json'));
      assert.not.match((await gamedata('publish', 'cdn', '--snapshots')).stderr, /warning/);
      process.umask(0o027);
      assert.not.match((await gamedata('publish', 'private')).stderr, /warning/);
      assert.equal(await openEntries(path.join(cwd, 'private')), []);
    } finally {
      process.umask(umask);
    }
  });
});

test.run();
