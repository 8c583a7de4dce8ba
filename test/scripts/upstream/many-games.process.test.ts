import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Index } from '../../../scripts/format/dist-format.ts';
import { inFolder, writeFiles } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { withPrograms } from '../../support/skip.ts';
import { UpstreamRepository } from '../../support/upstream-repository.ts';
import { day, withWorld } from './pull-world.ts';
import { listen } from '../../support/listen.ts';

const games = suite('rounds of many games');
const test = withPrograms(games, 'git');

test('an upstream that does not respond has its own deadline', async () => {
  const silent = createServer(() => {});
  const host = await listen(silent);
  await withWorld({}, async (world) => {
    await world.commit('1.0', 1);
    const good = JSON.parse(await readFile(path.join(world.folder, 'game.json'), 'utf8'));
    for (const slug of ['a', 'b', 'c', 'd'])
      await writeFiles(world.cwd, {
        [`data/${slug}/game.json`]: {
          ...good,
          source: { ...good.source, git: `${host}/${slug}.git`, limits: { fetch_seconds: 1 } },
        },
      });
    const { code, stderr } = await world.round(2);
    assert.equal([code, await world.served()], [1, ['1.0']]);
    assert.is(stderr.match(/^[a-d]: .* took longer than 1 s/gm)?.length, 4, stderr);
  });
});

/** With those that are in trouble, 30 games. */
const GOOD = 24;

test('no trouble of one game delays another', async () => {
  await withWorld({}, async (world) => {
    await world.commit('1.0', 1);
    const good = JSON.parse(await readFile(path.join(world.folder, 'game.json'), 'utf8'));
    // All have one repository, and wait for each other's turns longer than a fetch may take.
    good.source.limits = { fetch_seconds: 3 };
    const other = await UpstreamRepository.create(path.join(world.cwd, 'broken'));
    await other.commit('Update 1.0', day(1), { 'units.json': '[{' });
    const bad: Record<string, object> = {
      'a-wrong': { ...good, source: { git: 'file:///nowhere/at/all.git', build: 'date' } },
      'b-broken': { ...good, source: { ...good.source, git: other.address } },
      'c-invalid': { title: 7 },
      'd-draft': { ...good, draft: true },
      'e-held': good,
    };
    for (const [slug, definition] of Object.entries(bad))
      await writeFiles(world.cwd, inFolder(`data/${slug}`, { 'game.json': definition as never }));
    await writeFile(path.join(world.cwd, 'data/e-held/held.json'), '[');
    for (let at = 0; at < GOOD; at++)
      await writeFiles(world.cwd, inFolder(`data/z-${at}`, { 'game.json': good }));
    const { code, stderr } = await world.round(3, '--publish', 'target');
    assert.is(code, 1);
    const target = JSON.parse(await readFile(path.join(world.cwd, 'target/index.json'), 'utf8'));
    assert.equal(
      target.games.map(({ slug }: { slug: string }) => slug),
      ['game', ...Array.from({ length: GOOD }, (_, at) => `z-${at}`).sort()],
      stderr,
    );
    for (const slug of ['a-wrong', 'b-broken', 'c-invalid', 'e-held'])
      assert.match(stderr, new RegExp(`^${slug}: `, 'm'));

    // One of them is damaged in dist/, and was not published before.
    const slugsAt = async (folder: string) => {
      const text = await readFile(path.join(world.cwd, folder, 'index.json'), 'utf8');
      return (JSON.parse(text) as Index).games.map(({ slug }) => slug);
    };
    const [, broken] = (target as Index).games;
    await writeFile(path.join(world.cwd, 'dist', broken?.manifest.file ?? ''), '{}');
    const again = await runInProcess('gamedata', ['publish', 'other'], { cwd: world.cwd });
    assert.is(again.code, 1);
    assert.match(
      again.stderr,
      /^.*z-0 stays as it is: .* is missing or damaged: delete it and run gamedata build$/m,
    );
    assert.equal(
      await slugsAt('other'),
      (await slugsAt('target')).filter((slug) => slug !== 'z-0'),
    );
    await runInProcess('gamedata', ['publish', 'target'], { cwd: world.cwd });
    assert.equal(JSON.parse(await readFile(path.join(world.cwd, 'target/index.json'), 'utf8')), target);
  });
});

games.run();
