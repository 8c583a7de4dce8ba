import { type FaultCampaign, noFigures } from './figures.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send, Traffic } from '../campaigns/traffic.ts';
import { readBack } from './read-back.ts';

/** Two gateways behind nginx are restarted alternately, each as soon as the other is ready, while clients send requests. */
export const campaign: FaultCampaign = {
  name: 'rolling restarts',
  about: 'gateways restarted alternately under load: nginx loses no request',
  rounds: { short: 3, full: 40 },
  needs: ['nginx'],
  async run({ isOver, report, random }) {
    const fleet = await Fleet.open();
    const figures = noFigures();
    try {
      const [key] = await fleet.issueKeys('pro', ['ada@example.org']);
      const ask = () => send(`${fleet.front}/api/saga/characters?rarity=${Math.floor(random() * 5)}`, key);
      const traffic = new Traffic(4, ask, ({ status, text }) => {
        if (status === 200) return;
        figures.lost++;
        report(`${status} ${text.slice(0, 200)}`);
      });
      for (let round = 0; !isOver(); round++) {
        await fleet.end(round % 2, 'SIGTERM');
        await fleet.start(round % 2);
      }
      await traffic.stop();
      figures.tried = traffic.sent;
      await readBack(fleet, { report }, figures);
    } finally {
      await fleet.close();
    }
    return figures;
  },
};
