// Files beside the pages: assets, sitemaps, robots.txt, the guides as one text, security.txt.
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import type { GameBuild } from '../data/game-build.ts';
import { escapeHtml, onClose } from '../http/html.ts';
import type { Endpoint, FileHandler, Incoming } from '../http/incoming.ts';
import { HttpProblem } from '../http/problem.ts';
import { COMMON_HEADERS } from '../http/respond.ts';
import { addressOf, gameOf, listAddressOf, listsOf } from './data.ts';
import { localizeSamples } from './guides.ts';
import type { SiteData, Visit } from './page-server.ts';

/** The folder of the files that browsers load. Not `pathname`: it would encode a space in the path. */
export const ASSETS_FOLDER = fileURLToPath(new URL('./public/', import.meta.url));
/** The folder of the variants for a gateway without a site. */
const WITHOUT_SITE_FOLDER = fileURLToPath(new URL('./without-site/', import.meta.url));
/** Files below this path have their hash in their name, and never change. */
const ASSETS_PATH = '/assets/';
const FOREVER = 'public, max-age=31536000, immutable';
const A_DAY = 'public, max-age=86400';

/**
 * Serves the files that pages load. They were compressed when the code was compiled.
 *
 * @param onError called if a file cannot be read; sirv itself would end the process
 * @param hasSite whether the gateway has the guides that some files link to; without them, the variants without links are served
 */
export function serveAssets(
  onError: (error: unknown, request: Incoming, response: ServerResponse) => void,
  hasSite = true,
): FileHandler {
  const options = { etag: true, gzip: true, brotli: true, setHeaders };
  const sendAny = sirv(ASSETS_FOLDER, options);
  const sendFirst = hasSite ? undefined : sirv(WITHOUT_SITE_FOLDER, options);
  return (request, response, next) => {
    request.pattern = 'asset';
    response.once('pipe', (file) => {
      file.on('error', (error) => onError(error, request, response));
      onClose(response, () => file.destroy());
    });
    // sirv accepts any Range, even an invalid one. The files are short, so each is sent whole (RFC 9110, 14.2).
    delete request.headers.range;
    if (sendFirst) sendFirst(request, response, () => sendAny(request, response, next));
    else sendAny(request, response, next);
  };
}

function setHeaders(response: ServerResponse, file: string): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
  if (file.endsWith('.txt')) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  if (file.endsWith('.atom')) response.setHeader('Content-Type', 'application/atom+xml; charset=utf-8');
  response.setHeader('Cache-Control', file.startsWith(ASSETS_PATH) ? FOREVER : A_DAY);
}

/** All guides for API users as one text for language models. The samples have the address of this gateway. */
export function llmsData(hasSite: boolean): SiteData {
  const file = path.join(hasSite ? ASSETS_FOLDER : WITHOUT_SITE_FOLDER, 'llms-full.txt');
  return {
    path: '/llms-full.txt',
    type: 'text/plain; charset=utf-8',
    makeData: async ({ services }) => localizeSamples(await readFile(file, 'utf8'), services.publicUrl()),
  };
}

const XML = 'application/xml; charset=utf-8';
/** How many addresses a sitemap has; crawlers read up to 50,000. */
const MAX_ADDRESSES = 10_000;
/** Pages that belong to no game. */
const PAGES = ['/', '/games', '/contents', '/status', '/docs'];
const TABS = ['', '/attributes', '/compare', '/patches'];

/** The sitemaps of the free view: one per game, several if it has many records. */
export const sitemapIndex: SiteData = {
  path: '/sitemap.xml',
  type: XML,
  async makeData(visit) {
    const games = [...visit.view.games.values()];
    const parts = await Promise.all(games.map((game) => partsOf(visit, game)));
    const maps = games.flatMap(({ slug, released_at }, at) =>
      (parts[at] ?? []).map((_, part) => ({ path: `/sitemaps/${slug}/${part + 1}.xml`, date: released_at })),
    );
    return write('sitemapindex', 'sitemap', visit, maps);
  },
};

export const sitemapData: SiteData = {
  path: '/sitemaps/:game/:part.xml',
  type: XML,
  async makeData(visit) {
    const game = gameOf(visit);
    const part = (await partsOf(visit, game))[Number(visit.params.part) - 1];
    if (part === undefined) throw new HttpProblem('not-found', `${game.slug} has no such sitemap`);
    const entries = part.map((address) => ({ path: address, date: game.released_at }));
    return write('urlset', 'url', visit, entries);
  },
};

/** Returns the addresses of a game in parts of the allowed length. */
async function partsOf({ services, view }: Visit, game: GameBuild): Promise<string[][]> {
  const { slug, builds } = game;
  const lists = await services.data.lists(view, game);
  const all = [
    ...(view.games.values().next().value === game ? PAGES : []),
    ...TABS.map((tab) => `/games/${slug}${tab}`),
    ...builds.map(({ build }) => `/games/${slug}/patches/${encodeURIComponent(build)}`),
    ...listsOf(game).map(({ key }) => listAddressOf(slug, key)),
    ...lists.flatMap(({ key, entries }) => entries.map(({ id }) => addressOf(slug, key, id))),
  ];
  return Array.from({ length: Math.ceil(all.length / MAX_ADDRESSES) }, (_, at) =>
    all.slice(at * MAX_ADDRESSES, (at + 1) * MAX_ADDRESSES),
  );
}

function write(
  root: string,
  element: string,
  { services }: Visit,
  entries: readonly { path: string; date: string }[],
): string {
  const origin = services.publicUrl();
  const lines = entries.map(
    ({ path: address, date }) =>
      `<${element}><loc>${escapeHtml(origin + address)}</loc><lastmod>${date.slice(0, 10)}</lastmod></${element}>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${lines.join('\n')}\n</${root}>\n`;
}

/** Keeps crawlers from the API, accounts, and filtered lists. */
export const robotsData: SiteData = {
  path: '/robots.txt',
  type: 'text/plain; charset=utf-8',
  makeData: ({ services }) =>
    `User-agent: *\nDisallow: /api/\nDisallow: /account\nDisallow: /search\nDisallow: /*?\n\nSitemap: ${services.publicUrl()}/sitemap.xml\n`,
};

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 180;

/** security.txt (RFC 9116), which expires half a year after each request. */
export function securityTxtEndpoint({
  contact,
  publicUrl,
  now,
}: {
  /** `mailto:security@example.org`, or an https address. */
  contact: string;
  publicUrl: string | undefined;
  now: () => number;
}): Endpoint {
  const address = '/.well-known/security.txt';
  return {
    path: address,
    async get(request, response) {
      const until = Math.floor(now() / DAY_MS) * DAY_MS + DEFAULT_DAYS * DAY_MS;
      const lines = [
        `Contact: ${contact}`,
        `Expires: ${new Date(until).toISOString()}`,
        'Preferred-Languages: en',
        ...(publicUrl === undefined ? [] : [`Canonical: ${publicUrl}${address}`]),
      ];
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      response
        .writeHead(200, {
          'Content-Type': 'text/plain; charset=utf-8',
          'Cache-Control': A_DAY.replace('public, ', ''),
          'X-Content-Type-Options': 'nosniff',
          'Content-Length': bytes.length,
        })
        .end(request.method === 'HEAD' ? undefined : bytes);
    },
  };
}
