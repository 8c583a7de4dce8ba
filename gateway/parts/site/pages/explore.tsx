import { HttpProblem } from '../../../core/http/problem.ts';
import { Island } from '../layout/island.tsx';
import type { PageContent } from '../layout/page-content.ts';
import { quote, suggest } from '../../../core/lib/suggest.ts';
import { collectionsOf, facetsOf, firstRecords, gameDataOf, listOf } from '../game-data.ts';
import type { ExploreData } from '../model/page-data.ts';
import { CollectionTabs } from '../parts/collection-tabs.tsx';
import { GameHead } from '../parts/game-head.tsx';
import { SAMPLE_SIZE } from '../sample.ts';
import { gameOf, type SitePage, type Visit } from '../site-page.ts';
import { Explore } from '../views/explore.tsx';

const make = (visit: Visit): PageContent => {
  const game = gameOf(visit);
  const collection = visit.params.dataset ?? 'characters';
  const list = listOf(game, collection);
  const collections = collectionsOf(game);
  if (list === undefined)
    throw noSuchList(
      game.slug,
      collection,
      collections.map(({ key }) => key),
    );
  const data: ExploreData = {
    game: gameDataOf(game, collection, list),
    collections,
    collection,
    records: list.count,
    facets: facetsOf(game, collection, list),
    sample: collection === 'characters' ? firstRecords(list.records, SAMPLE_SIZE) : [],
  };
  const label = collections.find(({ key }) => key === collection)?.label ?? collection;
  return {
    title: `${label} of ${game.title}`,
    description: `${label} of ${game.title} as a table to filter, search and sort, with the API request for it.`,
    path: `/games/${game.slug}/explore`,
    width: 'wide',
    islands: ['explore'],
    body: (
      <>
        <GameHead game={game} current="explore" heading={`Explore ${game.title}`} />
        <CollectionTabs game={game.slug} collections={collections} current={collection} />
        <Island name="explore" component={Explore} properties={{ data }} />
      </>
    ),
  };
};

function noSuchList(game: string, key: string, known: readonly string[]): HttpProblem {
  return new HttpProblem('unknown-dataset', `${game} has no list ${quote(key)}${suggest(key, known)}`);
}

/** The table of characters, and of each dataset that is a list. */
export const explorePages: readonly SitePage[] = [
  { path: '/games/:game/explore', make },
  { path: '/games/:game/explore/:dataset', make },
];
