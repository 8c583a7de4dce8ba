import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findFreePort } from '../../../support/free-port.ts';
import { startGateway } from '../../../support/harness.ts';
import { withPrograms } from '../../../support/skip.ts';
import { hasLighthouse, openLighthouse, TIMELESS } from '../../../lighthouse/audit.ts';
import { findPages } from '../../../lighthouse/pages.ts';
import { EXPLORED_GAME } from './explored-game.ts';
import { launchChromium } from './visits.ts';

const MIN_SEO = 95;

const pages = suite('Lighthouse');
const test = hasLighthouse ? withPrograms(pages, 'chromium') : skip;

/** Skips the test, and says why. */
function skip(name: string): void {
  process.stdout.write(`skipped without Lighthouse: ${name}\n`);
  pages.skip(name);
}

test('Lighthouse finds nothing to improve', async () => {
  const port = await findFreePort();
  const gateway = await startGateway(EXPLORED_GAME);
  const browser = await launchChromium([`--remote-debugging-port=${port}`]);
  try {
    const audit = await openLighthouse(port, TIMELESS);
    for (const page of await findPages(gateway.address)) {
      const { scores, faults } = await audit(gateway.address + page);
      const { accessibility, 'best-practices': bestPractices, seo = 0 } = scores;
      assert.equal([accessibility, bestPractices], [100, 100], `${page}: ${faults.join('\n')}`);
      // Searches are kept from search engines on purpose.
      if (!page.startsWith('/search')) assert.ok(seo >= MIN_SEO, `${page}: ${faults.join('\n')}`);
    }
  } finally {
    await browser?.close();
    await gateway.stop();
  }
});

pages.run();
