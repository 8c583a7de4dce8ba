import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withCheckout } from '../support/checkout.ts';
import { startProcess } from '../support/command.ts';
import { readPage } from '../support/docs/pages.ts';

const run = promisify(execFile);
const FOLDER = 'docs/recipes';

const recipes = suite('the recipes of CONTRIBUTING.md');

recipes('each has a patch that is all of it: types, docs and tests hold after it', async () => {
  await withCheckout(async (folder) => {
    const text = await readPage('CONTRIBUTING.md');
    const patches = (await readdir(path.join(folder, FOLDER))).sort();
    const shown = [...text.matchAll(/\]\(docs\/recipes\/([a-z-]+\.patch)\)/g)].map(([, name]) => name);
    assert.equal(shown.sort(), patches);
    for (const patch of patches) {
      const file = path.join(FOLDER, patch);
      await run('git', ['apply', file], { cwd: folder }).catch(({ stderr }) => {
        throw new Error(
          `${file} does not apply: apply it with git apply --3way, and make it again\n${stderr}`,
        );
      });
    }
    const tests = [...text.matchAll(/^npm test -- (.+)$/gm)].flatMap(([, parts = '']) => parts.split(' '));
    assert.ok(tests.length >= patches.length);
    await complete(folder, 'npm', 'run', '--silent', 'prepare:test');
    // What `npm run schemas` and `npm test` run after they have compiled the code.
    await complete(folder, 'node', 'build/scripts/parts/editor-schemas/write-editor-schemas.js');
    await complete(folder, 'npm', 'run', '--silent', 'typecheck');
    await complete(folder, 'node', 'build/test/run.js', ...tests);
  });
});

async function complete(cwd: string, program: string, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await startProcess(program, args, { cwd }).ended;
  assert.is(code, 0, `${args.join(' ')}:\n${stdout}${stderr}`);
}

recipes.run();
