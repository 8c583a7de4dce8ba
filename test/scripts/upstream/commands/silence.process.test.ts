import { cp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../../scripts/format/dist-format.ts';
import { startCommand } from '../../../support/command.ts';
import { type Files, withFolder, writeFiles } from '../../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../../support/run-in-process.ts';
import { withPrograms } from '../../../support/skip.ts';
import { UpstreamRepository } from '../../../support/upstream-repository.ts';

const silence = suite('what upstream does without a word');
const test = withPrograms(silence, 'git');

const DAY_MS = 86_400_000;

interface Place {
  cwd: string;
  upstream: UpstreamRepository;
  /** Commits files to `upstream` on a day of 2026, the first of which is 0. */
  commit(subject: string, day: number, files: Files): Promise<string>;
  setSource(source: Record<string, Json>): Promise<void>;
  pull(...args: string[]): Promise<Outcome>;
  /** `pull --build` so many minutes later, with the failures that are noted then. */
  round(minutes?: number, ...args: string[]): Promise<Outcome & { noted: Record<string, string>[] }>;
  held(builds?: Json): Promise<Record<string, Json>>;
}

function units(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), { name, hp: 100 + name.length }]));
}

const FEW = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve', 'Fay', 'Gil', 'Hal', 'Ida', 'Jon'];
const BY_SUBJECT = { build: { subject: '^Update (\\d+\\.\\d+)' } };

async function withUpstream(use: (place: Place) => Promise<void>): Promise<void> {
  await withFolder({}, async (cwd) => {
    const upstream = await UpstreamRepository.create(path.join(cwd, 'up'));
    const game = path.join(cwd, 'data/game');
    const run = (args: string[], now = Date.now()) =>
      runInProcess('gamedata', ['pull', '--coverage', 'none', '--allow-local', ...args], { cwd, now });
    const setSource = async (source: Record<string, Json>) =>
      await writeFiles(game, {
        'game.json': {
          title: 'Game',
          source: { git: upstream.address, ...source },
          tables: { units: 'raw/units.json' },
          roster: { from: 'units', entry: "{'id': $key, 'name': name, 'stats': {'hp': hp}}" },
          datasets: { pull_planner: "{'currency': 'Gem'}" },
        },
      });
    await setSource(BY_SUBJECT);
    await use({
      ...{ cwd, upstream, setSource },
      commit: (subject, day, files) =>
        upstream.commit(subject, new Date(Date.UTC(2026, 0, 1) + day * DAY_MS).toISOString(), files),
      pull: (...args) => run(args),
      async round(minutes = 0, ...args) {
        const outcome = await run(['--build', ...args], Date.now() + minutes * 60_000);
        const file = path.join(cwd, 'var/upstream/failures.json');
        return { ...outcome, noted: JSON.parse(await readFile(file, 'utf8').catch(() => '[]')) };
      },
      async held(builds) {
        const file = path.join(game, 'held.json');
        if (builds) await writeFiles(game, { 'held.json': { builds } });
        return JSON.parse(await readFile(file, 'utf8').catch(() => '{"builds": {}}')).builds;
      },
    });
  });
}

test('a folder that upstream moves is an error, and a failure until it is back', async () => {
  await withUpstream(async ({ upstream, commit, pull, round }) => {
    await commit('Update 1.0', 0, { 'raw/units.json': units(...FEW) });
    assert.is((await round()).code, 0);
    await upstream.git(['mv', 'raw', 'data']);
    await commit('Update 1.1', 1, {});
    await commit('Update 1.2', 2, { 'data/units.json': units(...FEW, 'Kim') });
    const moved =
      /has no raw\/units\.json, where the tables are in game\.json: upstream has moved or removed it/;
    const pulled = await pull();
    assert.is(pulled.code, 1);
    assert.match(pulled.stderr, moved);
    const [first, later] = [await round(), await round(31)];
    assert.equal([first.code, later.code], [1, 1]);
    assert.match(first.stderr, moved);
    assert.equal(
      later.noted.map(({ step, game, reported }) => ({ step, game, reported })),
      [{ step: 'pull', game: 'game', reported: true }],
    );
    await upstream.git(['mv', 'data', 'raw']);
    await commit('Update 1.3', 3, {});
    const back = await round(40);
    assert.equal([back.code, back.noted], [0, []]);
  });
});

