import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findLinks } from '../support/docs/links.ts';
import { readPage } from '../support/docs/pages.ts';

/** What a newcomer looks for, the page with the response, and a text on it. README.md links the page. */
const TRAILS: [question: string, page: string, text: RegExp][] = [
  ['how to get a key', 'docs/consumers/getting-a-key.md', /\/signup/],
  ['how to add a game', 'docs/maintainers/first-game.md', /^gamedata build my-game$/m],
  [
    'how to run two gateways behind nginx',
    'docs/operators/many-machines.md',
    /^## nginx in front$[^#]*server .*;\s+server /m,
  ],
  ['what error pro-only means', 'docs/consumers/errors-and-limits.md', /^\| `pro-only` \| 403 \| .*Pro key/m],
  [
    'where the quota is enforced in the code',
    'docs/ARCHITECTURE.md',
    /`gateway\/access\/charge\.ts` \| \*\*enforces the quota\*\*/,
  ],
  ['how to add a check', 'CONTRIBUTING.md', /^## Add a check$/m],
  ['how to report a vulnerability', 'SECURITY.md', /^## Report a vulnerability$/m],
  ['what an option does', 'docs/operators/settings.md', /^\| `--port` \|/m],
];

const newcomer = suite('a newcomer finds from the README');

for (const [question, page, text] of TRAILS) {
  newcomer(question, async () => {
    assert.ok(findLinks(await readPage('README.md')).includes(page), `README.md does not link ${page}`);
    assert.match(await readPage(page), text);
  });
}

newcomer.run();
