import type { JSX } from 'preact';
import { CHARACTERS, type GameBuild } from '../../data/game-build.ts';
import { type BuildChanges, readChanges } from '../build-changes.ts';
import { collectionsOf, listModelOf, listOf, textAt } from '../game-data.ts';
import { successorOf, summarize } from '../game-summary.ts';
import { Count, CountOf, countOf, Day, Since } from '../layout/format.tsx';
import { wordsOf } from '../model/format-value.ts';
import { listAddressOf } from '../model/linked.ts';
import { describeChanges } from '../parts/describe-changes.tsx';
import { GameHead } from '../parts/game-head.tsx';
import { PictureCredit } from '../parts/pictures.tsx';
import { RecordLinks } from '../parts/record-links.tsx';
import { TimeLine } from '../parts/time-line.tsx';
import { linkOf, selectFrom } from '../record-links.ts';
import { SAMPLE_SIZE } from '../sample.ts';
import { gameOf, type SitePage, type SiteServices } from '../site-page.ts';
import { Tile } from '../views/tile.tsx';

/** How many characters are shown. */
const MAX_CHARACTERS = 60;
const BANNERS = 'banners';
const MAX_BANNERS = 4;

export const gamePage: SitePage = {
  path: '/games/:game',
  kind: 'list',
  isFreeAtFirst: true,
  relevantQuery: (query, visit) => {
    const page = pageIn(query, gameOf(visit), visit.services);
    return page === 1 ? '' : `page=${page}`;
  },
  async make(visit) {
    const game = gameOf(visit);
    const { counts } = summarize(game);
    const { isSample, archive } = visit.services;
    const successor = successorOf(visit.view, game);
    const changes = await readChanges(archive(), game);
    return {
      title: game.title,
      description: `${countOf(counts.characters, 'character')} and ${countOf(counts.datasets, 'dataset')} of ${game.title}: stats, skills, materials and what each patch changed, as pages and as JSON.`,
      subject: { '@context': 'https://schema.org', '@type': 'VideoGame', name: game.title },
      path: `/games/${game.slug}`,
      isUnlisted: visit.query !== '',
      width: 'wide',
      body: (
        <>
          <GameHead view={visit.view} game={game} current="overview" />
          <NewestPatch game={game} changes={changes} />
          {successor && (
            <p>
              This game has ended here: no newer builds come.{' '}
              <a href={`/games/${successor.slug}`}>{successor.title}</a> goes on.
            </p>
          )}
          <Characters
            game={game}
            services={visit.services}
            page={pageIn(visit.query, game, visit.services)}
          />
          {!isSample && <Banners game={game} services={visit.services} />}
          <Datasets game={game} />
          <h2>Builds</h2>
          <TimeLine builds={game.builds} />
        </>
      ),
    };
  },
};

function NewestPatch({ game: { slug }, changes }: { game: GameBuild; changes: BuildChanges }): JSX.Element {
  const { build, released_at } = changes;
  return (
    <p>
      Newest build:{' '}
      <a href={`/games/${slug}/patches/${encodeURIComponent(build)}`}>
        <strong>{build}</strong>
      </a>
      , <Since time={released_at} />: {describeChanges(changes)}.
    </p>
  );
}

/** Returns which characters an address asks for; the first page for one that there is not. */
function pageIn(query: string, { roster }: GameBuild, { isSample }: Pick<SiteServices, 'isSample'>): number {
  const page = Number(new URLSearchParams(query).get('page') ?? 1);
  const isThere = Number.isInteger(page) && page >= 1 && (page - 1) * MAX_CHARACTERS < roster.count;
  return isThere && !isSample ? page : 1;
}

function Characters({
  game,
  services,
  page,
}: {
  game: GameBuild;
  services: SiteServices;
  page: number;
}): JSX.Element {
  const { isSample } = services;
  const { slug, roster } = game;
  const model = listModelOf(game, CHARACTERS, roster, services);
  const shown = Math.min(roster.count, isSample ? SAMPLE_SIZE : MAX_CHARACTERS);
  const begin = (page - 1) * MAX_CHARACTERS;
  const sort = model.tile.rarity === undefined ? [] : [['sort', `-${model.tile.rarity}`] as const];
  const rows = isSample ? [...Array(shown).keys()] : (selectFrom(roster, sort)?.rows ?? []);
  return (
    <>
      <h2 id="characters">Characters</h2>
      <RecordLinks
        links={rows.slice(begin, begin + shown).map((row) => linkOf(game, model, row))}
        size={56}
        hasNotes
      />
      <PictureCredit game={game} model={model} />
      <p class="actions">
        {isSample && (
          <>
            The first {shown} of <Count value={roster.count} />. With <a href="/#key">a free key</a>, all of
            them are there.{' '}
          </>
        )}
        <a class="button" href={listAddressOf(slug, CHARACTERS)}>
          All <Count value={roster.count} /> as a table
        </a>{' '}
        {page > 1 && (
          <a class="button quiet" rel="prev" href={pageAddress(slug, page - 1)}>
            Previous page
          </a>
        )}{' '}
        {!isSample && begin + shown < roster.count && (
          <a class="button quiet" rel="next" href={pageAddress(slug, page + 1)}>
            Next page
          </a>
        )}
      </p>
    </>
  );
}

function pageAddress(slug: string, page: number): string {
  return `/games/${slug}${page > 1 ? `?page=${page}` : ''}#characters`;
}

/** The banners that began last, if the data has any. */
function Banners({ game, services }: { game: GameBuild; services: SiteServices }): JSX.Element | null {
  const list = listOf(game, BANNERS);
  const rows = list && selectFrom(list, [['sort', '-start']])?.rows;
  if (list === undefined || rows === undefined) return null;
  const model = listModelOf(game, BANNERS, list, services);
  return (
    <>
      <h2 id="banners">Newest banners</h2>
      <ul class="rows pictured-rows">
        {rows.slice(0, MAX_BANNERS).map((row) => {
          const { href, name, tile } = linkOf(game, model, row);
          const [start, end] = [textAt(list, row, 'start'), textAt(list, row, 'end')];
          return (
            <li key={href}>
              <Tile tile={tile} />
              <a href={href}>{name}</a>
              <span class="muted">
                {start && <Day time={start} />}
                {end && (
                  <>
                    {' '}
                    – <Day time={end} />
                  </>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      <p>
        <a href={listAddressOf(game.slug, BANNERS)}>
          All <CountOf count={list.count} noun="banner" />
        </a>
      </p>
    </>
  );
}

function Datasets({ game }: { game: GameBuild }): JSX.Element | null {
  const { slug, datasets } = game;
  const lists = collectionsOf(game).filter(({ key }) => key !== CHARACTERS);
  const objects = [...datasets.values()].filter(({ kind }) => kind === 'object');
  if (lists.length + objects.length === 0) return null;
  return (
    <>
      <h2 id="datasets">More data</h2>
      <ul class="cards">
        {[...lists, ...objects.map(({ key }) => ({ key, label: wordsOf(key), count: undefined }))].map(
          ({ key, label, count }) => (
            <li key={key}>
              <a class="card" href={listAddressOf(slug, key)}>
                <span class="card-title">{label}</span>
                <span class="muted small">
                  {count === undefined ? 'facts' : <CountOf count={count} noun="record" />}
                </span>
              </a>
            </li>
          ),
        )}
      </ul>
    </>
  );
}
