import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withCopy } from '../../../../scripts/upstream/pull/git-upstream.ts';
import { withFolder } from '../../../support/fixtures.ts';
import { withPrograms } from '../../../support/skip.ts';
import { serveRepositories, UpstreamRepository } from '../../../support/upstream-repository.ts';

const mirrors = suite('copies of upstream repositories');
const test = withPrograms(mirrors, 'git');

test('git connects to the checked addresses of a name', async () => {
  await withFolder({}, async (folder) => {
    const upstream = await UpstreamRepository.create(path.join(folder, 'up', 'dumps'));
    const commit = await upstream.commit('Start', '2026-01-01T00:00:00Z', { 'a.json': {} });
    const server = await serveRepositories(path.join(folder, 'up'));
    const { port } = new URL(server.address);
    const address = `http://upstream.invalid:${port}/dumps/.git`;
    const settings = [`http.curloptResolve=upstream.invalid:${port}:127.0.0.1`];
    const connection = { address, settings, addresses: undefined };
    const commits = await withCopy(path.join(folder, 'cache'), connection, async (mirror) => {
      await mirror.fetchBranch('main');
      return await mirror.listCommits();
    });
    assert.equal(commits, [{ commit, at: Date.parse('2026-01-01T00:00:00Z'), subject: 'Start' }]);
  });
});

mirrors.run();
