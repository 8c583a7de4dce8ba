import { startGateway, issueKey, NOON, type TestGateway } from '../support/harness.ts';
import { type Campaign, type Figures, noFigures, type Terms } from './campaign.ts';
import { GAME } from './fleet.ts';

const CAP = 10;
const HOUR_MS = 3_600_000;
/** How far the clock is set back at once. */
const MAX_STEP_MS = 120_000;

/** A gateway's clock is set forward and back while a free key is in use. */
export const campaign: Campaign = {
  name: 'clocks',
  about:
    'the clock is set back and forward by up to an hour: no key gets more than its cap, and no embargoed build shows',
  needs: [],
  async run(terms) {
    const embargoed = new Date(NOON + HOUR_MS / 2).toISOString();
    const gateway = await startGateway({
      ...GAME,
      'saga/2.0/build.json': { released_at: embargoed },
      'saga/2.0/characters.json': GAME['saga/1.0/characters.json'],
    });
    const figures = noFigures();
    try {
      for (let round = 0; !terms.isOver(); round++) await stepOnce(gateway, round, terms, figures);
    } finally {
      await gateway.stop();
    }
    return figures;
  },
};

async function stepOnce(gateway: TestGateway, round: number, { random, report }: Terms, figures: Figures) {
  const key = await issueKey(gateway.store, 'free', `ada-${round}@example.org`);
  let admitted = 0;
  gateway.clock.now = NOON;
  for (let sent = 0; sent < 20; sent++) {
    gateway.clock.now -= Math.floor(random() * MAX_STEP_MS);
    if ((await gateway.ask('/api/games', { key })).status === 200) admitted++;
  }
  figures.tried++;
  if (admitted <= CAP) return;
  figures.above += admitted - CAP;
  report(`${admitted} requests were admitted in round ${round}`);
}
