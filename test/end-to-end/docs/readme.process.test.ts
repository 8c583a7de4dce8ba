import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withCheckout } from '../../support/checkout.ts';
import { startProcess } from '../../support/command.ts';
import { readDemoGateway, stopNpmStart } from '../../support/docs/demo.ts';
import { readBlocks } from '../../support/docs/pages.ts';
import { runBlocks } from '../../support/docs/run-page.ts';

const readme = suite('README');

readme('has a quick start that works, and prints what it shows', async () => {
  const blocks = await readBlocks('README.md');
  const scripts = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  assert.is(scripts[0], 'npm ci && npm start\n');
  assert.is(scripts.at(-1), 'npm ci && npm test\n');
  await withCheckout(async (folder) => {
    // npm ci runs this script after it has installed packages.
    const prepared = await startProcess('npm', ['run', 'prepare'], { cwd: folder }).ended;
    assert.is(prepared.code, 0, prepared.stderr);
    const env = { GATEWAY_PORT: '0' };
    const started = startProcess('npm', ['start'], { cwd: folder, env, detached: true });
    try {
      const gateway = await readDemoGateway(started);
      await mkdir(path.join(folder, 'var'), { recursive: true });
      await runBlocks(blocks.slice(1, -1), { folder, env: {}, gateway });
    } finally {
      stopNpmStart(started);
      await started.ended;
    }
  });
});

readme.run();
