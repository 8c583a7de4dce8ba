import { access, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withDistLock } from '../../../../scripts/dist/dist-lock.ts';
import type { Json, Manifest } from '../../../../scripts/format/dist-format.ts';
import type { FailureData, NoticeEvent } from '../../../../scripts/upstream/notify/notice.ts';
import { startCommand } from '../../../support/command.ts';
import { withFolder, writeFiles } from '../../../support/fixtures.ts';
import { interruptAt } from '../../../support/interrupt.ts';
import { NOTICE_SECRET, receiveNotices } from '../../../support/receive-notices.ts';
import { type Outcome, runInProcess } from '../../../support/run-in-process.ts';
import { withPrograms } from '../../../support/skip.ts';
import { until } from '../../../support/until.ts';
import { UpstreamRepository } from '../../../support/upstream-repository.ts';

const service = suite('gamedata pull without a person');
const test = withPrograms(service, 'git');

function units(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), { name, hp: 100 + name.length }]));
}

const ALL = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve', 'Fay', 'Gil', 'Hal', 'Ida', 'Jon'];
const BROKEN = ['Ann', 'Bob'];

interface Place {
  cwd: string;
  upstream: UpstreamRepository;
  commit(build: string, day: number, names: readonly string[]): Promise<void>;
  /** Runs one round. */
  round(...args: string[]): Promise<Outcome>;
  /** Runs one round so many minutes later. */
  roundLater(minutes: number, ...args: string[]): Promise<Outcome>;
  held(): Promise<Record<string, { commit: string; errors: string[]; reported: boolean; same_as?: string }>>;
  /** The builds in data/ and those in dist/. */
  builds(): Promise<[string[], string[]]>;
}

async function withGame(use: (place: Place) => Promise<void>): Promise<void> {
  await withFolder({}, async (cwd) => {
    const upstream = await UpstreamRepository.create(path.join(cwd, 'up'));
    const data = path.join(cwd, 'data/game');
    await writeFiles(data, {
      'game.json': {
        title: 'Game',
        source: { git: upstream.address, build: { subject: '^Update (\\d+\\.\\d+)' } },
        tables: { units: 'units.json' },
        roster: { from: 'units', entry: "{'id': $key, 'name': name, 'stats': {'hp': hp}}" },
        datasets: { pull_planner: "{'currency': 'Gem'}" },
      },
    });
    const run = (minutes: number, args: string[]) =>
      runInProcess('gamedata', ['pull', '--build', '--allow-local', ...args], {
        cwd,
        env: { GAMEDATA_WEBHOOK_SECRET: NOTICE_SECRET },
        ...(minutes > 0 && { now: Date.now() + minutes * 60_000 }),
      });
    await use({
      cwd,
      upstream,
      async commit(build, day, names) {
        const at = new Date(Date.UTC(2026, 0, day)).toISOString();
        await upstream.commit(`Update ${build}`, at, { 'units.json': units(...names) });
      },
      round: (...args) => run(0, args),
      roundLater: (minutes, ...args) => run(minutes, args),
      held: async () => {
        const text = await readFile(path.join(data, 'held.json'), 'utf8').catch(() => '{"builds": {}}');
        return JSON.parse(text).builds;
      },
      builds: async () => [await namesIn(data), await namesInDist(cwd)],
    });
  });
}

