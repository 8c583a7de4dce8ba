import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { withPrograms } from '../../support/skip.ts';
import { UpstreamRepository } from '../../support/upstream-repository.ts';

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

reviews.run();
