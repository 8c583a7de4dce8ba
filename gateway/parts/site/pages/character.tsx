import { Island } from '../layout/island.tsx';
import { firstRecords, gameDataOf } from '../game-data.ts';
import type { CharacterData } from '../model/page-data.ts';
import { Arrival } from '../parts/arrival.tsx';
import { SAMPLE_SIZE } from '../sample.ts';
import { gameOf, type SitePage } from '../site-page.ts';
import { Character } from '../views/character.tsx';

/**
 * The page of a character. Only those of the sample are on it; every other id has the same page, so that it does not show which exist in a
 * build that free keys do not see.
 */
export const characterPage: SitePage = {
  path: '/games/:game/characters/:id',
  relevantParams(visit) {
    const { slug, roster } = gameOf(visit);
    const { id = '' } = visit.params;
    const row = roster.rowOfId?.get(id);
    return { game: slug, id: row !== undefined && row < SAMPLE_SIZE ? id : '' };
  },
  make(visit) {
    const game = gameOf(visit);
    const id = visit.params.id ?? '';
    const record =
      id === ''
        ? undefined
        : firstRecords(game.roster.fullRecords, SAMPLE_SIZE).find((each) => each.id === id);
    const name = typeof record?.name === 'string' ? record.name : undefined;
    const data: CharacterData = { game: gameDataOf(game, 'characters', game.roster), id, record };
    return {
      title: `${name ?? 'Character'}, ${game.title}`,
      description:
        name && `${name} of ${game.title}: stats, levels, materials and everything else in the data.`,
      path: `/games/${game.slug}/characters/${encodeURIComponent(id)}`,
      width: 'wide',
      islands: ['character'],
      body: (
        <>
          <Arrival game={game} />
          <Island name="character" component={Character} properties={{ data }} />
        </>
      ),
    };
  },
};
