import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDemo } from './demo.ts';
import { readBlocks } from '../../docs/pages.ts';
import { isRun, type PagesContext, registerPages } from '../../docs/run-page.ts';

const others = suite<PagesContext>('the commands on all pages except those for maintainers');

others('begin in README.md with what starts the gateway of these tests', async () => {
  const blocks = (await readBlocks('README.md')).filter(({ language }) => language === 'sh');
  // `.ci/run` runs `npm ci` in a fresh clone, and then the tests.
  assert.is(blocks[0]?.text, 'npm ci && npm start\n');
  assert.is(blocks.at(-1)?.text, 'npm ci && npm test\n');
  assert.ok(blocks.slice(1, -1).some(isRun));
});

others('begin after all builds of the games compile without a finding', ({ place }) => {
  assert.equal(place.findings, []);
});

await registerPages(others, openDemo, (page) => !page.startsWith('docs/maintainers/'));
others.run();
