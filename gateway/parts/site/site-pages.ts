import { currentBuildData } from './current-build.ts';
import { apiReferencePage } from './pages/api-reference.tsx';
import { characterPage } from './pages/character.tsx';
import { comparePage } from './pages/compare.tsx';
import { docsPage, guidePage } from './pages/docs.tsx';
import { explorePages } from './pages/explore.tsx';
import { gamePage } from './pages/game.tsx';
import { gamesPage } from './pages/games.tsx';
import { homePage } from './pages/home.tsx';
import { patchesPage, patchPage } from './pages/patches.tsx';
import { problemsPage } from './pages/problems.tsx';
import { statusData, statusPage } from './pages/status.tsx';
import { termsPage } from './pages/terms.tsx';
import { sampleData } from './sample.ts';
import type { SiteData, SitePage } from './site-page.ts';

/** The pages to which responses of the API link: every gateway has them. */
export const BASIC_PAGES: readonly SitePage[] = [problemsPage, termsPage];

/** All other pages. */
export const PAGES: readonly SitePage[] = [
  homePage,
  gamesPage,
  gamePage,
  ...explorePages,
  characterPage,
  comparePage,
  patchesPage,
  patchPage,
  statusPage,
  docsPage,
  apiReferencePage,
  guidePage,
];

/** The files for programs beside the pages. */
export const SITE_DATA: readonly SiteData[] = [sampleData, currentBuildData, statusData];
