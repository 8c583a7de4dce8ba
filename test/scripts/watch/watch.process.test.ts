import { readFile, rm } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killStarted, startCommand } from '../../support/command.ts';
import { gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { issueKeyIn } from '../../support/run-in-process.ts';
import { until } from '../../support/until.ts';

const test = suite('gamedata build --watch');

const FILES = { ...inFolder('data/alpha', gameFiles()), ...inFolder('data/beta', gameFiles()) };

/** Sends requests until the response is the expected one. */
async function eventually<T>(ask: () => Promise<T>, expected: T): Promise<void> {
  await until(async () => JSON.stringify(await ask()) === JSON.stringify(expected));
}

test('the gateway serves a saved change; a fault keeps the old state until it is corrected', async () => {
  await withFolder(FILES, async (cwd) => {
    const build = startCommand('gamedata', ['build', '--watch'], { cwd });
    await build.printed(/watching data\//);
    const key = await issueKeyIn(`${cwd}/var/store`, 'pro');
    const gateway = startCommand('gateway', ['serve', '--port', '0'], { cwd });
    const address = (await gateway.printed(/"address":"(http:[^"]+)"/))[1];
    const ask = async (below: string) => {
      const response = await fetch(`${address}/api/${below}`, { headers: { 'x-api-key': key } });
      return (await response.json()) as { characters: { name: string }[]; games: { slug: string }[] };
    };
    const names = async () => (await ask('alpha/characters')).characters.map(({ name }) => name);
    const slugs = async () => (await ask('games')).games.map(({ slug }) => slug);
    const save = (characters: string | { id: string; name: string }[]) =>
      writeFiles(cwd, { 'data/alpha/1.0/characters.json': characters });

    assert.equal(await names(), ['Ann']);
    await save([{ id: 'ann', name: 'Anna' }]);
    await eventually(names, ['Anna']);

    await save('[{"id": "ann", "na');
    await build.printedError(/error data\/alpha\/1\.0\/characters\.json:1/);
    assert.equal(await names(), ['Anna']);
    // The system may kill a process that waits for work.
    const workers = () => readFile(`/proc/${build.child.pid}/task/${build.child.pid}/children`, 'utf8');
    for (const worker of (await workers()).trim().split(' ')) process.kill(Number(worker), 'SIGKILL');
    await until(async () => (await workers()) === '');
    await save([{ id: 'ann', name: 'Annabel' }]);
    await eventually(names, ['Annabel']);

    await writeFiles(cwd, inFolder('data/gamma', gameFiles()));
    await eventually(slugs, ['alpha', 'beta', 'gamma']);
    await rm(`${cwd}/data/beta`, { recursive: true });
    await eventually(slugs, ['alpha', 'gamma']);

    build.child.kill('SIGINT');
    assert.is((await build.ended).code, 0);
    // Before the folder is removed.
    await killStarted();
  });
});

test.run();
