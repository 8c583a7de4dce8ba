import type { DistFollower } from '../../core/catalog/follow-dist.ts';
import type { Endpoint } from '../../core/http/endpoint.ts';
import { PageServer } from './page-server.ts';
import type { SiteServices } from './site-page.ts';
import { BASIC_PAGES, PAGES, SITE_DATA } from './site-pages.ts';

/** Options of the site. */
export interface SiteOptions extends SiteServices {
  follower: DistFollower;
  /** ms since 1970. */
  now: () => number;
  /** Whether to serve all pages, and not only those to which responses of the API link. */
  isOn: boolean;
}

/** Makes the endpoints of the pages. */
export function siteEndpoints({ follower, now, isOn, ...services }: SiteOptions): Endpoint[] {
  const server = new PageServer({ follower, now, services, frame: { hasSite: isOn } });
  const pages = isOn ? [...BASIC_PAGES, ...PAGES] : BASIC_PAGES;
  return [
    ...pages.map((page) => server.page(page)),
    ...(isOn ? SITE_DATA : []).map((data) => server.data(data)),
  ];
}
