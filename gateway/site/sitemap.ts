import type { GameBuild } from '../data/game-build.ts';
import { HttpProblem } from '../http/problem.ts';
import { collectionsOf, listOf } from './game-data.ts';
import { addressOf, listAddressOf } from './model/linked.ts';
import { gameOf, type SiteData, type Visit } from './site-page.ts';

const XML = 'application/xml; charset=utf-8';
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** How many addresses a sitemap has; crawlers read up to 50,000. */
const MAX_ADDRESSES = 10_000;
/** Pages that belong to no game. */
const PAGES = ['/', '/games', '/contents', '/status', '/docs'];
const TABS = ['', '/attributes', '/compare', '/patches'];

/** The sitemaps of the free view: one of each game, or several if it has many records. */
export const sitemapIndex: SiteData = {
  path: '/sitemap.xml',
  type: XML,
  makeData(visit) {
    const maps = [...visit.view.games.values()].flatMap((game) =>
      partsOf(visit, game).map((_, at) => ({
        path: `/sitemaps/${game.slug}/${at + 1}.xml`,
        date: game.released_at,
      })),
    );
    return write('sitemapindex', 'sitemap', visit, maps);
  },
};

export const gameSitemap: SiteData = {
  path: '/sitemaps/:game/:part.xml',
  type: XML,
  makeData(visit) {
    const game = gameOf(visit);
    const part = partsOf(visit, game)[Number(visit.params.part) - 1];
    if (part === undefined) throw new HttpProblem('not-found', `${game.slug} has no such sitemap`);
    return write(
      'urlset',
      'url',
      visit,
      part.map((path) => ({ path, date: game.released_at })),
    );
  },
};

/** What crawlers leave alone: the API, accounts, and the filtered forms of lists. */
export const robotsData: SiteData = {
  path: '/robots.txt',
  type: 'text/plain; charset=utf-8',
  makeData: ({ services }) =>
    [
      'User-agent: *',
      'Disallow: /api/',
      'Disallow: /account',
      'Disallow: /search',
      'Disallow: /*?',
      '',
      `Sitemap: ${services.publicUrl()}/sitemap.xml`,
      '',
    ].join('\n'),
};

/** The addresses of a game, in parts that are short enough. */
function partsOf({ services, view }: Visit, game: GameBuild): string[][] {
  const { slug, builds } = game;
  const isFirst = view.games.values().next().value === game;
  const lists = services.isSample ? [] : collectionsOf(game);
  const all = [
    ...(isFirst ? PAGES : []),
    ...TABS.map((tab) => `/games/${slug}${tab}`),
    ...builds.map(({ build }) => `/games/${slug}/patches/${encodeURIComponent(build)}`),
    ...lists.map(({ key }) => listAddressOf(slug, key)),
    ...lists.flatMap(({ key }) =>
      [...(listOf(game, key)?.rowOfId?.keys() ?? [])].map((id) => addressOf(slug, key, id)),
    ),
  ];
  return Array.from({ length: Math.ceil(all.length / MAX_ADDRESSES) }, (_, at) =>
    all.slice(at * MAX_ADDRESSES, (at + 1) * MAX_ADDRESSES),
  );
}

function write(
  root: string,
  element: string,
  { services }: Visit,
  entries: { path: string; date: string }[],
): string {
  const origin = services.publicUrl();
  const lines = entries.map(
    ({ path, date }) =>
      `<${element}><loc>${escapeXml(origin + path)}</loc><lastmod>${date.slice(0, 10)}</lastmod></${element}>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n${lines.join('\n')}\n</${root}>\n`;
}

function escapeXml(address: string): string {
  return address.replaceAll('&', '&amp;').replaceAll("'", '&apos;');
}
