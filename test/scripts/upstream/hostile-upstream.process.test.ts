import { readdir } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { writeFiles } from '../../support/fixtures.ts';
import { withPrograms } from '../../support/skip.ts';
import type { UpstreamRepository } from '../../support/upstream-repository.ts';
import { day, NAMES, see, units, withWorld } from './pull-world.ts';

const hostile = suite('what an upstream repository says of its commits');
const test = withPrograms(hostile, 'git');

/** Git keeps it as it is, and no calendar has it. */
const NO_DATE = '99999999999999';

/** Commits the work tree with a date that `git commit` would refuse. */
async function commitWithoutDate(upstream: UpstreamRepository, subject: string): Promise<void> {
  await upstream.git(['add', '--all']);
  const [tree, parent] = [await upstream.git(['write-tree']), await upstream.git(['rev-parse', 'HEAD'])];
  const lines = [`tree ${tree}`, `parent ${parent}`, `author A <a@example.org> 1700000000 +0000`];
  const text = [...lines, `committer A <a@example.org> ${NO_DATE} +0000`, '', subject, ''].join('\n');
  await writeFiles(upstream.folder, { '.git/commit.txt': text });
  const hash = ['hash-object', '-t', 'commit', '-w', '--literally', '.git/commit.txt'];
  await upstream.git(['update-ref', 'refs/heads/main', await upstream.git(hash)]);
}

/** The ways in which commits name builds, and the two builds. */
const WAYS: Readonly<Record<string, { build: Json; builds: string[] }>> = {
  date: { build: 'date', builds: ['2026-01-01', '2026-01-15'] },
  subject: { build: { subject: '^Update (\\d.\\d)' }, builds: ['1.0', '1.1'] },
  tag: { build: { tag: '^v(\\d.\\d)' }, builds: ['1.0', '1.1'] },
};

for (const [way, { build, builds }] of Object.entries(WAYS)) {
  const play = (served: string[], next: (upstream: UpstreamRepository) => Promise<unknown>) =>
    withWorld({ build }, async (world) => {
      const { upstream } = world;
      await world.commit('1.0', 1);
      await upstream.git(['tag', 'v1.0']);
      assert.is((await see(world, 2)).code, 0);
      await writeFiles(upstream.folder, { 'units.json': units(NAMES, 1) });
      await next(upstream);
      const seen = await see(world, 20);
      const files = await readdir(world.cwd, { recursive: true });
      assert.not.ok(files.some((file) => file.endsWith('pwned')));
      assert.equal(seen.served, served, seen.stderr);
      const isLeftOut = /"Update 1\.1"\) has a date that is in no calendar/.test(seen.stdout);
      assert.is(isLeftOut, served.length === 1);
    });

  test(`a commit whose date is in no calendar is left out (${way})`, async () => {
    await play(builds.slice(0, 1), async (upstream) => {
      await commitWithoutDate(upstream, 'Update 1.1');
      await upstream.git(['tag', 'v1.1']);
    });
  });

  test(`a subject that looks like what git prints is only a subject (${way})`, async () => {
    const forged = ['\x1e--output=pwned', '1790000000', 'Update 6.6'].join('\x1f');
    await play(builds, async (upstream) => {
      await upstream.commit(`Update 1.1 ${forged}`, day(15), {});
      await upstream.git(['tag', '--annotate', '--message', forged, 'v1.1'], day(15));
    });
  });
}

hostile.run();
