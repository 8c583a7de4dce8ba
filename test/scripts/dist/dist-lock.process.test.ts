import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withDistLock } from '../../../scripts/dist/lock.ts';
import { LOCK_FILE } from '../../../scripts/format/dist-format.ts';
import { startProcess } from '../../support/command.ts';
import { withFolder } from '../../support/fixtures.ts';
import { BUILD } from '../../support/paths.ts';

const test = suite('dist lock of several processes');

test('while a process holds the lock, others are refused; when it is killed, the next one gets it', async () => {
  await withFolder({}, async (folder) => {
    const program = `
      const { withDistLock } = await import(process.argv[1]);
      await withDistLock(process.argv[2], () => new Promise(() => {
        console.log('locked');
        setInterval(() => {}, 1000);
      }));`;
    const module = path.join(BUILD, 'scripts/dist/lock.js');
    const args = ['--input-type=module', '-e', program, module, folder];
    const { child, ended } = startProcess(process.execPath, args);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    const refused = await withDistLock(folder, async () => {}).catch((error: Error) => error);
    assert.match(String(refused), 'another gamedata is writing');
    child.kill('SIGKILL');
    await ended;
    const outcomes = await Promise.allSettled(
      [1, 2].map((one) => withDistLock(folder, () => Promise.resolve(one))),
    );
    // Which of the two is first is not decided.
    assert.equal(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    // An unchanged folder must look unchanged while it is locked.
    await withDistLock(folder, async () => assert.equal(await readdir(folder), [LOCK_FILE]));
    await writeFile(path.join(folder, LOCK_FILE), '{"owner":"another program"}');
    const older = await withDistLock(folder, async () => {}).catch((error: Error) => error);
    assert.match(String(older), 'CommandError: ');
    assert.match(String(older), 'delete it if no gamedata runs');
  });
});

test.run();
