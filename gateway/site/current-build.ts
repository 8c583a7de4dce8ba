import { gameOf, type SiteData } from './site-page.ts';

/** Which build of a game visitors see: small, so that an open page can ask again and again. It needs no key and costs no request. */
export const currentBuildData: SiteData = {
  path: '/games/:game/build.json',
  makeData(visit) {
    const { slug, build, released_at } = gameOf(visit);
    return { game: slug, build, released_at };
  },
};
