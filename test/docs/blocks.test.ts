import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Block, listPages, parseBlocks, placeOf, readBlocks, readPage } from '../support/docs/pages.ts';
import { NGINX_PAGES } from '../support/nginx-server.ts';

const docs = suite('the blocks of pages');

/** What the tests do with blocks, by language and role. */
const ROLES: Record<string, RegExp> = {
  // Run by the tests in end-to-end/docs/, which compares the `output` after it.
  sh: /^$|^fails$|^needs (redis-server|python3)$|^not-run: .{10,}$/,
  json: /^output$|^event$/,
  // A figure, unless it is an output, or the files of a request (gateway/request-path.test.ts).
  text: /^output$|^figure$|^files$/,
  diff: /^output$/,
  // Checked in reference.test.ts.
  jsonc: /^((game|build|attributes|aliases)\.json|game\.json with regions)$/,
  jsonata: /^(helpers|index)$/,
  // A figure, or a tree of rooms (test/support/architecture/room-headers.ts).
  '': /^$/,
  // Used by the tests of nginx and of many machines.
  nginx: /^(files)?$/,
  env: /^$/,
};

/** Blocks that cannot run in a test. No test shows that they are correct. */
const MAX_NOT_RUN = 5;

async function readAllBlocks(): Promise<Block[]> {
  return (await Promise.all((await listPages()).map(readBlocks))).flat();
}

docs('say what the tests do with them', async () => {
  const unknown = (await readAllBlocks()).filter(
    ({ language, role }) => !(Object.hasOwn(ROLES, language) && ROLES[language]?.test(role)),
  );
  assert.equal(
    unknown.map((block) => `${placeOf(block)} ${block.language} ${block.role}`),
    [],
  );
});

docs('of commands are run, except a few that say why not', async () => {
  const notRun = (await readAllBlocks()).filter(({ role }) => role.startsWith('not-run'));
  assert.ok(notRun.length <= MAX_NOT_RUN, notRun.map(placeOf).join(' '));
});

docs('that show an output come directly after a command that is run', async () => {
  for (const page of await listPages()) {
    const blocks = await readBlocks(page);
    for (const [index, block] of blocks.entries()) {
      if (block.role !== 'output') continue;
      const before = blocks[index - 1];
      assert.ok(before?.language === 'sh' && !before.role.startsWith('not-run'), placeOf(block));
    }
  }
});

docs('hold every configuration of nginx that a test uses, and no other', async () => {
  const configurations = (await readAllBlocks()).filter(({ language }) => language === 'nginx');
  assert.equal(
    configurations.map(({ page, role }) => ({ page, role })),
    Object.values(NGINX_PAGES),
  );
});

docs('have a language if they are commands', async () => {
  for (const page of await listPages()) {
    const text = withoutBlocks(page, await readPage(page));
    assert.not.match(text, /^\s*(\$ )?(curl|gamedata|gateway|npm|npx|node) [\w-]+ [-<'"]/m, page);
    assert.not.match(text, /^(~~~| {4,}\$ )/m, page);
  }
});

docs('are found with their line and role', () => {
  const text = '# A\n\n```sh fails\nfalse\n```\n\n```text output\nb\n```\n';
  assert.equal(parseBlocks('a.md', text), [
    { page: 'a.md', line: 3, language: 'sh', role: 'fails', text: 'false\n' },
    { page: 'a.md', line: 7, language: 'text', role: 'output', text: 'b\n' },
  ]);
});

/** A page without its blocks that have a language. */
function withoutBlocks(page: string, text: string): string {
  const blocks = parseBlocks(page, text).filter(({ language }) => language !== '');
  return blocks.reduce((rest, block) => rest.replace(block.text, ''), text);
}

docs.run();
