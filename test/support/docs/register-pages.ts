import type { Test } from 'uvu';
import { withPrograms } from '../skip.ts';
import type { OpenPlace } from './demo.ts';
import { listPages, readBlocks } from './pages.ts';
import { isRun, neededPrograms, runPage } from './run-page.ts';

/** What the tests of pages share. */
export interface PagesContext {
  place: OpenPlace;
}

/** If set, only pages whose path contains this text are run. */
const CHOSEN = process.env.GAMEDATA_PAGES ?? '';

/**
 * Registers a test for README.md and each page of docs/ that has commands: they have to do what the page shows.
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
  const pages = (await listPages()).filter(isOwn);
  for (const page of pages.filter((name) => name.includes(CHOSEN))) {
    const blocks = await readBlocks(page);
    if (!blocks.some(isRun)) continue;
    const register = withPrograms(suite, ...neededPrograms(blocks));
    register(`do what ${page} shows`, ({ place }) => runPage(page, place));
  }
}
