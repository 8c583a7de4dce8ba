import { listBody } from '../../api/list-body.ts';
import { CHARACTERS, type GameBuild } from '../../data/game-build.ts';
import type { HttpProblem } from '../../http/problem.ts';
import { parseRawQuery } from '../../http/raw-query.ts';
import { quote, suggest } from '../../http/suggest.ts';
import { andThen } from '../../http/work.ts';
import { parseListQuery } from '../../query/list-query.ts';
import {
  collectionsOf,
  firstRecords,
  gameDataOf,
  type ListModel,
  listModelOf,
  listOf,
  textIn,
} from '../game-data.ts';
import { countOf } from '../layout/format.tsx';
import { Island } from '../layout/island.tsx';
import type { PageContent } from '../layout/page-content.ts';
import { columnsOf } from '../model/columns.ts';
import { valueAt } from '../model/facets.ts';
import { listAddressOf } from '../model/linked.ts';
import { readListState, tidyQuery } from '../model/list-state.ts';
import type { ExploreData, ListReply } from '../model/page-data.ts';
import { CollectionTabs } from '../parts/collection-tabs.tsx';
import { GameHead } from '../parts/game-head.tsx';
import { PictureCredit } from '../parts/pictures.tsx';
import { addPicture } from '../pictures.ts';
import { SAMPLE_SIZE } from '../sample.ts';
import { gameOf, NearProblem, Redirect, type SitePage, type Visit } from '../site-page.ts';
import { Explore, PAGE_SIZE } from '../views/explore.tsx';
import { objectPage } from './record.tsx';

/** The table of characters. */
export const charactersPage: SitePage = {
  path: '/games/:game/explore',
  kind: 'list',
  relevantParams: (visit) => ({ game: gameOf(visit).slug }),
  relevantQuery,
  make: (visit) => makeList(visit, CHARACTERS),
};

/** The table of a dataset, or the one object that it is. */
export const datasetPage: SitePage = {
  path: '/games/:game/:dataset',
  kind: 'list',
  relevantParams(visit) {
    const { slug, datasets } = gameOf(visit);
    const { dataset = '' } = visit.params;
    if (dataset !== CHARACTERS && !datasets.has(dataset)) throw noSuchDataset(gameOf(visit), dataset);
    return { game: slug, dataset };
  },
  relevantQuery,
  async make(visit) {
    const game = gameOf(visit);
    const key = visit.params.dataset ?? '';
    if (key === CHARACTERS) throw new Redirect(addressIn(game, key, visit.query));
    const dataset = game.datasets.get(key);
    return dataset?.kind === 'object' ? objectPage(visit, game, dataset) : await makeList(visit, key);
  },
};

/** Where lists of datasets were before. */
export const movedListPage: SitePage = {
  path: '/games/:game/explore/:list',
  relevantQuery,
  make(visit) {
    throw new Redirect(addressIn(gameOf(visit), visit.params.list ?? '', visit.query));
  },
};

function addressIn({ slug }: GameBuild, key: string, query: string): string {
  return `${listAddressOf(slug, key)}${query === '' ? '' : `?${query}`}`;
}

function noSuchDataset(game: GameBuild, key: string): HttpProblem {
  const lists = collectionsOf(game).map((list) => ({
    href: listAddressOf(game.slug, list.key),
    name: list.label,
  }));
  return new NearProblem(
    'unknown-dataset',
    `${game.title} has no list ${quote(key)}${suggest(key, game.datasets.keys())}`,
    [{ href: `/games/${game.slug}`, name: game.title }, ...lists],
  );
}

/** Without a key, a sample cannot be filtered. */
function relevantQuery(query: string, { services }: Omit<Visit, 'query'>): string {
  return services.isSample ? '' : tidyQuery(query, PAGE_SIZE);
}