test('a path of "paths" that is gone is an error, and so is a branch that never had one', async () => {
  await withUpstream(async ({ upstream, commit, pull, setSource }) => {
    await commit('Update 1.0', 0, { 'store/v2/units.json': units(...FEW), 'names.json': {} });
    const paths = { 'store/v2': 'raw', 'names.json': 'raw/names.json' };
    await setSource({ ...BY_SUBJECT, paths });
    assert.is((await pull()).code, 0);
    await upstream.git(['rm', '--quiet', 'names.json']);
    await commit('Update 1.1', 1, {});
    const gone = await pull('--dry-run');
    assert.is(gone.code, 1);
    assert.match(gone.stderr, /has no names\.json, which "paths" of "source" names in game\.json/);

    await upstream.git(['switch', '--quiet', '--orphan', 'site']);
    await commit('Update 2.0', 2, { 'index.html': 'Hello' });
    await setSource({ ...BY_SUBJECT, paths, branch: 'site' });
    assert.match((await pull()).stderr, /has no store\/v2, names\.json/);
  });
});

test('a commit to the paths that names no build is an error; other commits are counted', async () => {
  await withUpstream(async ({ commit, pull }) => {
    await commit('Update 1.0', 0, { 'raw/units.json': units(...FEW) });
    await commit('Say hello', 1, { 'README.md': 'Hello' });
    await commit('Say more', 2, { 'README.md': 'Hello, all' });
    const normal = await pull();
    assert.equal([normal.code, normal.stderr], [0, '']);
    assert.match(normal.stdout, /\n {2}2 later commits without files of the game\n/);
    await commit('Version 1.1', 3, { 'raw/units.json': units(...FEW, 'Kim') });
    const renamed = await pull();
    assert.is(renamed.code, 1);
    assert.match(
      renamed.stderr,
      /1 commit since the newest build changes files of the game and names no build, such as [0-9a-f]{10} \("Version 1\.1"\)/,
    );
  });
});

test('commits elsewhere are reported after twice the usual time without a build, with exit code 0', async () => {
  await withUpstream(async ({ commit, round }) => {
    const today = Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / DAY_MS);
    const names = [...FEW];
    for (const [index, ago] of [70, 60, 50, 40].entries()) {
      names.push(`Kim${index}`);
      await commit(`Update 1.${index}`, today - ago, { 'raw/units.json': units(...names) });
    }
    assert.equal((await round()).noted, []);
    await commit('Go on elsewhere', today - 1, { 'v2/units.json': units(...FEW) });
    const quiet = await round();
    assert.is(quiet.code, 0, quiet.stderr);
    assert.match(
      quiet.stderr,
      /game: warning: no build since 1\.3, 4\d days ago, where 10 days are usual; 1 commit since then changes other files of the repository: if upstream has moved them, correct "source" in game\.json; if the game has ended, name the one that continues it \("successor" in game\.json\)\n/,
    );
    const reported = await round(31);
    assert.is(reported.code, 0);
    assert.equal(
      reported.noted.map(({ step, reported: is }) => [step, is]),
      [['quiet', true]],
    );
    await commit('Update 1.4', today, { 'raw/units.json': units(...names, 'Lea') });
    assert.equal((await round(120)).noted, []);
  });
});

test('an upstream at rest is reported with what to do, unless a successor says that the game has ended', async () => {
  await withUpstream(async ({ cwd, commit, pull, round }) => {
    const names = [...FEW];
    for (const day of [0, 10, 20, 30]) {
      names.push(`Kim${day}`);
      await commit(`Update 1.${day}`, day, { 'raw/units.json': units(...names) });
    }
    const added = await pull();
    assert.equal([added.code, added.stderr], [0, '']);
    const quiet = await pull();
    assert.is(quiet.code, 0);
    assert.match(
      quiet.stderr,
      /^game: warning: no build since 1\.30, \d+ days ago, where 10 days are usual, and nothing else is new upstream: if it goes on in another place, correct "source" in game\.json; if the game has ended, name the one that continues it \("successor" in game\.json\)\n$/,
    );
    await round();
    assert.equal(
      (await round(31)).noted.map(({ step }) => step),
      ['quiet'],
    );
    const file = path.join(cwd, 'data/game/game.json');
    await writeFiles(cwd, {
      'data/game/game.json': { ...JSON.parse(await readFile(file, 'utf8')), successor: 'game-two' },
    });
    const ended = await round(40);
    assert.equal([ended.code, ended.noted], [0, []]);
    assert.match(ended.stdout, 'the game has ended, and game-two continues it ("successor" in game.json)');
    assert.not.match(ended.stderr, 'warning');
  });
});

