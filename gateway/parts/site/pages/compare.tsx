import type { JsonObject } from '../../../../scripts/core/format/json.ts';
import { Island } from '../layout/island.tsx';
import { firstRecords, gameDataOf } from '../game-data.ts';
import { compareRecords } from '../model/compare-rows.ts';
import type { CompareData } from '../model/page-data.ts';
import { GameHead } from '../parts/game-head.tsx';
import { SAMPLE_SIZE } from '../sample.ts';
import { gameOf, type SitePage } from '../site-page.ts';
import { Compare } from '../views/compare.tsx';

/** Characters side by side. */
export const comparePage: SitePage = {
  path: '/games/:game/compare',
  make(visit) {
    const game = gameOf(visit);
    const records = firstRecords(game.roster.fullRecords, SAMPLE_SIZE);
    const data: CompareData = {
      game: gameDataOf(game, 'characters', game.roster),
      sample: {
        ids: records.map(({ id }) => String(id)),
        characters: records.map(namesOf),
        fields: compareRecords(records),
      },
    };
    return {
      title: `Compare characters of ${game.title}`,
      description: `Characters of ${game.title} side by side, with the largest value of each stat marked.`,
      path: `/games/${game.slug}/compare`,
      width: 'wide',
      islands: ['compare'],
      body: (
        <>
          <GameHead game={game} current="compare" heading={`Compare ${game.title}`} />
          <Island name="compare" component={Compare} properties={{ data }} />
        </>
      ),
    };
  },
};

/** The id of a record and its names in all languages. */
function namesOf(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([key]) => /^(id|name|name_.*)$/.test(key)));
}
