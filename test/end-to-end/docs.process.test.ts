import { suite } from 'uvu';
import { type Demo, startDemo } from '../support/docs/demo.ts';
import { listPages, readBlocks } from '../support/docs/pages.ts';
import { isRun, neededPrograms, runPage } from '../support/docs/run-page.ts';
import { withPrograms } from '../support/skip.ts';

interface Context {
  demo: Demo;
}

const docs = suite<Context>('the commands in docs/');
docs.before(async (context) => {
  context.demo = await startDemo();
});
docs.after(async ({ demo }) => {
  await demo?.stop();
});

/** The pages whose path contains this text, for a run of only some of them. */
const CHOSEN = process.env.GAMEDATA_PAGES ?? '';

for (const page of await listPages()) {
  if (page === 'README.md' || !page.includes(CHOSEN)) continue;
  const blocks = await readBlocks(page);
  if (!blocks.some(isRun)) continue;
  const register = withPrograms(docs, ...neededPrograms(blocks));
  register(`do what ${page} shows`, ({ demo }) => runPage(page, demo));
}

docs.run();
