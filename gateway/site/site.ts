import type { Asked } from '../api/api.ts';
import type { Route } from '../api/route.ts';
import type { ServeSettings } from '../commands/settings.ts';
import type { View } from '../data/catalog.ts';
import type { Endpoint } from '../http/incoming.ts';
import { PageData } from './data.ts';
import { llmsData, robotsData, sitemapData, sitemapIndex } from './files.ts';
import type { Frame } from './layout.ts';
import { PageServer, type SitePage, type SiteServices } from './page-server.ts';
import { apiReferencePage, docsPage, guidePage } from './pages/docs.ts';
import { charactersPage, comparePage, datasetPage } from './pages/explore.ts';
import { gamePage } from './pages/game.ts';
import { attributesPage, buildData, contentsPage, gamesPage, statusData, statusPage } from './pages/games.ts';
import { homePage } from './pages/home.ts';
import { patchesPage, patchPage } from './pages/patches.ts';
import { recordPage } from './pages/record.ts';
import { searchPage } from './pages/search.ts';
import { problemsPage, termsPage } from './pages/texts.ts';

// Assembles the site: its pages and files as endpoints, and the layout of all pages.

export interface SiteOptions extends Omit<SiteServices, 'data'> {
  /** The part of the site that visitors see; `none` leaves only the pages that responses of the API link to. */
  mode: ServeSettings['site'];
  /** The route table of the API. */
  routes: readonly Route[];
  /** Makes the JSON of a 200 of the API, for a view. */
  read: (asked: Asked, view: View) => Promise<Buffer>;
}

/** The pages that responses of the API link to; every gateway has them. */
const BASIC_PAGES: readonly SitePage[] = [problemsPage, termsPage];

/** The first match wins: files and pages with a fixed name come before `:dataset`. */
const PAGES: readonly SitePage[] = [
  ...[buildData, statusData, robotsData, sitemapIndex, sitemapData],
  ...[homePage, gamesPage, searchPage, contentsPage, statusPage],
  ...[docsPage, apiReferencePage, guidePage],
  ...[gamePage, charactersPage, attributesPage, comparePage, patchesPage, patchPage],
  ...[datasetPage, recordPage],
];

/** Makes the endpoints of the pages, and the layout of all pages. */
export function makePages({ mode, routes, read, ...given }: SiteOptions): {
  endpoints: Endpoint[];
  frame: Frame;
} {
  const hasSite = mode !== 'none';
  const frame = { hasSite, publicUrl: given.publicUrl };
  const server = new PageServer({ ...given, data: new PageData(routes, read) }, frame);
  const texts = ['llms.txt', 'llms-full.txt'].map((name) => llmsData(name, hasSite));
  const pages = [...texts, ...BASIC_PAGES, ...(hasSite ? PAGES : [])];
  return { endpoints: pages.map((page) => server.endpoint(page)), frame };
}