/** Sets the tables of the game to one that takes files. */
async function setUnits(cwd: string, files: string): Promise<void> {
  const file = path.join(cwd, 'data/game/game.json');
  const game = JSON.parse(await readFile(file, 'utf8'));
  await writeFiles(cwd, {
    'data/game/game.json': {
      ...game,
      tables: { units: { files, key: 'id' } },
      roster: { from: 'units', entry: "{'id': id, 'name': name, 'stats': {'hp': hp}}" },
    },
  });
}

const listOf = (...names: string[]) => names.map((name) => ({ id: name.toLowerCase(), name, hp: 100 }));

test('a table of lists takes a file that upstream adds', async () => {
  await withUpstream(async ({ cwd, commit, pull }) => {
    await setUnits(cwd, 'raw/Person/*.json');
    const first = { 'raw/Person/a.json': listOf('Ann', 'Amy'), 'raw/Person/b.json': listOf('Bob') };
    await commit('Update 1.0', 0, first);
    await pull();
    await commit('Update 1.1', 1, { 'raw/Person/c.json': listOf('Cid', 'Cam') });
    const added = await pull();
    assert.equal([added.code, added.stderr], [0, '']);
    assert.match(added.stdout, '1 new, 0 changed, 0 removed');
    assert.match((await runInProcess('gamedata', ['check'], { cwd })).stderr, '2 builds, 5 characters');
  });
});

test('a new file beside those of a table, which no table takes, is reported once', async () => {
  await withUpstream(async ({ cwd, commit, pull, round }) => {
    await setUnits(cwd, 'raw/Person/{a,b}.json');
    const first = { 'raw/Person/a.json': listOf('Ann', 'Amy'), 'raw/Person/b.json': listOf('Bob') };
    await commit('Update 1.0', 0, { ...first, 'raw/other.json': [] });
    assert.is((await pull()).stderr, '');
    await commit('Update 1.1', 1, {
      ...{ 'raw/Person/a.json': listOf('Ann', 'Amy', 'Ada'), 'raw/Person/c.json': listOf('Cid') },
      ...{ 'raw/more.json': [], 'README.md': 'Hello' },
    });
    await commit('Update 1.2', 2, { 'raw/Person/b.json': listOf('Bob', 'Ben'), 'raw/Person/d.json': [] });
    const warning = (build: string, file: string) =>
      `game: ${build}: warning: beside files that a table of data/game/game.json reads, and in none: 1 file (${file}); if they have rows of it, give the table a pattern\n`;
    const told = await round();
    assert.is(told.code, 0);
    assert.is(
      told.stderr.replace(/^.* characters, .*\n/m, ''),
      warning('1.1', 'raw/Person/c.json') + warning('1.2', 'raw/Person/d.json'),
    );
    await commit('Update 1.3', 3, { 'raw/Person/b.json': listOf('Bob', 'Ben', 'Bea') });
    const later = await pull();
    assert.equal([later.code, later.stderr], [0, '']);
  });
});

test('two folders that are called the same build are an error that names both, and none is taken', async () => {
  await withUpstream(async ({ upstream, commit, pull, setSource }) => {
    await setSource({ build: { folder: 'past/([^/_]+)_.+' } });
    await commit('Keep 1.0', 0, { 'past/1.0_a/raw/units.json': units(...FEW) });
    await commit('Keep 1.1', 1, { 'past/1.1_a/raw/units.json': units(...FEW, 'Kim') });
    await commit('Keep 1.1 too', 2, { 'past/1.1_b/raw/units.json': units(...FEW, 'Lea') });
    const { code, stdout, stderr } = await pull();
    assert.is(code, 1);
    assert.match(
      stderr,
      'game: the folders past/1.1_a and past/1.1_b are both called build 1.1 by "build" of "source" in game.json: ',
    );
    assert.match(stdout, 'data/game/1.0: 1 new');
    assert.not.match(stdout, 'data/game/1.1');
    await upstream.git(['rm', '-r', '--quiet', 'past/1.1_a']);
    await commit('Keep one', 3, {});
    assert.match((await pull()).stdout, 'data/game/1.1: 0 new, 1 changed');
  });
});

