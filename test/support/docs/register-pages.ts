import type { Test } from 'uvu';
import { sampleOf } from '../random.ts';
import { withPrograms } from '../skip.ts';
import type { OpenPlace } from './demo.ts';
import { listPages, readBlocks } from './pages.ts';
import { isRun, neededPrograms, runPage } from './run-page.ts';

/** What the tests of pages share. */
export interface PagesContext {
  place: OpenPlace;
}

/** If set, only pages whose path contains this text are run. */
const CHOSEN = process.env.GAMEDATA_PAGES;

/** One page in so many is run, unless all tests run. */
const ONE_IN = 5;

/**
 * Registers a test for a sample of README.md and the pages of docs/ that have commands: they have to do what the page shows.
 *
 * @param open opens the place where all of them run
 * @param isOwn whether a page is one of these tests
 */
export async function registerPages(
  suite: Test<PagesContext>,
  open: () => Promise<OpenPlace>,
  isOwn: (page: string) => boolean,
): Promise<void> {
  suite.before(async (context) => {
    context.place = await open();
  });
  suite.after(async ({ place }) => {
    await place?.end();
  });
  const all = await Promise.all(
    (await listPages()).filter(isOwn).map(async (page) => ({ page, blocks: await readBlocks(page) })),
  );
  const pages = all.filter(({ blocks }) => blocks.some(isRun));
  const chosen =
    CHOSEN === undefined
      ? sampleOf(pages, Math.ceil(pages.length / ONE_IN))
      : pages.filter(({ page }) => page.includes(CHOSEN));
  for (const { page, blocks } of chosen) {
    const register = withPrograms(suite, ...neededPrograms(blocks));
    register(`do what ${page} shows`, ({ place }) => runPage(page, place));
  }
}
