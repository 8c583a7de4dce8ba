import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copyGameAtRef } from '../../../../scripts/git/data-at-ref.ts';
import { gameFiles, inFolder, withFolder, writeFiles } from '../../../support/fixtures.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { withPrograms } from '../../../support/skip.ts';
import { UpstreamRepository } from '../../../support/upstream-repository.ts';

const reviews = suite('gamedata review --against a git ref');
const test = withPrograms(reviews, 'git');

test('compares with the data at a branch or commit, and says what is wrong with one', async () => {
  await withFolder({}, async (folder) => {
    const repository = await UpstreamRepository.create(path.join(folder, 'project'));
    const hp = (value: number) => [{ id: 'ann', name: 'Ann', stats: { hp: value } }];
    const game = (slug: string, value: number) =>
      inFolder(`games/${slug}`, gameFiles({ '1.0/characters.json': hp(value) }));
    await repository.commit('First', '2026-01-01T00:00:00Z', game('one', 100));
    await repository.git(['branch', 'release/1']);
    await repository.commit('Second', '2026-01-02T00:00:00Z', { ...game('one', 250), ...game('two', 7) });
    const review = (...args: string[]) =>
      runInProcess('gamedata', ['review', '--data', 'games', ...args], { cwd: repository.folder });
    const { code, stdout, stderr } = await review('--against', 'release/1');
    assert.equal([code, stderr], [0, '']);
    assert.match(stdout, /## `one` `1\.0` → `1\.0`[\s\S]*compared with release\/1, commit [0-9a-f]{10};/);
    assert.match(stdout, '| `ann Ann` | `stats.hp` | `100` | `250` (+150%) |');
    assert.match(stdout, /## `two` `1\.0`[\s\S]*a new game, compared with nothing/);
    assert.match((await review('--against', 'HEAD~1')).stdout, '`250`');

    const unknown = await review('--against', '--upload-pack=x');
    assert.is(unknown.code, 2);
    assert.match(
      (await review('--against', 'nothing')).stderr,
      /nothing is not a commit of the git repository/,
    );
    await repository.commit('Broken', '2026-01-03T00:00:00Z', { 'games/one/1.0/characters.json': '[{' });
    await repository.commit('Mended', '2026-01-04T00:00:00Z', game('one', 1));
    const broken = await review('one', '--against', 'HEAD~1');
    assert.is(broken.code, 1);
    assert.match(broken.stderr, /the data of one at HEAD~1 has \d errors?, which cannot be compared/);
  });
});

test('writes no file outside of its folder, whatever a tree names', async () => {
  await withFolder({}, async (folder) => {
    const repository = await UpstreamRepository.create(path.join(folder, 'project'));
    await repository.commit('First', '2026-01-01T00:00:00Z', { 'a.json': {} });
    const blob = await repository.git(['rev-parse', 'HEAD:a.json']);
    const writeTree = async (mode: string, name: string, hash: string) => {
      const raw = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, 'hex')]);
      await writeFiles(folder, { tree: raw });
      return await repository.git(['hash-object', '-t', 'tree', '-w', '--literally', '../tree']);
    };
    const inner = await writeTree('100644', 'outside.json', blob);
    const game = await writeTree('40000', '..', inner);
    const commit = await repository.git(['commit-tree', '-m', 'x', await writeTree('40000', 'game', game)]);
    const ref = { repository: path.join(repository.folder, '.git'), commit, prefix: '' };
    const target = path.join(folder, 'copy/game');
    assert.is(await copyGameAtRef(ref, 'game', target), false);
    assert.equal((await readdir(folder)).sort(), ['project', 'tree']);
  });
});

reviews.run();
