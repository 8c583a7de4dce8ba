import { type FaultCampaign, noFigures } from './figures.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send } from '../campaigns/traffic.ts';
import { readBack } from './read-back.ts';

/** How many requests are sent at once. */
const AT_ONCE = 500;
const PATHS = [
  '/api/saga/characters?limit=1000&sort=-rarity,name',
  '/api/saga/characters?q=unit%201',
  '/api/saga/compare?ids=u1,u2,u3,u4,u5,u6',
  '/api/saga/snapshot/latest',
  '/api/saga/history',
];

/** Far more requests than a gateway can serve at once. */
export const campaign: FaultCampaign = {
  name: 'overload',
  about: `${AT_ONCE} costly requests at once, repeatedly: each gets a complete response, or 503`,
  rounds: { short: 2, full: 20 },
  needs: [],
  async run({ isOver, random, report }) {
    const fleet = await Fleet.open({ count: 1, hasFront: false });
    const figures = noFigures();
    try {
      const [key] = await fleet.issueKeys('pro', ['ada@example.org']);
      const ask = async () => {
        const { status, text } = await send(
          fleet.address(0) + PATHS[Math.floor(random() * PATHS.length)],
          key,
        );
        figures.tried++;
        if (status === 200 || status === 503) return;
        figures[status === 0 ? 'lost' : 'wrong']++;
        report(`${status} ${text.slice(0, 200)}`);
      };
      while (!isOver()) await Promise.all(Array.from({ length: AT_ONCE }, ask));
      await readBack(fleet, { report }, figures);
    } finally {
      await fleet.close();
    }
    return figures;
  },
};
