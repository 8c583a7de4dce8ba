import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { interruptAt } from '../../../support/interrupt.ts';
import { until } from '../../../support/until.ts';
import { EMAILS, listing, testOldFolder } from './old-folders.ts';
import { thereAndBack } from './there-and-back.ts';

testOldFolder('a folder of version 0.1.0', (test) => {
  thereAndBack(test);

  test('only when no process has it open: the start names the one that has, and changes nothing', async ({
    world,
    makeStore,
  }) => {
    const store = await makeStore();
    const { gateway } = await world.serve('old', store);
    const files = (await readdir(store)).sort();
    for (const args of [listing(store), ['serve', '--port', '0', '--dist', 'dist', '--store', store]]) {
      const { code, stderr } = await world.run('new', args);
      assert.is(code, 1, stderr);
      assert.match(
        stderr,
        new RegExp(`the process ${gateway.child.pid} \\(cli\\.js serve\\) has it open; stop`),
      );
    }
    assert.equal((await readdir(store)).sort(), ['before-sqlite', ...files]);
    await world.issueKey('old', store, 'cid@example.org');
    gateway.child.kill('SIGTERM');
    await gateway.ended;
    assert.equal(await world.listEmails('new', store), [...EMAILS, 'cid@example.org']);
  });

  test('not when a process of the old version opens it at the last moment, whose commit is not lost', async ({
    world,
    makeStore,
  }) => {
    const store = await makeStore();
    const env = interruptAt({ signal: 'SIGSTOP', step: 3, file: 'data.mdb.sealed' });
    const taking = world.start('new', listing(store), env);
    await until(() => existsSync(path.join(store, 'data.mdb.sealed')));
    await taking.printedError(/^/);
    const issuing = world.start('old', ['keys', 'issue', 'cid@example.org', '--store', store]);
    const locks = () => readFile('/proc/locks', 'utf8');
    await until(async () => (await locks()).includes(` ${issuing.child.pid} `));
    process.kill(-(taking.child.pid as number), 'SIGCONT');
    const { code, stderr } = await taking.ended;
    assert.is(code, 1, stderr);
    assert.match(stderr, new RegExp(`the process ${issuing.child.pid} \\(cli\\.js keys\\) has it open`));
    assert.is((await issuing.ended).code, 0);
    assert.equal(await world.listEmails('old', store), [...EMAILS, 'cid@example.org']);
    assert.equal(await world.listEmails('new', store), [...EMAILS, 'cid@example.org']);
  });

  test('once, when two processes start at the same time', async ({ world, makeStore }) => {
    const store = await makeStore();
    assert.equal(await Promise.all([world.listEmails('new', store), world.listEmails('new', store)]), [
      EMAILS,
      EMAILS,
    ]);
  });
});
