import { type JsonObject, parseRecord } from '../../scripts/format/dist-format.ts';
import { deprecationFields } from '../api/handle-route.ts';
import type { GameBuild } from '../data/game-build.ts';
import type { SiteData } from './site-page.ts';
import { gameOf } from './site-page.ts';

/** How many characters the sample of a game has. */
export const SAMPLE_SIZE = 10;

/** The first characters of a game, in the form of a roster's response. */
export interface Sample {
  game: string;
  build: string;
  total: number;
  count: number;
  limit: number;
  offset: number;
  sort: string;
  characters: JsonObject[];
}

/** Makes the sample of a game, which needs no key: it is the same for all visitors. */
export function sampleOf({ slug, build, roster }: GameBuild): Sample {
  const characters = roster.records.slice(0, SAMPLE_SIZE).map(parseRecord);
  return {
    game: slug,
    build,
    total: roster.count,
    count: characters.length,
    limit: SAMPLE_SIZE,
    offset: 0,
    sort: 'id',
    characters,
  };
}

/** It is deprecated: pages show all that a free key sees. */
export const sampleData: SiteData = {
  path: '/games/:game/sample.json',
  headers: deprecationFields({ since: '2026-11-26', sunset: '2027-12-01', link: '/docs/consumers/changes' }),
  makeData: (visit) => sampleOf(gameOf(visit)),
};
