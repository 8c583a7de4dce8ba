import { type JsonObject, parseRecord } from '../../../scripts/format/dist-format.ts';
import { CHARACTERS, type GameBuild } from '../../data/game-build.ts';
import { firstRecords, gameDataOf, listModelOf } from '../game-data.ts';
import { Island } from '../layout/island.tsx';
import { compareRecords, MAX_COMPARED } from '../model/compare-rows.ts';
import { readListState, START, tidyQuery, writeListState } from '../model/list-state.ts';
import type { CompareData, Comparison } from '../model/page-data.ts';
import { GameHead } from '../parts/game-head.tsx';
import { PictureCredit } from '../parts/pictures.tsx';
import { SAMPLE_SIZE } from '../sample.ts';
import { gameOf, type SitePage } from '../site-page.ts';
import { Compare } from '../views/compare.tsx';

/** How many characters are compared if the address names none. */
const FIRST = 3;

/** Characters side by side. */
export const comparePage: SitePage = {
  path: '/games/:game/compare',
  kind: 'list',
  relevantParams: (visit) => ({ game: gameOf(visit).slug }),
  relevantQuery(query, { services }) {
    if (services.isSample) return '';
    // A form sends the chosen units one by one.
    const units = new URLSearchParams(query).getAll('unit');
    const { ids, lang } = readListState(tidyQuery(query, MAX_COMPARED));
    return writeListState({ ...START, lang, ids: [...new Set([...ids, ...units])].slice(0, MAX_COMPARED) });
  },
  make(visit) {
    const game = gameOf(visit);
    const { isSample } = visit.services;
    const model = listModelOf(game, CHARACTERS, game.roster, visit.services);
    const { ids } = readListState(visit.query);
    const data: CompareData = {
      game: gameDataOf(game, model),
      query: visit.query,
      comparison: compare(chosenOf(game, ids)),
      main: model.side.map(({ key }) => key).filter((key) => !key.includes('.')),
      tile: model.tile,
      sample: isSample ? compare(firstRecords(game.roster.fullRecords, SAMPLE_SIZE)) : undefined,
    };
    return {
      title: `Compare characters of ${game.title}`,
      description: `Characters of ${game.title} side by side, with the largest value of each stat marked.`,
      isUnlisted: visit.query !== '',
      path: `/games/${game.slug}/compare`,
      width: 'wide',
      islands: ['compare'],
      body: (
        <>
          <GameHead view={visit.view} game={game} current="compare" heading={`Compare ${game.title}`} />
          <Island name="compare" component={Compare} properties={{ data }} />
          <PictureCredit game={game} model={model} />
        </>
      ),
    };
  },
};

/** The full records of some characters; of the first ones if none is known. */
function chosenOf({ roster, currentIds }: GameBuild, ids: readonly string[]): JsonObject[] {
  const current = currentIds.get(CHARACTERS);
  const rows = ids.flatMap(
    (id) => roster.rowOfId?.get(id) ?? roster.rowOfId?.get(current?.get(id) ?? '') ?? [],
  );
  if (rows.length === 0) return firstRecords(roster.fullRecords, FIRST);
  return [...new Set(rows)].flatMap((row) => roster.fullRecords[row] ?? []).map(parseRecord);
}

function compare(records: readonly JsonObject[]): Comparison {
  return {
    ids: records.map(({ id }) => String(id)),
    characters: records.map(namesOf),
    fields: compareRecords(records),
  };
}

/** The id of a record and its names in all languages. */
function namesOf(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([key]) => /^(id|name|name_.*)$/.test(key)));
}
