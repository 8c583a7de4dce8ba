import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { startProcess } from '../../../support/command.ts';
import { interruptAt } from '../../../support/interrupt.ts';
import { countSteps } from '../../../support/random.ts';
import { CAN_MOUNT, SmallDisk } from '../../../support/small-disk.ts';
import { EMAILS, listing, testOldFolder } from './old-folders.ts';

testOldFolder('an old folder', (test) => {
  test('whole or not at all, when it is killed at any step', async ({ world, makeStore }) => {
    let last = 0;
    for (const step of countSteps(5)) {
      const store = await makeStore();
      const env = interruptAt({ signal: 'SIGKILL', step, file: store });
      const { code, signal, stderr } = await world.run('new', listing(store), env);
      if (code === 0) break;
      last = step;
      assert.is(signal, 'SIGKILL', stderr);
      const head = (await readFile(path.join(store, 'data.mdb'))).subarray(0, 7).toString();
      if (head !== 'This is') assert.equal(await world.listEmails('old', store), EMAILS, `step ${step}`);
      else assert.is((await world.run('old', listing(store))).code, 1, `step ${step}`);
      assert.equal(await world.listEmails('new', store), EMAILS, `step ${step}`);
      await rm(store, { recursive: true });
    }
    assert.ok(last > 5, `only ${last} steps`);
  });

  (CAN_MOUNT ? test : test.skip)(
    'on a full disk not at all, and then with room',
    async ({ world, makeStore }) => {
      const place = path.join(world.root, 'disk');
      await mkdir(place);
      const disk = await SmallDisk.open(place, 4 * 1024 * 1024);
      const run = (version: 'old' | 'new') => {
        const [program, ...rest] = disk.inside(world.commandLine(version, listing(`${place}/store`)));
        return startProcess(program, rest).ended;
      };
      try {
        await cp(await makeStore(), disk.outside('store'), { recursive: true });
        for (const left of [4096, 40_000, 100_000]) {
          disk.fill(left);
          const refused = await run('new');
          assert.is(refused.code, 1, `${left} bytes were left`);
          assert.match(refused.stderr, /was not taken over: .*(no space|full)/);
          assert.is((await run('old')).code, 0);
          disk.free();
        }
        const { code, stdout, stderr } = await run('new');
        assert.is(code, 0, stderr);
        assert.is(JSON.parse(stdout).length, 2);
      } finally {
        await disk.close();
      }
    },
  );
});
