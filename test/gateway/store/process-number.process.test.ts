import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcess } from '../../support/command.ts';
import { testInNamespaces } from '../../support/namespaces.ts';
import { BUILD } from '../../support/paths.ts';

const PROGRAM = `
  import { openLmdbStore } from './gateway/store/lmdb-store.js';
  const store = await openLmdbStore(process.argv[1]).catch((error) => console.log(error.message));
  if (store) {
    console.log(process.pid + ' reads ' + (await store.read(['a'])));
    if (process.argv[2] === 'stay') setInterval(() => {}, 1000);
    else await store.close();
  }`;

const test = suite<{ folder: string }>('processes with one number');
test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'store-'));
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

/** Starts a process that opens the store as process 1 of its own PID namespace. */
function openAsFirst(folder: string, stay = '') {
  const node = [process.execPath, '--input-type=module', '--eval', PROGRAM, folder, stay];
  return startProcess('unshare', ['--pid', '--fork', '--kill-child', ...node], { cwd: BUILD });
}

testInNamespaces(
  test,
  'the second process is refused with advice, and replaces the first after that was killed',
  async ({ folder }) => {
    const first = openAsFirst(folder, 'stay');
    try {
      await first.printed(/^1 reads /);
      const refused = await openAsFirst(folder).ended;
      assert.match(
        refused.stdout,
        `cannot open the store in ${folder}: another process with the number 1 has it open, as in two containers`,
      );
      // A process with another number keeps the lock file, and so the entry of the killed process.
      const other = startProcess(
        process.execPath,
        ['--input-type=module', '--eval', PROGRAM, folder, 'stay'],
        { cwd: BUILD },
      );
      try {
        await other.printed(/ reads /);
        first.child.kill('SIGKILL');
        await first.ended;
        assert.match((await openAsFirst(folder).ended).stdout, /^1 reads /);
      } finally {
        other.child.kill('SIGKILL');
        await other.ended;
      }
    } finally {
      first.child.kill('SIGKILL');
      await first.ended;
    }
  },
);

test.run();
