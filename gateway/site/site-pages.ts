import { currentBuildData } from './current-build.ts';
import { apiReferencePage } from './pages/api-reference.tsx';
import { attributesPage } from './pages/attributes.tsx';
import { comparePage } from './pages/compare.tsx';
import { contentsPage } from './pages/contents.tsx';
import { docsPage, examplesPage, guidePage } from './pages/docs.tsx';
import { gamePage } from './pages/game.tsx';
import { gamesPage } from './pages/games.tsx';
import { homePage } from './pages/home.tsx';
import { charactersPage, datasetPage, movedListPage } from './pages/list.tsx';
import { patchesPage, patchPage } from './pages/patches.tsx';
import { problemsPage } from './pages/problems.tsx';
import { recordPage } from './pages/record.tsx';
import { searchPage } from './pages/search.tsx';
import { statusData, statusPage } from './pages/status.tsx';
import { termsPage } from './pages/terms.tsx';
import { llmsData } from './llms.ts';
import { sampleData } from './sample.ts';
import type { SiteData, SitePage } from './site-page.ts';
import { gameSitemap, robotsData, sitemapIndex } from './sitemap.ts';

/** The pages to which responses of the API link: every gateway has them. */
export const BASIC_PAGES: readonly SitePage[] = [problemsPage, termsPage];

/** The files for programs that every gateway has. @param hasSite whether there are guides to link to */
export function basicData(hasSite: boolean): SiteData[] {
  return [llmsData(hasSite)];
}

/** All other pages. */
export const PAGES: readonly SitePage[] = [
  homePage,
  gamesPage,
  gamePage,
  charactersPage,
  movedListPage,
  attributesPage,
  comparePage,
  patchesPage,
  patchPage,
  datasetPage,
  recordPage,
  contentsPage,
  statusPage,
  docsPage,
  apiReferencePage,
  examplesPage,
  guidePage,
];

/** The files for programs beside the pages. */
export const SITE_DATA: readonly SiteData[] = [
  sampleData,
  currentBuildData,
  statusData,
  robotsData,
  sitemapIndex,
  gameSitemap,
];

export { searchPage };
