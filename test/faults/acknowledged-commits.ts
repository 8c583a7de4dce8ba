import { Fleet } from '../campaigns/fleet.ts';
import { CommitWorld } from './commit-world.ts';
import { type FaultCampaign, noFigures } from './figures.ts';

/** Every commit that a command or a process has acknowledged is in the store afterwards, and in each backup that was begun later. */
export const campaign: FaultCampaign = {
  name: 'acknowledged commits',
  about:
    'several writers beside a gateway and backups, kills in every second round: each acknowledged commit is in the store and in later backups',
  // A round has 100 commits, and every second one has kills.
  rounds: { short: 2, full: 20 },
  needs: [],
  async run(terms) {
    const fleet = await Fleet.open({ count: 1, hasFront: false });
    const figures = noFigures();
    const world = new CommitWorld(fleet, terms, figures);
    try {
      for (let round = 0; !terms.isOver(); round++) await world.run(round % 2 === 1);
    } finally {
      await fleet.close();
    }
    const { commits, byCommands, backups, kills } = world.counts;
    process.stderr.write(
      `acknowledged commits: ${commits} commits (${byCommands} by commands), ${backups} backups, ${kills} kills\n`,
    );
    return figures;
  },
};