async function namesIn(data: string): Promise<string[]> {
  const entries = await readdir(data, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

async function namesInDist(cwd: string): Promise<string[]> {
  return (await readBuilt(cwd)).map(({ build }) => build);
}

async function readBuilt(cwd: string): Promise<Manifest['builds']> {
  const read = async (file: string) => JSON.parse(await readFile(path.join(cwd, 'dist', file), 'utf8'));
  const { games } = await read('index.json').catch(() => ({ games: [] }));
  if (games.length === 0) return [];
  return ((await read(games[0].manifest.file)) as Manifest).builds;
}

test('a broken build is held back and reported once; a later one that passes is served without it', async () => {
  await withGame(async ({ cwd, commit, round, held, builds }) => {
    const hook = await receiveNotices();
    try {
      await commit('1.0', 1, ALL);
      await commit('1.1', 2, BROKEN);
      await commit('1.2', 3, [...ALL, 'Kim']);
      hook.status = 500;
      const first = await round('--webhook', hook.address);
      assert.is(first.code, 1);
      assert.match(
        first.stderr,
        /game: build 1\.1 is held back: \d+ errors?; review: var\/reviews\/game-1\.1\.html/,
      );
      assert.match(first.stderr, 'game: build 1.1 is not reported: the response had status 500');
      assert.equal(await builds(), [
        ['1.0', '1.2'],
        ['1.0', '1.2'],
      ]);
      const review = await readFile(path.join(cwd, 'var/reviews/game-1.1.html'), 'utf8');
      assert.match(review, 'records-lost');
      await access(path.join(cwd, 'var/reviews/game-1.1.md'));
      hook.status = 204;
      await round('--webhook', hook.address);
      await round('--webhook', hook.address);
      assert.is(hook.received.length, 2);
      const [one, two] = hook.received;
      assert.equal([one?.id, one?.type], [two?.id, 'build.held']);
      assert.equal((await held())['1.1']?.reported, true);
      const built = async (build: string) => (await readBuilt(cwd)).find((entry) => entry.build === build);
      const before = await built('1.2');
      const errors = (await held())['1.1']?.errors ?? [];
      const overrides = [...new Set(errors.map((line) => line.split(' ')[0]))].map((check) => ({
        check,
        reason: 'A purge.',
      }));
      await writeFiles(cwd, {
        'data/game/held.json': { builds: { '1.1': { overrides } } } as unknown as Json,
      });
      const accepted = await round();
      assert.is(accepted.code, 0, accepted.stderr);
      assert.equal(await builds(), [
        ['1.0', '1.1', '1.2'],
        ['1.0', '1.1', '1.2'],
      ]);
      assert.equal((await built('1.2'))?.characters, before?.characters);
      assert.is((await built('1.1'))?.characters.count, 2);
      const { data } = JSON.parse(JSON.stringify(two));
      assert.equal([data.game, data.build, data.before], ['game', '1.1', '1.0']);
    } finally {
      hook.close();
    }
  });
});

test('a held build is taken when it is accepted, when upstream corrects it, or not at all when it is skipped', async () => {
  await withGame(async ({ cwd, commit, round, held, builds }) => {
    const heldFile = path.join(cwd, 'data/game/held.json');
    await commit('1.0', 1, ALL);
    await commit('1.1', 2, BROKEN);
    await round();
    const errors = (await held())['1.1']?.errors ?? [];
    assert.ok(errors.length > 0);
    const overrides = [...new Set(errors.map((line) => line.split(' ')[0]))].map((check) => ({
      check,
      reason: 'A purge.',
    }));
    await writeFiles(cwd, { 'data/game/held.json': { builds: { '1.1': { overrides } } } as unknown as Json });
    const accepted = await round();
    assert.is(accepted.code, 0, accepted.stderr);
    assert.equal(await builds(), [
      ['1.0', '1.1'],
      ['1.0', '1.1'],
    ]);
    assert.equal(
      JSON.parse(await readFile(path.join(cwd, 'data/game/1.1/build.json'), 'utf8')).overrides,
      overrides,
    );
    await access(heldFile).then(
      () => assert.unreachable('held.json remains'),
      () => {},
    );

    await commit('1.2', 3, ['Ann']);
    assert.is((await round()).code, 1);
    await commit('1.2', 9, [...BROKEN, 'Cid']);
    const corrected = await round();
    assert.is(corrected.code, 0, corrected.stderr);
    assert.equal((await builds())[1], ['1.0', '1.1', '1.2']);

    await commit('1.3', 10, []);
    assert.is((await round()).code, 1);
    const skip = await runInProcess('gamedata', ['pull', 'game', '--skip', '1.3'], { cwd });
    assert.equal([skip.code, skip.stdout], [0, 'game: build 1.3 is skipped, as data/game/held.json says\n']);
    const skipped = await round();
    assert.is(skipped.code, 0, skipped.stderr);
    assert.equal((await builds())[0], ['1.0', '1.1', '1.2']);
  });
});

test('a change that upstream keeps is accepted after two more builds and a week, as it was reported', async () => {
  await withGame(async ({ upstream, commit, round, roundLater, held, builds }) => {
    const commitTimes = async (build: string, day: number, factor: number, names = ALL) => {
      const at = new Date(Date.UTC(2026, 0, day)).toISOString();
      const grown = names.map((name) => [name.toLowerCase(), { name, hp: factor * (100 + name.length) }]);
      await upstream.commit(`Update ${build}`, at, { 'units.json': Object.fromEntries(grown) });
    };
    const week = 7 * 24 * 60 + 1;
    await commit('1.0', 1, ALL);
    await round();
    await commitTimes('1.1', 2, 100);
    await commitTimes('1.2', 5, 100);
    await round();
    await commitTimes('1.3', 8, 100);
    await roundLater(week);
    assert.equal(await builds(), [['1.0'], ['1.0']], 'not a week later upstream');
    await commitTimes('1.4', 9, 100, [...ALL, 'Kim']);
    await round();
    assert.equal(await builds(), [['1.0'], ['1.0']], 'not held back here for a week');
    const accepted = await roundLater(week);
    assert.is(accepted.code, 0, accepted.stderr);
    assert.match(
      accepted.stderr,
      /build 1\.1 is accepted, as upstream keeps it in 1\.2, 1\.3, 1\.4, 7 days later: values-changed characters\.stats\.hp/,
    );
    const all = ['1.0', '1.1', '1.2', '1.3', '1.4'];
    assert.equal([await builds(), await held()], [[all, all], {}]);

    await commitTimes('1.5', 20, 10_000);
    await commitTimes('1.6', 30, 1000);
    await commitTimes('1.7', 40, 1000);
    await round();
    const { code, stderr } = await roundLater(week);
    assert.is(code, 1);
    assert.not.match(stderr, 'accepted', 'not the same numbers');
    assert.equal(await builds(), [all, all]);
    const kept = Object.entries(await held()).map(([build, { same_as }]) => [build, same_as]);
    assert.equal(kept, [
      ['1.5', undefined],
      ['1.6', '1.5'],
      ['1.7', '1.5'],
    ]);

    await upstream.git(['reset', '--quiet', '--hard', 'HEAD~3']);
    await commitTimes('1.6', 30, 1000);
    await round();
    assert.equal((await held())['1.6']?.same_as, undefined, 'nothing else says that it is held back');
  });
});

test('a change that upstream took back is asked about again when it comes back, and is not what upstream keeps', async () => {
  await withGame(async ({ commit, round, held, builds }) => {
    const without = (lost: string) => ALL.filter((name) => name !== lost);
    await commit('1.0', 1, ALL);
    await commit('1.1', 2, without('Ann'));
    await round();
    await commit('1.2', 9, ALL);
    await commit('1.3', 16, without('Bob'));
    await commit('1.4', 23, without('Bob'));
    await round();
    const names = ['1.0', '1.2'];
    assert.equal(await builds(), [names, names]);
    const entries = Object.entries(await held()).map(([build, { same_as }]) => [build, same_as]);
    assert.equal(entries, [
      ['1.1', undefined],
      ['1.3', undefined],
      ['1.4', '1.3'],
    ]);
  });
});

test('a game that cannot be pulled or built stops only itself', async () => {
  await withGame(async ({ cwd, commit, round, builds }) => {
    await commit('1.0', 1, ALL);
    const broken = {
      title: 'Broken',
      source: { git: 'file:///nowhere/at/all', build: 'date' },
      tables: { a: 'a.json' },
    };
    await writeFiles(cwd, { 'data/broken/game.json': broken, 'data/broken/1.0/build.json': '{' });
    const { code, stderr } = await round();
    assert.is(code, 1);
    assert.match(stderr, /broken: 1 error to correct first/);
    assert.match(stderr, 'gamedata: 1 game held back, or not pulled, built or reported');
    assert.equal((await builds())[1], ['1.0']);
  });
});

test('a source that cannot be fetched is reported once when it lasts, and once when it works again', async () => {
  await withGame(async ({ cwd, commit, round, roundLater }) => {
    const hook = await receiveNotices();
    const away = path.join(cwd, 'away');
    const report = ['--webhook', hook.address];
    try {
      await commit('1.0', 1, ALL);
      assert.is((await round(...report)).code, 0);
      await rename(path.join(cwd, 'up'), away);
      const first = await round(...report);
      assert.is(first.code, 1);
      assert.match(first.stderr, /^game: file:.*up cannot be fetched/m);
      await roundLater(29, ...report);
      assert.equal(hook.received, []);
      hook.status = 500;
      const refused = await roundLater(31, ...report);
      assert.match(refused.stderr, 'game: this is not reported: the response had status 500');
      hook.status = 204;
      await roundLater(36, ...report);
      await roundLater(41, ...report);
      await rename(away, path.join(cwd, 'up'));
      const last = await roundLater(46, ...report);
      assert.is(last.code, 0, last.stderr);
      await roundLater(51, ...report);
      const events = hook.received as unknown as NoticeEvent[];
      assert.equal(
        events.map(({ type, data }) => [type, data.game, (data as FailureData).step]),
        ['pull.failing', 'pull.failing', 'pull.recovered'].map((type) => [type, 'game', 'pull']),
      );
      assert.is(events[0]?.id, events[1]?.id);
      assert.match(String((events[2]?.data as FailureData | undefined)?.error), 'cannot be fetched');
    } finally {
      hook.close();
    }
  });
});

test('refuses options that do not fit, and a held.json that is wrong', async () => {
  await withGame(async ({ cwd, round }) => {
    const run = async (...args: string[]) => {
      const { code, stderr } = await runInProcess('gamedata', ['pull', '--allow-local', ...args], { cwd });
      return `${code} ${stderr}`;
    };
    assert.match(await run('--publish', 'x'), /^2 .*--publish needs --build/);
    assert.match(await run('--watch', '--dry-run'), /^2 .*use either --dry-run/);
    assert.match(
      await run('--watch', '--every', '5'),
      /^2 .*expected a number of seconds, minutes or hours/s,
    );
    assert.match(
      await run('--build', '--webhook', 'http://example.org/a'),
      /^2 .*expected an https:\/\/ address/,
    );
    assert.match(await run('--build', '--webhook', 'https://example.org/a'), /^2 .*GAMEDATA_WEBHOOK_SECRET/);
    assert.match(await run('--build', '--mail', 'a@example.org'), /^2 .*SMTP_URL/);
    assert.match(await run('--skip', '1.1'), /^2 .*--skip needs one game/);
    assert.match(await run('game', '--skip', 'a/b'), /^2 .*a\/b is not the name of a build/);
    await writeFiles(cwd, { 'data/game/held.json': { builds: { '1.1': { skip: 'yes' } } } });
    assert.match(
      (await round()).stderr,
      /held\.json \/builds\/1\.1\/skip: .*; expected .*correct it, or delete it/,
    );
  });
});

test('a build that waits for another writer of dist/, or for a disk that can be written, is made in a later round', async () => {
  await withGame(async ({ cwd, commit, builds }) => {
    await commit('1.0', 1, ALL);
    // Where the game's folder should be: the system refuses to write there, as on a full disk.
    await writeFiles(cwd, { 'dist/game': 'a file' });
    const args = ['pull', '--build', '--watch', '--every', '1s', '--allow-local'];
    const service = await withDistLock(path.join(cwd, 'dist'), async () => {
      const started = startCommand('gamedata', args, { cwd });
      await started.printedError(/another gamedata is writing to dist\//);
      return started;
    });
    try {
      await service.printedError(/game: dist\/ cannot be written: EEXIST/);
      await rm(path.join(cwd, 'dist/game'));
      await until(async () => (await builds())[1].includes('1.0'));
      await service.printed(/game: build works again/);
    } finally {
      service.child.kill('SIGTERM');
      await service.ended;
    }
  });
});

test('killed at any step, it leaves no build that was not checked, and the next round goes on', async () => {
  await withGame(async ({ cwd, commit, round, builds, held }) => {
    await commit('1.0', 1, ALL);
    await commit('1.1', 2, BROKEN);
    await commit('1.2', 3, [...ALL, 'Kim']);
    const steps: [file: string, step: number][] = [
      ['held.json', 2],
      ['.adding/build', 5],
      ['var/reviews', 1],
      ['dist/', 3],
    ];
    let kills = 0;
    for (const [file, step] of steps) {
      const env = interruptAt({ signal: 'SIGKILL', step, file });
      const args = ['pull', '--build', '--allow-local'];
      const { signal } = await startCommand('gamedata', args, { cwd, env, detached: true }).ended;
      if (signal === 'SIGKILL') kills++;
    }
    assert.is(kills, steps.length);
    assert.is((await round()).code, 1);
    assert.equal(await builds(), [
      ['1.0', '1.2'],
      ['1.0', '1.2'],
    ]);
    assert.equal(Object.keys(await held()), ['1.1']);
    const left = await readdir(path.join(cwd, 'data/game'));
    assert.equal(left, ['1.0', '1.2', 'builds.lock.json', 'game.json', 'held.json']);
  });
});

test('builds in the formats that --formats names, and goes on in those that dist/ has', async () => {
  await withGame(async ({ cwd, commit, round }) => {
    await commit('1.0', 1, ALL);
    assert.is((await round('--formats', 'csv')).code, 0);
    await commit('1.1', 2, [...ALL, 'Kim']);
    assert.is((await round('--formats', 'sqlite')).code, 0);
    const built = await readBuilt(cwd);
    assert.equal(
      built.map(({ bulk }) => Object.keys(bulk ?? {}).filter((each) => each === 'csv' || each === 'sqlite')),
      [
        ['csv', 'sqlite'],
        ['csv', 'sqlite'],
      ],
    );
  });
});

service.run();
