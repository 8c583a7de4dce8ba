import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { withPrograms } from '../../support/skip.ts';
import { UpstreamRepository } from '../../support/upstream-repository.ts';

const hostile = suite('what an upstream repository says of its commits');
const test = withPrograms(hostile, 'git');

const filesOf = (hp: number) => ({ 'units.json': { ann: { name: 'Ann', hp } } });

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

/** How the commits of games name builds. The last game has a repository of its own. */
const SOURCES: Readonly<Record<string, Json>> = {
  date: 'date',
  subject: { subject: '^Update (\\d.\\d)' },
  tag: { tag: '^v(\\d.\\d)' },
  whole: { subject: '^Update (\\d.\\d)' },
};

interface Pulled extends Outcome {
  /** The builds that each game has in the end, by the names in `SOURCES`. */
  builds: Record<string, string[]>;
  /** The files that there are in the end. */
  files: string[];
}

/** Pulls games that have a build each, and then the next build. @param work makes that of the hostile repository, with a tag */
async function pullNext(work: (upstream: UpstreamRepository) => Promise<unknown>): Promise<Pulled> {
  return await withFolder({}, async (cwd) => {
    const create = async (name: string) => {
      const upstream = await UpstreamRepository.create(path.join(cwd, name));
      await upstream.commit('Update 1.0', '2026-01-01T00:00:00Z', filesOf(900));
      await upstream.git(['tag', 'v1.0']);
      return upstream;
    };
    const [hostileOne, wholeOne] = [await create('up-hostile'), await create('up-whole')];
    for (const [game, build] of Object.entries(SOURCES)) {
      const git = (game === 'whole' ? wholeOne : hostileOne).address;
      await writeFiles(path.join(cwd, 'data', game), {
        'game.json': {
          title: game,
          source: { git, build },
          tables: { units: 'units.json' },
          roster: { from: 'units', entry: "{'id': $key, 'name': name, 'stats': {'hp': hp}}" },
          datasets: { pull_planner: "{'currency': 'Gem'}" },
        },
      });
    }
    const pull = () => runInProcess('gamedata', ['pull', '--build', '--allow-local'], { cwd });
    assert.is((await pull()).code, 0);
    await writeFiles(hostileOne.folder, filesOf(945));
    await work(hostileOne);
    await wholeOne.commit('Update 1.1', '2026-01-15T00:00:00Z', filesOf(945));
    const outcome = await pull();
    const builds: Pulled['builds'] = {};
    for (const game of Object.keys(SOURCES)) {
      const entries = await readdir(path.join(cwd, 'data', game), { withFileTypes: true });
      builds[game] = entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
    }
    return { ...outcome, builds, files: await readdir(cwd, { recursive: true }) };
  });
}

const ALL_BUILDS = {
  date: ['2026-01-01', '2026-01-15'],
  ...{ subject: ['1.0', '1.1'], tag: ['1.0', '1.1'], whole: ['1.0', '1.1'] },
};

test('a commit whose date is in no calendar is left out, and the other games are pulled', async () => {
  const { stdout, builds } = await pullNext(async (upstream) => {
    await commitWithoutDate(upstream, 'Update 1.1');
    await upstream.git(['tag', 'v1.1']);
  });
  const problems = stdout.match(/commit [0-9a-f]{10} \("Update 1\.1"\) has a date that is in no calendar/g);
  assert.is(problems?.length, 3, stdout);
  assert.equal(builds, {
    date: ['2026-01-01'],
    ...{ subject: ['1.0'], tag: ['1.0'], whole: ['1.0', '1.1'] },
  });
});

test('a subject that looks like what git prints is only a subject', async () => {
  const forged = ['\x1e--output=pwned', '1790000000', 'Update 6.6'].join('\x1f');
  const { code, stderr, builds, files } = await pullNext(async (upstream) => {
    await upstream.commit(`Update 1.1 ${forged}`, '2026-01-15T00:00:00Z', {});
    await upstream.git(['tag', '--annotate', '--message', forged, 'v1.1'], '2026-01-15T00:00:00Z');
  });
  assert.is(code, 0, stderr);
  assert.equal(builds, ALL_BUILDS);
  assert.not.ok(files.some((file) => file.endsWith('pwned')));
});

hostile.run();
