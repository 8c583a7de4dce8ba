import { Fleet } from '../campaigns/fleet.ts';
import { CommitWorld } from './commit-world.ts';
import { type FaultCampaign, noFigures } from './figures.ts';

/** How many commits there are at least, in the short form and in the full one. */
const LEAST_SHORT = 200;
const LEAST = 2000;
/** One without kills, one with them. */
const LEAST_ROUNDS = 2;
/** A campaign that lasts at least so long is a full one, in seconds. */
const FULL_SECONDS = 60;

/** Every commit that a command or a process has acknowledged is in the store afterwards, and in each backup that was begun later. */
export const campaign: FaultCampaign = {
  name: 'acknowledged commits',
  about:
    'several writers beside a gateway and backups, kills in every second round: each acknowledged commit is in the store and in later backups',
  needs: [],
  async run(terms) {
    const fleet = await Fleet.open({ count: 1, hasFront: false });
    const figures = noFigures();
    const world = new CommitWorld(fleet, terms, figures);
    const least = terms.seconds < FULL_SECONDS ? LEAST_SHORT : LEAST;
    try {
      const isDone = (round: number) => round >= LEAST_ROUNDS && figures.tried >= least;
      for (let round = 0; !terms.isOver() || !isDone(round); round++) await world.run(round % 2 === 1);
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
