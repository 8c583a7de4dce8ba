import { SteadyClock } from '../../gateway/data/clock.ts';
import { listKeys } from '../../gateway/store/keys.ts';
import { Acknowledged } from '../campaigns/acknowledged.ts';
import type { Terms } from '../campaigns/campaign.ts';
import { GAME } from '../campaigns/fleet.ts';
import { issueKey, NOON, startGateway, type TestGateway } from '../support/harness.ts';
import { type FaultCampaign, type Figures, noFigures } from './figures.ts';

/** What a free account may send in a minute. */
const CAP = 10;
const REQUESTS = 20;
const HOUR_MS = 3_600_000;
/** How much time passes between two requests; all requests of a round are within a minute. */
const MAX_PAUSE_MS = 2000;

/** A machine on which the clock can be set, but not the monotonic clock. */
interface Machine {
  wall: number;
  monotonic: number;
}

/** The clock of a gateway's machine is set forward and back while a free key is in use. */
export const campaign: FaultCampaign = {
  name: 'clocks',
  about: 'the clock is set forward and back by up to an hour: caps hold, and no embargoed build is shown',
  rounds: { short: 10, full: 100 },
  needs: [],
  async run(terms) {
    const gateway = await startGateway({
      ...GAME,
      'saga/2.0/build.json': { released_at: new Date(NOON + HOUR_MS / 2).toISOString() },
      'saga/2.0/characters.json': [
        { id: 'secret', name: 'Secret' },
        ...(GAME['saga/1.0/characters.json'] as []),
      ],
    });
    const figures = noFigures();
    const acknowledged = new Acknowledged();
    try {
      for (let round = 0; !terms.isOver(); round++)
        acknowledged.issued(await stepClock(gateway, round, terms, figures));
      const lost = acknowledged.findLost((await listKeys(gateway.store)).map(({ key }) => key));
      figures.lost += lost.length;
      for (const line of lost) terms.report(line);
    } finally {
      await gateway.stop();
    }
    return figures;
  },
};

/** @returns the key that was used */
async function stepClock(
  gateway: TestGateway,
  round: number,
  { random, report }: Terms,
  figures: Figures,
): Promise<string> {
  const machine: Machine = { wall: NOON, monotonic: 0 };
  const log = { info() {}, error() {}, access() {} };
  const clock = new SteadyClock({ log, wall: () => machine.wall, monotonic: () => machine.monotonic });
  const key = await issueKey(gateway.store, 'free', `ada-${round}@example.org`);
  let admitted = 0;
  for (let sent = 0; sent < REQUESTS; sent++) {
    machine.monotonic += Math.floor(random() * MAX_PAUSE_MS);
    machine.wall = NOON + machine.monotonic + Math.floor((random() * 2 - 1) * HOUR_MS);
    gateway.clock.now = clock.now();
    const { status } = await gateway.ask('/api/games', { key });
    if (status === 200) admitted++;
    const secret = await gateway.ask('/api/saga/characters/secret');
    figures.tried += 2;
    if (secret.status === 404) continue;
    figures.wrong++;
    report(`the embargoed character got ${secret.status} in round ${round}`);
  }
  if (admitted > CAP) {
    figures.above += admitted - CAP;
    report(`${admitted} requests were admitted in round ${round}`);
  }
  return key;
}
