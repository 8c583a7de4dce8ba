import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBlocks } from './pages.ts';
import { runBlocks } from './run-page.ts';

interface Context {
  folder: string;
}

const page = suite<Context>('the run of a page');
page.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'page-'));
  await mkdir(path.join(context.folder, 'var'));
});
page.after.each(({ folder }) => rm(folder, { recursive: true }));

/** Runs the blocks of a text. @returns the message of the failure; undefined without one */
async function run(folder: string, text: string): Promise<string | undefined> {
  const gateway = { address: 'http://127.0.0.1:40123', key: 'free', proKey: 'pro' };
  try {
    await runBlocks(parseBlocks('a.md', text), { folder, env: {}, gateway });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

page('is one shell: variables of a block exist in the next', async ({ folder }) => {
  const text = '```sh\nA=$KEY/$PRO_KEY\n```\n\n```sh\necho $A\n```\n\n```text output\nfree/pro\n```\n';
  assert.is(await run(folder, text), undefined);
  assert.match((await run(folder, text.replace('free/', 'paid/'))) ?? '', 'a.md:9');
});

page('expects a block marked `fails` to fail, and compares what it prints', async ({ folder }) => {
  const text = '```sh fails\necho wrong >&2\nexit 1\n```\n\n```text output\nwrong\n```\n';
  assert.is(await run(folder, text), undefined);
  assert.match((await run(folder, text.replace('exit 1', 'true'))) ?? '', 'a.md:1');
  assert.match((await run(folder, text.replace('exit 1', 'exit 2'))) ?? '', 'a.md:1');
});

page(
  'replaces the ports of the page by free ones, and 3000 by the port of the gateway',
  async ({ folder }) => {
    const text =
      '```sh\necho http://127.0.0.1:3000/ --port 3001\n```\n\n```text output\nhttp://127.0.0.1:3000/ --port …\n```\n';
    assert.is(await run(folder, text), undefined);
    assert.ok(await run(folder, text.replace('--port …', '--port 3002')));
    assert.is(
      await run(folder, '```sh\ntest http://127.0.0.1:3000 = "http://127.0.0.1:"40123\n```\n'),
      undefined,
    );
  },
);

page('ends what blocks leave in the background', async ({ folder }) => {
  const pidFile = path.join(folder, 'pid');
  const text = `\`\`\`sh\nsleep 120 > ${pidFile}.out 2>&1 &\necho $! > ${pidFile}\n\`\`\`\n`;
  assert.is(await run(folder, text), undefined);
  const pid = Number(await readFile(pidFile, 'utf8'));
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
});

page.run();
