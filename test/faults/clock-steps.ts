import { Fleet, GAME } from '../campaigns/fleet.ts';
import { send } from '../campaigns/traffic.ts';
import { FAULTY_MACHINE_LACKS, FaultyMachine } from '../support/faulty-machine.ts';
import { type FaultCampaign, noFigures } from './figures.ts';

/** What a free account may send in a minute. */
const CAP = 10;
const REQUESTS = 20;
const HOUR_MS = 3_600_000;
const MAX_STEP_MS = 12 * HOUR_MS;

/** The clock of the machine of a gateway is set while a key is in use, in real time. */
export const campaign: FaultCampaign = {
  name: 'clock steps',
  about:
    'the clock of a running gateway is set by up to 12 hours: caps hold, and no embargoed build is shown',
  // It fails: docs/operators/faults.md says how.
  rounds: { short: 0, full: 200 },
  needs: [],
  lacks: FAULTY_MACHINE_LACKS,
  async run({ isOver, random, report }) {
    const machine = await FaultyMachine.open('/nowhere');
    const released = new Date(Date.now() + HOUR_MS).toISOString();
    const files = {
      ...GAME,
      'saga/2.0/build.json': { released_at: released },
      'saga/2.0/characters.json': [
        { id: 'secret', name: 'Secret' },
        ...(GAME['saga/1.0/characters.json'] as []),
      ],
    };
    const fleet = await Fleet.open({ files, count: 1, hasFront: false, env: machine.env });
    const figures = noFigures();
    try {
      const [pro = ''] = await fleet.issueKeys('pro', ['pro@example.org']);
      for (let round = 0; !isOver(); round++) {
        const [free = ''] = await fleet.issueKeys('free', [`ada-${round}@example.org`]);
        const started = performance.now();
        let admitted = 0;
        for (let sent = 0; sent < REQUESTS; sent++) {
          machine.shiftClock((random() * 2 - 1) * MAX_STEP_MS);
          if ((await send(`${fleet.address(0)}/api/games`, free)).status === 200) admitted++;
        }
        const { status } = await send(`${fleet.address(0)}/api/saga/characters/secret`, pro);
        figures.tried += REQUESTS;
        if (status !== 404) figures.wrong++;
        if (status !== 404) report(`the embargoed character got ${status} in round ${round}`);
        if (admitted <= CAP || performance.now() - started > 60_000) continue;
        figures.above += admitted - CAP;
        report(`${admitted} requests were admitted in round ${round}`);
      }
    } finally {
      await fleet.close();
      await machine.close();
    }
    return figures;
  },
};