async function makeList(visit: Visit, key: string): Promise<PageContent> {
  const game = gameOf(visit);
  const list = listOf(game, key);
  if (list === undefined) throw noSuchDataset(game, key);
  const { isSample } = visit.services;
  const model = listModelOf(game, key, list, visit.services);
  const { label } = model;
  const reply = isSample ? sampleReply(game, model) : await readList(game, model, visit.query);
  const data: ExploreData = {
    ...{ game: gameDataOf(game, model), collection: key, label, records: list.count, isSample },
    ...{ facets: model.facets, columns: model.columns, tile: model.tile, query: visit.query, list: reply },
    hasIds: list.rowOfId !== undefined,
    names: isSample ? {} : namesOf(game, model, reply),
  };
  const isWhole = readListState(visit.query).offset === 0 && visit.query === '';
  return {
    title: `${label} of ${game.title}`,
    description: `All ${countOf(list.count, 'record')} of ${label.toLowerCase()} of ${game.title}: a table to filter, search, sort and compare.`,
    isUnlisted: !isWhole,
    path: listAddressOf(game.slug, key),
    width: 'wide',
    islands: ['explore'],
    body: (
      <>
        <GameHead
          view={visit.view}
          game={game}
          current="explore"
          heading={key === CHARACTERS ? `Explore ${game.title}` : `${label} of ${game.title}`}
        />
        <CollectionTabs game={game.slug} collections={collectionsOf(game)} current={key} />
        <Island name="explore" component={Explore} properties={{ data }} />
        <PictureCredit game={game} model={model} />
      </>
    ),
  };
}

/** The attributes by which records are named: `name`, and what `nameOfRecord` reads where that is absent. */
function namesIn({ list, facets }: ListModel): string[] {
  const isWhole = facets.find(({ id }) => id === 'name')?.count === list.count;
  return ['name', ...(isWhole ? [] : [...list.attributes].filter((key) => /^[^.]+_name$/.test(key)))];
}

/** Reads a page of a list as the API does, with the attributes that its table shows. @throws ParameterError */
function readList(game: GameBuild, model: ListModel, query: string): ListReply | Promise<ListReply> {
  const { list, tile, columns } = model;
  const { fields, limit = PAGE_SIZE } = readListState(query);
  const shown = [
    ...columnsOf(columns, fields),
    tile.group,
    tile.rarity,
    tile.picture?.key,
    ...namesIn(model),
  ];
  const needed = new Set(
    shown.filter((key) => key !== undefined && (fields.includes(key) || list.attributes.has(key))),
  );
  const pairs = (parseRawQuery(query) ?? []).filter(([name]) => name !== 'fields' && name !== 'limit');
  const chosen = [...pairs, ['limit', String(limit)] as const, ['fields', [...needed].join()] as const];
  const raw = list.count === 0 || needed.size === 0 ? pairs : chosen;
  const parsed = parseListQuery(raw, list, limit, game.languages);
  const made = listBody({ path: '', search: '', query: [] }, list, parsed, game.opening, 'records');
  return andThen(made, ({ json }) => {
    const reply: ListReply = JSON.parse(json.toString());
    if (tile.picture) for (const record of reply.records ?? []) addPicture(record, list, tile.picture);
    return reply;
  });
}

/** The first characters; of other lists, nothing. */
function sampleReply({ build, roster }: GameBuild, { key, list }: ListModel): ListReply {
  const records = key === CHARACTERS ? firstRecords(roster.records, SAMPLE_SIZE) : [];
  return { build, total: list.count, count: records.length, records };
}

/** The names of what records refer to. */
function namesOf(game: GameBuild, { known }: ListModel, { records = [] }: ListReply): ExploreData['names'] {
  const names: ExploreData['names'] = {};
  const refs = [...known.values()].flatMap(({ key, ref }) => (ref === undefined ? [] : [{ key, ref }]));
  for (const { key, ref } of refs) {
    for (const value of records.flatMap((record) => [valueAt(record, key)].flat())) {
      const name = typeof value === 'string' ? textIn(game, ref, value, 'name') : undefined;
      if (name !== undefined) names[`${ref}/${String(value)}`] = name;
    }
  }
  return names;
}
