import type { Terms } from '../campaigns/campaign.ts';
import { Fleet, GAME } from '../campaigns/fleet.ts';
import { send } from '../campaigns/traffic.ts';
import { FAULTY_MACHINE_LACKS, FaultyMachine } from '../support/faulty-machine.ts';
import { type FaultCampaign, type Figures, noFigures } from './figures.ts';
import { readBack } from './read-back.ts';

/** What a free account may send in a minute, and in a day. A step forward begins another minute, but not another day. */
const MINUTE_CAP = 10;
const DAY_CAP = 200;
/** In these, every key uses up its day: every second step or so is forward. */
const STEPS = 50;
const HOUR_MS = 3_600_000;
/** Steps are at most this far from the real time, so that they are all in two days. */
const MAX_STEP_MS = 12 * HOUR_MS;

/** The clock of the machine of a gateway is set while a key is in use, in real time. */
export const campaign: FaultCampaign = {
  name: 'clock steps',
  about:
    "the clock of a running gateway is set by up to 12 hours: no key gets more than the day's cap, and no embargoed build is shown",
  rounds: { short: 10, full: 100 },
  needs: [],
  lacks: FAULTY_MACHINE_LACKS,
  async run(terms) {
    const machine = await FaultyMachine.open('/nowhere');
    const released = new Date(Date.now() + MAX_STEP_MS / 2).toISOString();
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
      for (let round = 0; !terms.isOver(); round++) {
        const [free = ''] = await fleet.issueKeys('free', [`ada-${round}@example.org`]);
        const admitted = await stepClock(fleet, machine, free, terms, figures);
        figures.above += Math.max(0, admitted - DAY_CAP);
        if (admitted > DAY_CAP) terms.report(`${admitted} requests were admitted in round ${round}`);
        const { status } = await send(`${fleet.address(0)}/api/saga/characters/secret`, pro);
        if (status === 404) continue;
        figures.wrong++;
        terms.report(`the embargoed character got ${status} in round ${round}`);
      }
      await readBack(fleet, terms, figures);
    } finally {
      await fleet.close();
      await machine.close();
    }
    return figures;
  },
};

/** Uses a key at the latest time first, which begins the later day; the steps then cross midnight again and again. @returns how many requests were admitted */
async function stepClock(
  fleet: Fleet,
  machine: FaultyMachine,
  key: string,
  { random, report }: Terms,
  figures: Figures,
): Promise<number> {
  let admitted = 0;
  for (let step = 0; step < STEPS; step++) {
    machine.shiftClock(step === 0 ? MAX_STEP_MS : (random() * 2 - 1) * MAX_STEP_MS);
    const outcomes = await Promise.all(
      Array.from({ length: MINUTE_CAP }, () => send(`${fleet.address(0)}/api/games`, key)),
    );
    figures.tried += outcomes.length;
    admitted += outcomes.filter(({ status }) => status === 200).length;
    for (const { status, text } of outcomes.filter(({ status }) => status !== 200 && status !== 429)) {
      figures.lost++;
      report(`a free key got ${status} ${text.slice(0, 200)}`);
    }
  }
  return admitted;
}
