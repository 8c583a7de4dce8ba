import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withPrograms } from '../support/skip.ts';
import { type OpenPlace, openDemo } from './demo.ts';
import { listPages, readBlocks } from './pages.ts';
import { isRun, neededPrograms, runPage } from './run-page.ts';

/** If set, only pages whose path matches are run: `operators|patch-day`. */
const CHOSEN = new RegExp(process.env.GAMEDATA_PAGES ?? '');

// One checkout with one gateway runs the commands of all pages, one page after the other.
const pages = suite<{ place: OpenPlace }>('the commands on the pages');
pages.before(async (context) => {
  context.place = await openDemo();
});
pages.after(async ({ place }) => {
  await place?.end();
});

pages('begin in README.md with what starts the gateway of these tests', async () => {
  const blocks = (await readBlocks('README.md')).filter(({ language }) => language === 'sh');
  // `.ci/run` runs `npm ci` in a fresh clone, and then the tests.
  assert.is(blocks[0]?.text, 'npm ci && npm start\n');
  assert.is(blocks.at(-1)?.text, 'npm ci && npm test\n');
  assert.ok(blocks.slice(1, -1).some(isRun));
});

pages('begin after all builds of the games compile without a finding', ({ place }) => {
  assert.equal(place.findings, []);
});

for (const page of await listPages()) {
  const blocks = await readBlocks(page);
  if (!CHOSEN.test(page) || !blocks.some(isRun)) continue;
  withPrograms(pages, ...neededPrograms(blocks))(`do what ${page} shows`, ({ place }) =>
    runPage(page, place),
  );
}
pages.run();
