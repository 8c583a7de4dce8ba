import type { ChildProcess } from 'node:child_process';
import { pick } from '../campaigns/campaign.ts';
import { DISK_FAULTS, FAULTY_MACHINE_LACKS } from '../support/faulty-machine.ts';
import { ChangingWorld } from './changing-commands.ts';
import { type FaultCampaign, noFigures } from './figures.ts';

/** The first operation that fails is one of so many, about as often one of the first few as a later one. */
const MAX_OPERATION = 512;
/** Commands that change something run on a disk that is full, read-only or defective. */
export const campaign: FaultCampaign = {
  name: 'changes on failing disks',
  about: 'a disk fails at a step of a command that changes something: it says so, and nothing is damaged',
  rounds: { short: 20, full: 400 },
  needs: ['git'],
  lacks: FAULTY_MACHINE_LACKS,
  async run({ isOver, random, report }) {
    const figures = noFigures();
    const children: ChildProcess[] = [];
    let world: ChangingWorld | undefined;
    try {
      world = await ChangingWorld.open(children);
      while (!isOver()) {
        const from = Math.floor(MAX_OPERATION ** random());
        const faults = await world.findFaults(pick(world.changes, random), pick(DISK_FAULTS, random), from);
        figures.tried++;
        for (const fault of faults) {
          figures[/ended with SIG/.test(fault) ? 'silent' : 'wrong']++;
          report(fault);
        }
      }
    } finally {
      for (const child of children) child.kill();
      await world?.close();
    }
    return figures;
  },
};
