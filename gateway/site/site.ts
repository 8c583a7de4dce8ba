import type { Route } from '../api/route.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { ClientAddress, Endpoint } from '../http/incoming.ts';
import type { Frame } from './layout/page-content.ts';
import type { PageBudget } from './page-budget.ts';
import { PageServer } from './page-server.ts';
import { reportUnknownGames } from './pictures.ts';
import type { SiteMode } from './site-options.ts';
import type { SiteServices } from './site-page.ts';
import { BASIC_PAGES, basicData, PAGES, SITE_DATA, searchPage } from './site-pages.ts';

/** Options of the site. */
export interface SiteOptions extends Omit<SiteServices, 'isSample' | 'search'> {
  follower: DistFollower;
  /** What visitors see; with `none`, only the pages to which responses of the API link. */
  mode: SiteMode;
  budget: PageBudget;
  clientAddress: ClientAddress;
  /** The route table of the API. */
  routes: readonly Route[];
}

/** Makes the endpoints of the pages, and what surrounds each page. */
export function makePages({ follower, now, mode, budget, clientAddress, routes, ...given }: SiteOptions): {
  endpoints: Endpoint[];
  frame: Frame;
} {
  const search = mode === 'full' ? routes.find(({ operationId }) => operationId === 'search') : undefined;
  const frame = { hasSite: mode !== 'none', hasSearch: search !== undefined, publicUrl: given.publicUrl };
  const services = { ...given, now, search, isSample: mode === 'sample' };
  const server = new PageServer({ follower, now, services, frame, budget, clientAddress });
  const pages = [...BASIC_PAGES, ...(search ? [searchPage] : []), ...(frame.hasSite ? PAGES : [])];
  const data = [...basicData(frame.hasSite), ...(frame.hasSite ? SITE_DATA : [])];
  reportUnknownGames(given.images, follower.catalog.loaded, given.log);
  return {
    endpoints: [...data.map((each) => server.data(each)), ...pages.map((page) => server.page(page))],
    frame,
  };
}
