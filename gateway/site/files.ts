// Files beside the pages: assets, sitemaps, robots.txt, texts for language models, security.txt.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import { escapeHtml, onClose } from '../http/html.ts';
import type { Endpoint, FileHandler, Incoming } from '../http/incoming.ts';
import { COMMON_HEADERS, sendText } from '../http/respond.ts';
import { gameOf, listAddressOf, listsOf } from './data.ts';
import type { SitePage, Visit } from './page-server.ts';

/** The folder of the files that browsers load. Not `pathname`: it would encode a space in the path. */
export const ASSETS_FOLDER = fileURLToPath(new URL('./public/', import.meta.url));
/** Files below this path have their hash in their name, and never change. */
const ASSETS_PATH = '/assets/';
const FOREVER = 'public, max-age=31536000, immutable';
const A_DAY = 'public, max-age=86400';
const TEXT = 'text/plain; charset=utf-8';

/**
 * Serves the files that pages load. They were compressed when the code was compiled.
 *
 * @param onError called if a file cannot be read; sirv itself would end the process
 */
export function serveAssets(
  onError: (error: unknown, request: Incoming, response: ServerResponse) => void,
): FileHandler {
  const send = sirv(ASSETS_FOLDER, { etag: true, gzip: true, brotli: true, setHeaders });
  return (request, response, next) => {
    request.pattern = 'asset';
    response.once('pipe', (file) => {
      file.on('error', (error) => onError(error, request, response));
      onClose(response, () => file.destroy());
    });
    // sirv accepts any Range, even an invalid one. The files are short, so each is sent whole (RFC 9110, 14.2).
    delete request.headers.range;
    send(request, response, next);
  };
}

function setHeaders(response: ServerResponse, file: string): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
  if (file.endsWith('.ico')) response.setHeader('Content-Type', 'image/svg+xml');
  if (file.endsWith('.atom')) response.setHeader('Content-Type', 'application/atom+xml; charset=utf-8');
  response.setHeader('Cache-Control', file.startsWith(ASSETS_PATH) ? FOREVER : A_DAY);
}

/** The address in the samples of docs/. */
const SAMPLE_ADDRESS = 'http://127.0.0.1:3000';

/** Replaces the address in samples by that of this gateway. */
export function localizeSamples(text: string, publicUrl: string): string {
  return text.replaceAll(SAMPLE_ADDRESS, publicUrl);
}

/** `/llms.txt` and `/llms-full.txt`, for language models. @param hasSite whether the gateway has the guides that they link to */
export function llmsData(name: string, hasSite: boolean): SitePage {
  return {
    path: `/${name}`,
    async make({ services }) {
      const text = localizeSamples(await readFile(ASSETS_FOLDER + name, 'utf8'), services.publicUrl());
      return { type: TEXT, text: hasSite ? text : text.replace(/\[([^\]]*)\]\(\/docs[^)]*\)/g, '$1') };
    },
  };
}

/** A guide of docs/, rendered when the code was compiled. */
export interface Guide {
  /** `/docs/consumers/queries`. */
  path: string;
  /** `consumers`. */
  section: string;
  title: string;
  /** A short description. */
  summary: string;
  /** Its text with its heading, as HTML. */
  html: string;
  headings: readonly { id: string; text: string }[];
}

/** All guides, in the order of their overview. */
export const GUIDES: readonly Guide[] = JSON.parse(
  readFileSync(new URL('./guides.json', import.meta.url), 'utf8'),
);

/** Pages that belong to no game. */
const PAGES = '/ /games /contents /status /docs /docs/api'.split(' ').concat(GUIDES.map(({ path }) => path));
const TABS = ['', '/attributes', '/compare', '/patches'];

/** The sitemaps of the free view, one per game. */
export const sitemapIndex: SitePage = {
  path: '/sitemap.xml',
  make(visit) {
    const dates = new Map<string, string>();
    for (const { slug, released_at } of visit.view.games.values())
      dates.set(`/sitemaps/${slug}.xml`, released_at);
    return write('sitemapindex', 'sitemap', visit, dates);
  },
};

export const sitemapData: SitePage = {
  path: '/sitemaps/:game.xml',
  async make(visit) {
    const { services, view } = visit;
    const game = gameOf(visit);
    const { slug, builds, released_at } = game;
    const lists = await services.data.lists(view, game);
    const all = [
      ...(view.games.values().next().value === game ? PAGES : []),
      ...TABS.map((tab) => `/games/${slug}${tab}`),
      ...builds.map(({ build }) => `/games/${slug}/patches/${encodeURIComponent(build)}`),
      ...listsOf(game).map(({ key }) => listAddressOf(slug, key)),
      ...lists.flatMap(({ entries }) => entries.map(({ href }) => href)),
    ];
    return write('urlset', 'url', visit, new Map(all.map((path) => [path, released_at])));
  },
};

/** @param dates of pages, by their path */
function write(root: string, element: string, { services }: Visit, dates: ReadonlyMap<string, string>) {
  const origin = services.publicUrl();
  const lines = [...dates].map(
    ([path, date]) =>
      `<${element}><loc>${escapeHtml(origin + path)}</loc><lastmod>${date.slice(0, 10)}</lastmod></${element}>`,
  );
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${lines.join('\n')}\n</${root}>\n`;
  return { type: 'application/xml; charset=utf-8', text };
}

/** Keeps crawlers from the API, accounts, and filtered lists. */
export const robotsData: SitePage = {
  path: '/robots.txt',
  make: ({ services }) => ({
    type: TEXT,
    text: `User-agent: *\nDisallow: /api/\nDisallow: /account\nDisallow: /search\nDisallow: /*?\n\nSitemap: ${services.publicUrl()}/sitemap.xml\n`,
  }),
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
  const path = '/.well-known/security.txt';
  return {
    path,
    async get(request, response) {
      const until = Math.floor(now() / DAY_MS) * DAY_MS + DEFAULT_DAYS * DAY_MS;
      const lines = [
        `Contact: ${contact}`,
        `Expires: ${new Date(until).toISOString()}`,
        'Preferred-Languages: en',
        ...(publicUrl === undefined ? [] : [`Canonical: ${publicUrl}${path}`]),
      ];
      const cached = A_DAY.replace('public, ', '');
      const headers = { 'Content-Type': TEXT, 'Cache-Control': cached, 'X-Content-Type-Options': 'nosniff' };
      sendText(request, response, { status: 200, headers, text: `${lines.join('\n')}\n` });
    },
  };
}
