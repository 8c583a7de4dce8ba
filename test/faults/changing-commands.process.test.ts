import type { ChildProcess } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DISK_FAULTS, FAULTY_MACHINE_LACKS } from '../support/faulty-machine.ts';
import { withPrograms } from '../support/skip.ts';
import { type Change, ChangingWorld, startHost } from './changing-commands.ts';

/** About as many writing operations as a command has. */
const MAX_OPERATION = 12;

const test = suite('commands that change something');
const onLinux = FAULTY_MACHINE_LACKS === 'Linux' ? test.skip : withPrograms(test, 'gcc');

for (const fault of DISK_FAULTS) {
  onLinux(`each ends with code 1 and a clear message after ${fault}, and nothing is damaged`, async () => {
    const children: ChildProcess[] = [];
    let world: ChangingWorld | undefined;
    try {
      world = await ChangingWorld.open((env) => startHost(env, children));
      const faults: string[] = [];
      for (const [run, change] of world.changes.entries()) {
        const found = await world.findFault(change, run, fault, 1);
        if (found) faults.push(found);
      }
      assert.equal([...faults, ...(await world.findDamage())], []);
    } finally {
      for (const child of children) child.kill();
      await world?.close();
    }
  });
}

onLinux('a command says what is wrong with the disk, at whichever operation it fails', async () => {
  const children: ChildProcess[] = [];
  let world: ChangingWorld | undefined;
  try {
    world = await ChangingWorld.open((env) => startHost(env, children));
    const change = world.changes.find(({ args }) => args(0).includes('set'));
    const faults: (string | undefined)[] = [];
    for (const fault of DISK_FAULTS)
      for (let from = 1; from <= MAX_OPERATION; from++)
        faults.push(await world.findFault(change as Change, from, fault, from));
    assert.equal([...faults.filter(Boolean), ...(await world.findDamage())], []);
  } finally {
    for (const child of children) child.kill();
    await world?.close();
  }
});

test.run();