test('a branch that is gone names the default branch', async () => {
  await withUpstream(async ({ upstream, commit, pull, setSource }) => {
    await commit('Update 1.0', 0, { 'raw/units.json': units(...FEW) });
    await upstream.git(['branch', '--move', 'main', 'trunk']);
    await upstream.git(['branch', 'old']);
    await setSource({ ...BY_SUBJECT, branch: 'main' });
    const { code, stderr } = await pull();
    assert.is(code, 1);
    assert.match(
      stderr,
      /has no branch main; its default branch is trunk, others are old: change "branch" in "source"/,
    );
  });
});

test('a file that upstream has lost is named with its build', async () => {
  await withUpstream(async ({ upstream, commit, pull }) => {
    await commit('Update 1.0', 0, { 'raw/units.json': units(...FEW) });
    const blob = await upstream.git(['rev-parse', 'HEAD:raw/units.json']);
    await rm(path.join(upstream.folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    const { code, stderr } = await pull();
    assert.is(code, 1);
    assert.match(
      stderr,
      /build 1\.0: 1 file of commit [0-9a-f]{40} cannot be had \(raw\/units\.json\): file:/,
    );
  });
});

test('a held build that is gone upstream is forgotten, except one that a person accepted', async () => {
  await withUpstream(async ({ upstream, commit, round, held }) => {
    await commit('Update 1.0', 0, { 'raw/units.json': units(...FEW) });
    await commit('Update 1.1', 1, { 'raw/units.json': units('Ann', 'Bob') });
    assert.is((await round()).code, 1);
    assert.equal(Object.keys(await held()), ['1.1']);
    await upstream.git(['reset', '--quiet', '--hard', 'HEAD~1']);
    const after = await round();
    assert.match(after.stderr, 'game: build 1.1, which was held back, is not upstream any more');
    assert.equal([after.code, await held()], [0, {}]);
    const overrides = [{ check: 'records-lost', reason: 'It is so.' }];
    await held({ '0.9': { overrides } });
    assert.match(
      (await round()).stderr,
      /warning: "overrides" of build 0\.9 in held\.json have no effect, as upstream does not have this build/,
    );
    assert.equal(await held(), { '0.9': { overrides } });
  });
});

const HOTFIXED = 30;

/** Takes 1.0 with ten units, then upstream corrects it two hours later. */
async function hotfix(commit: Place['commit'], names: readonly string[]): Promise<void> {
  await commit('Update 1.0 again', 2 / 24, { 'raw/units.json': units(...names) });
}

test('a hotfix of a build that the game has is reported, unless a person skips it or the content is the same', async () => {
  await withUpstream(async ({ commit, pull, round, held }) => {
    await commit('Update 1.0', 0, { 'raw/units.json': units(...FEW) });
    assert.is((await round()).code, 0);
    await hotfix(commit, FEW);
    assert.is((await round()).code, 0);
    await hotfix(commit, [...FEW, 'Kim']);
    const told = await round();
    assert.is(told.code, 1);
    assert.match(
      told.stderr,
      /1\.0, which the game has, was corrected upstream by 2 later commits, the last one is [0-9a-f]{10}: 1 file changed \(raw\/units\.json\); "later_commits"/,
    );
    assert.is((await pull()).code, 1);
    assert.is((await pull('game', '--skip', '1.0')).code, 0);
    assert.equal([(await round()).code, await held()], [0, { '1.0': { skip: true } }]);
  });
});

test('a hotfix is taken as a correction that the history shows, if "later_commits" says so', async () => {
  await withUpstream(async ({ cwd, upstream, commit, pull, round, setSource }) => {
    await setSource({ ...BY_SUBJECT, later_commits: 'take' });
    await commit('Update 1.0', 0, { 'raw/units.json': units(...FEW) });
    await round();
    await hotfix(commit, [...FEW, 'Kim']);
    const taken = await round();
    assert.is(taken.code, 0, taken.stderr);
    assert.match(taken.stdout, 'game: build 1.0 is corrected as upstream did\n');
    const { amended } = JSON.parse(await readFile(path.join(cwd, 'data/game/1.0/build.json'), 'utf8'));
    assert.match(
      amended[0].reason,
      /^Upstream corrected it: 1 later commit, the last one is commit [0-9a-f]{10}\.$/,
    );
    assert.is(amended[0].commit, await upstream.git(['rev-parse', 'HEAD']));
    assert.match(await readFile(path.join(cwd, 'data/game/1.0/raw/units.json'), 'utf8'), 'Kim');
    const again = await round();
    assert.equal([again.code, /is corrected/.test(again.stdout)], [0, false]);
    assert.match((await runInProcess('gamedata', ['check'], { cwd })).stderr, '11 characters');
    // What was taken stays known when a maintainer rewords the reason and goes on from it.
    const reworded = { released_at: '2026-01-01', amended: [{ ...amended[0], reason: 'Kim was missing.' }] };
    await writeFiles(path.join(cwd, 'data/game/1.0'), {
      'build.json': reworded,
      'raw/units.json': units(...FEW, 'Kim', 'Lea'),
    });
    assert.is((await pull()).code, 0);
  });
});

test('a running service takes a hotfix once "later_commits" says so, and again after it could not be taken', async () => {
  await withUpstream(async ({ cwd, commit, round, setSource }) => {
    await commit('Update 1.0', 0, { 'raw/units.json': units(...FEW) });
    await round();
    await hotfix(commit, [...FEW, 'Kim']);
    const args = ['pull', '--build', '--watch', '--every', '1s', '--coverage', 'none', '--allow-local'];
    const service = startCommand('gamedata', args, { cwd });
    try {
      await service.printedError(/"later_commits": "take"/);
      // The first round is over, and the next ones build nothing.
      await service.printed(/pulling every/);
      // The system refuses to write there, as on a full disk.
      const dist = path.join(cwd, 'dist');
      await rename(dist, path.join(cwd, 'kept'));
      await writeFiles(cwd, { dist: 'a file' });
      await setSource({ ...BY_SUBJECT, later_commits: 'take' });
      await service.printedError(/it is not taken: /);
      await rm(dist);
      await rename(path.join(cwd, 'kept'), dist);
      await service.printed(/build 1\.0 is corrected as upstream did/);
    } finally {
      service.child.kill('SIGTERM');
      await service.ended;
    }
  });
});

test('a hotfix that checks refuse leaves the build as it was, and so does a process that is killed meanwhile', async () => {
  await withUpstream(async ({ cwd, commit, round, setSource }) => {
    await setSource({ ...BY_SUBJECT, later_commits: 'take' });
    const many = Array.from({ length: HOTFIXED }, (_, index) => `Unit${index}`);
    await commit('Update 0.9', -30, { 'raw/units.json': units(...many) });
    await commit('Update 1.0', 0, { 'raw/units.json': units(...many, 'Ann') });
    await round();
    await hotfix(commit, many.slice(0, 3));
    const refused = await round();
    assert.is(refused.code, 1);
    assert.match(refused.stderr, /it is not taken: records-lost in .*--skip 1\.0/);
    const file = path.join(cwd, 'data/game/1.0/raw/units.json');
    assert.match(await readFile(file, 'utf8'), 'Ann');
    // As a process leaves it that is killed while the build is replaced.
    const game = path.join(cwd, 'data/game');
    await cp(path.join(game, '1.0'), path.join(game, '.correcting/1.0'), { recursive: true });
    await cp(path.join(game, 'builds.lock.json'), path.join(game, '.correcting/lock.json'));
    await rm(path.join(game, '1.0'), { recursive: true });
    await round();
    assert.match(await readFile(file, 'utf8'), 'Ann');
  });
});

test('a build with too large files is held back, and later ones wait for nothing', async () => {
  await withUpstream(async ({ commit, round, held, setSource }) => {
    await setSource({ ...BY_SUBJECT, limits: { file_mb: 1 } });
    await commit('Update 1.0', 0, { 'raw/units.json': units(...FEW) });
    const large = { ...(units(...FEW) as object), note: { name: 'x'.repeat(1_100_000) } };
    await commit('Update 1.1', 1, { 'raw/units.json': large });
    await commit('Update 1.2', 2, { 'raw/units.json': units(...FEW, 'Kim') });
    const first = await round();
    assert.is(first.code, 1);
    assert.match(first.stderr, 'game: build 1.1 is held back: 1 error');
    assert.match(first.stdout, 'data/game/1.2: 0 new, 1 changed');
    const { '1.1': noted } = (await held()) as { '1.1': { errors: string[] } };
    assert.match(
      noted.errors[0] ?? '',
      /^game-size in .*raw\/units\.json has 1\.\d+ MB, and at most 1\.\d+ MB a file are copied; .*"keep": "references"/,
    );
    await setSource({ ...BY_SUBJECT, limits: { read_mb: 1 } });
    await commit('Update 1.3', 3, { 'raw/units.json': large });
    const unread = await round();
    assert.match(unread.stderr, /has 1\d+ bytes, and at most 1048576 are read/);
  });
});

silence.run();
