import type { ChildProcess } from 'node:child_process';
import { pick } from '../campaigns/campaign.ts';
import { DISK_FAULTS, FAULTY_MACHINE_LACKS } from '../support/faulty-machine.ts';
import { ChangingWorld, startHost } from './changing-commands.ts';
import { type FaultCampaign, noFigures } from './figures.ts';

/** The writing operations of a command, about: one of them is the first that fails. */
const MAX_OPERATION = 8;
/** After how many faults everything is verified. */
const VERIFIED_EVERY = 10;

/** Commands that change something run on a disk that is full, read-only or defective. */
export const campaign: FaultCampaign = {
  name: 'changes on failing disks',
  about: 'a disk fails at a step of a command that changes something: it says so, and nothing is damaged',
  rounds: { short: 10, full: 300 },
  needs: [],
  lacks: FAULTY_MACHINE_LACKS,
  async run({ isOver, random, report }) {
    const figures = noFigures();
    const children: ChildProcess[] = [];
    const endHost = () => children.map((child) => child.kill());
    const world = await ChangingWorld.open((env) => startHost(env, children)).catch((error: Error) => {
      endHost();
      throw error;
    });
    const verify = async () => {
      for (const damage of await world.findDamage()) {
        figures.torn++;
        report(damage);
      }
    };
    try {
      for (let run = 0; !isOver(); run++) {
        const from = 1 + Math.floor(random() * MAX_OPERATION);
        const fault = await world.findFault(
          pick(world.changes, random),
          run,
          pick(DISK_FAULTS, random),
          from,
        );
        figures.tried++;
        if (fault) figures[/ended with SIG/.test(fault) ? 'silent' : 'wrong']++;
        if (fault) report(fault);
        if (run % VERIFIED_EVERY === VERIFIED_EVERY - 1) await verify();
      }
      await verify();
    } finally {
      endHost();
      await world.close();
    }
    return figures;
  },
};
