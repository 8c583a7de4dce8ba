import { type AttackCampaign, Tally } from './figures.ts';
import { forgeDownloads, forgeKeys } from './forged-keys.ts';
import { forgeMemberships } from './forged-memberships.ts';
import { forgeForms, forgeLinks, forgeSessions, takeOthers } from './forged-sessions.ts';
import { openForgeryWorld } from './forgery-world.ts';
import { readSurface } from './surface.ts';

/** Webhooks of platforms, links, sessions, forms, keys and signed addresses that nobody gave the attacker. */
export const campaign: AttackCampaign = {
  name: 'forgeries',
  about:
    'forged, guessed, expired and repeated webhooks of platforms, links, sessions, forms, keys and downloads: none is accepted',
  needs: [],
  async run(terms) {
    const tally = new Tally(terms);
    const { posts } = await readSurface();
    const forms = posts.filter((path) => path.startsWith('/account/') && path !== '/account/enter');
    const world = await openForgeryWorld(tally, terms.random);
    try {
      while (!terms.isOver()) {
        await forgeMemberships(world);
        await forgeLinks(world);
        await forgeSessions(world);
        await forgeForms(world, forms);
        await takeOthers(world);
        await forgeKeys(world);
        await forgeDownloads(world);
      }
    } finally {
      await world.close();
    }
    return tally.figures;
  },
};
