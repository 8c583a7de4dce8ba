import type { ChildProcess } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DISK_FAULTS, FAULTY_MACHINE_LACKS } from '../support/faulty-machine.ts';
import { sampleOf } from '../support/random.ts';
import { withPrograms } from '../support/skip.ts';
import type { Change } from './change.ts';
import { ChangingWorld } from './changing-commands.ts';

/** About as many writing operations as a command has. */
const OPERATIONS = Array.from({ length: 12 }, (_, at) => at + 1);

const test = suite('commands that change something');
const onLinux = FAULTY_MACHINE_LACKS === 'Linux' ? test.skip : withPrograms(test, 'gcc', 'git');

async function inWorld(work: (world: ChangingWorld) => Promise<void>): Promise<void> {
  const children: ChildProcess[] = [];
  let world: ChangingWorld | undefined;
  try {
    world = await ChangingWorld.open(children);
    await work(world);
  } finally {
    for (const child of children) child.kill();
    await world?.close();
  }
}

onLinux('each ends with code 1 and a clear message when the disk fails, and nothing is damaged', async () => {
  await inWorld(async (world) => {
    const faults: string[] = [];
    for (const fault of DISK_FAULTS)
      for (const change of sampleOf(world.changes, 6))
        faults.push(...(await world.findFaults(change, fault, 1)));
    assert.equal(faults, []);
  });
});

onLinux('a command says what is wrong with the disk, at whichever operation it fails', async () => {
  await inWorld(async (world) => {
    const change = world.changes.find(({ args }) => args.includes('set'));
    const faults: string[] = [];
    for (const fault of DISK_FAULTS)
      for (const from of sampleOf(OPERATIONS, 3))
        faults.push(...(await world.findFaults(change as Change, fault, from)));
    assert.equal(faults, []);
  });
});

test.run();
