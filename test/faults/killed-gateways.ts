import type { Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send } from '../campaigns/traffic.ts';
import { type FaultCampaign, type Figures, noFigures, readBack } from './figures.ts';

/** What a free account may send in a minute. */
const CAP = 10;
const REQUESTS = 80;

/** Two gateways on one store folder behind nginx are killed while free keys use up their caps. */
export const campaign: FaultCampaign = {
  name: 'killed gateways',
  about:
    'kill -9 of gateways under load: no key gets more than its cap, or its cap from each gateway while the store does not respond, and nginx hides the kill from clients',
  rounds: 100,
  needs: ['nginx'],
  async run(terms) {
    const fleet = await Fleet.open();
    const figures = noFigures();
    try {
      for (let round = 0; !terms.isOver(); round++) await killOnce(fleet, round, terms, figures);
      await readBack(fleet, terms, figures);
    } finally {
      await fleet.close();
    }
    return figures;
  },
};

async function killOnce(
  fleet: Fleet,
  round: number,
  { random, report }: Terms,
  figures: Figures,
): Promise<void> {
  const emails = [0, 1, 2, 3].map((index) => `ada-${round}-${index}@example.org`);
  const keys = await fleet.issueKeys('free', emails);
  const victim = Math.floor(random() * fleet.count);
  const killAt = Math.floor(random() * REQUESTS);
  const counts = new Map<string, number>();
  const inMemory = fleet.countedInMemory;
  let killed: Promise<void> | undefined;
  let started = 0;
  const ask = async (key: string) => {
    if (started++ === killAt) killed = fleet.end(victim, 'SIGKILL').then(() => fleet.start(victim));
    const { status, text } = await send(`${fleet.front}/api/games`, key);
    if (status === 200) counts.set(key, (counts.get(key) ?? 0) + 1);
    if (status === 200 || status === 429) return;
    figures.lost++;
    report(`kill ${round}: ${status} ${text.slice(0, 200)}`);
  };
  for (let sent = 0; sent < REQUESTS; sent += 8) {
    await Promise.all(Array.from({ length: 8 }, (_, index) => ask(keys[index % keys.length] as string)));
  }
  await killed;
  // Docs promise the cap as long as the store responds in time. While it does not, each gateway counts for itself.
  const cap = fleet.countedInMemory > inMemory ? CAP * fleet.count : CAP;
  for (const count of counts.values()) figures.above += Math.max(0, count - cap);
  figures.tried++;
}
