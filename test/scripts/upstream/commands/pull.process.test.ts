import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../../scripts/format/dist-format.ts';
import { startCommand } from '../../../support/command.ts';
import { type Files, withFolder, writeFiles } from '../../../support/fixtures.ts';
import { interruptAt } from '../../../support/interrupt.ts';
import { type Outcome, runInProcess } from '../../../support/run-in-process.ts';
import { withPrograms } from '../../../support/skip.ts';
import { serveRepositories, UpstreamRepository } from '../../../support/upstream-repository.ts';
import { hashFolder } from '../../commands/hash-folder.ts';

const pulls = suite('gamedata pull');
const test = withPrograms(pulls, 'git');

const COVERAGE = ['--coverage', 'none'];

function units(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), { name, hp: 100 + name.length }]));
}

function gameFile(source: Json, more: Record<string, Json> = {}): Json {
  return {
    title: 'Game',
    source,
    tables: { units: 'raw/units.json' },
    roster: { from: 'units', entry: "{'id': $key, 'name': name, 'stats': {'hp': hp}}" },
    datasets: { pull_planner: "{'currency': 'Gem'}" },
    ...more,
  };
}

interface Place {
  cwd: string;
  upstream: UpstreamRepository;
  /** Runs `gamedata pull` with `--allow-local`. */
  pull(...args: string[]): Promise<Outcome>;
  /** Replaces `source` in game.json. */
  setSource(source: Record<string, Json>, more?: Record<string, Json>): Promise<void>;
  /** The builds in data/, each with its files. */
  readGame(): Promise<Record<string, Record<string, Json>>>;
}

/** Calls `use` with a game without builds, and an empty repository as its source. */
async function withUpstream(use: (place: Place) => Promise<void>): Promise<void> {
  await withFolder({}, async (cwd) => {
    const upstream = await UpstreamRepository.create(path.join(cwd, 'up', 'dumps'));
    const data = path.join(cwd, 'data/game');
    await use({
      cwd,
      upstream,
      pull: (...args) => runInProcess('gamedata', ['pull', ...COVERAGE, '--allow-local', ...args], { cwd }),
      setSource: (source, more) => writeFiles(data, { 'game.json': gameFile(source, more) }),
      readGame: () => readBuilds(data),
    });
  });
}

async function readBuilds(game: string): Promise<Record<string, Record<string, Json>>> {
  const builds: Record<string, Record<string, Json>> = {};
  const found = await readdir(game, { withFileTypes: true });
  for (const { name } of found.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))) {
    const files = await readdir(path.join(game, name), { recursive: true, withFileTypes: true });
    const read = files
      .filter((file) => file.isFile())
      .map(async (file) => {
        const full = path.join(file.parentPath, file.name);
        const text = await readFile(full, 'utf8');
        // What editors need is that of `gamedata add`, and tested there.
        const { $schema: _, ...value } = JSON.parse(text);
        return [path.relative(path.join(game, name), full), value as Json] as const;
      });
    builds[name] = Object.fromEntries(await Promise.all(read));
  }
  return builds;
}

const BY_SUBJECT = { build: { subject: '^Update (\\d+\\.\\d+)' } };

const ROSTERS: [subject: string, at: string, files: Files][] = [
  ['Start', '2026-01-01T00:00:00Z', { 'README.md': 'Dumps.', 'package.json': {} }],
  [
    'Update 1.0',
    '2026-01-02T00:00:00Z',
    { 'raw/units.json': units('Ann', 'Bob', 'Cid'), 'raw/big.json': ['x'] },
  ],
  ['Update 1.0 again', '2026-01-02T00:30:00Z', { 'raw/units.json': units('Ann', 'Bob', 'Cyd') }],
  ['Fix a typing error', '2026-01-02T00:40:00Z', { 'README.md': 'The dumps.' }],
  ['Update 1.1', '2026-02-01T00:00:00Z', { 'raw/units.json': units('Ann', 'Bob', 'Cyd', 'Dan') }],
  ['Update 1.2', '2026-03-01T00:00:00Z', { 'raw/units.json': units('Ann', 'Bob', 'Cyd', 'Dan', 'Eve') }],
];

async function commitAll(upstream: UpstreamRepository, commits = ROSTERS): Promise<void> {
  for (const [subject, at, files] of commits) await upstream.commit(subject, at, files);
}

test('adds each new build in order, as add would, and then what is new since', async () => {
  await withUpstream(async ({ upstream, pull, setSource, readGame, cwd }) => {
    await setSource({ git: upstream.address, ...BY_SUBJECT });
    await commitAll(upstream, ROSTERS.slice(0, 5));
    const planned = await pull('--dry-run');
    assert.equal([planned.code, planned.stderr, await readGame()], [0, '', {}]);
    assert.match(
      planned.stdout,
      /2 builds in file:.*, 2 to add\n {2}1\.0, released at 2026-01-02T00:00:00Z: commit/,
    );
    const first = await pull();
    assert.equal([first.code, first.stderr], [0, '']);
    const [one, two] = [
      {
        'build.json': { released_at: '2026-01-02T00:00:00Z' },
        'raw/units.json': units('Ann', 'Bob', 'Cyd'),
      },
      {
        'build.json': { released_at: '2026-02-01T00:00:00Z' },
        'raw/units.json': units('Ann', 'Bob', 'Cyd', 'Dan'),
      },
    ];
    assert.equal(await readGame(), { '1.0': one, '1.1': two });
    assert.equal(await readdir(path.join(cwd, 'data/game')), ['1.0', '1.1', 'game.json']);

    const idle = await pull();
    assert.match(idle.stdout, /^game: 2 builds in .*, 0 to add\n$/);
    await commitAll(upstream, ROSTERS.slice(5));
    assert.match((await pull('game')).stdout, /3 builds in .*, 1 to add\ndata\/game\/1\.2: 0 new, 1 changed/);
    assert.equal(Object.keys(await readGame()), ['1.0', '1.1', '1.2']);
  });
});

test('names and dates builds by tags, by a file, or by the date of the commit', async () => {
  const WAYS: [source: Record<string, Json>, expected: Record<string, string>][] = [
    [{ build: { tag: '^v(.+)$' } }, { '1.0': '2026-01-02T00:00:00Z', '1.1': '2026-02-01T00:00:00Z' }],
    [
      {
        build: { file: 'version.json', at: '/client/name', pattern: '^OS_(.+)$' },
        released_at: { file: 'version.json', at: '/client/time' },
      },
      { '1.0': '2026-01-05T10:00:00Z', '1.1': '2026-02-05T10:00:00Z' },
    ],
    [{ build: 'date' }, { '2026-01-02': '2026-01-02T00:00:00Z', '2026-02-01': '2026-02-01T00:00:00Z' }],
    [
      { build: { subject: '^Release (\\S+)' }, released_at: { subject: 'of (\\S+)$' } },
      { '1.0': '2026-01-03T00:00:00Z', '1.1': '2026-02-03T00:00:00Z' },
    ],
  ];
  await withUpstream(async ({ upstream, cwd, pull }) => {
    const version = (name: string, time: Json) => ({ client: { name: `OS_${name}`, time } });
    await upstream.commit('Start', '2026-01-01T00:00:00Z', { 'notes.md': 'Dumps.' });
    await upstream.commit('Release 1.0 of 2026-01-03', '2026-01-02T00:00:00Z', {
      'raw/units.json': units('Ann'),
      'version.json': version('1.0', '2026-01-05T10:00:00Z'),
    });
    await upstream.git(['tag', 'v1.0']);
    await upstream.commit('Release 1.1 of 2026-02-03', '2026-02-01T00:00:00Z', {
      'raw/units.json': units('Ann', 'Bob'),
      'version.json': version('1.1', Date.parse('2026-02-05T10:00:00Z') / 1000),
    });
    await upstream.git(['tag', '--annotate', '--message', 'The second.', 'v1.1'], '2026-02-09T00:00:00Z');
    await upstream.commit('Thank all helpers', '2026-02-20T00:00:00Z', { 'notes.md': 'Thanks.' });
    for (const [index, [source]] of WAYS.entries()) {
      const files = { 'game.json': gameFile({ git: upstream.address, ...source }) };
      await writeFiles(path.join(cwd, `data/game-${index}`), files);
    }
    const { code, stderr } = await pull();
    assert.equal([code, stderr], [0, '']);
    for (const [index, [, expected]] of WAYS.entries()) {
      const builds = await readBuilds(path.join(cwd, `data/game-${index}`));
      const dates = Object.entries(builds).map(([name, files]) => [name, files['build.json']]);
      assert.equal(
        dates,
        Object.entries(expected).map(([name, released_at]) => [name, { released_at }]),
      );
    }
  });
});

test('each folder that is a build has its own files, date and corrections', async () => {
  await withUpstream(async ({ upstream, pull, setSource, readGame, cwd }) => {
    const source = {
      git: upstream.address,
      build: { folder: 'previous/([^/_]+)_.+' },
      released_at: { folder: 'previous/[^/_]+_(.+)' },
      paths: { store: 'raw' },
    };
    await setSource(source);
    await upstream.commit('Keep the past', '2026-03-01T00:00:00Z', {
      'latest/store/units.json': units('Zoe'),
      'previous/1.0_2026-01-05/store/units.json': units('Ann'),
      'previous/1.1_2026-02-05/store/units.json': units('Ann', 'Bob'),
      'previous/1.1_2026-02-05/notes/all.txt': 'Bob arrives.',
    });
    const first = await pull();
    assert.equal([first.code, first.stderr], [0, '']);
    assert.equal(await readGame(), {
      '1.0': { 'build.json': { released_at: '2026-01-05T00:00:00Z' }, 'raw/units.json': units('Ann') },
      '1.1': { 'build.json': { released_at: '2026-02-05T00:00:00Z' }, 'raw/units.json': units('Ann', 'Bob') },
    });

    await upstream.commit('Correct the past', '2026-03-09T00:00:00Z', {
      'previous/1.1_2026-02-05/store/units.json': units('Ann', 'Bob', 'Cid'),
    });
    assert.match((await pull()).stderr, /1\.1, which the game has, was corrected upstream by 1 later commit/);
    await upstream.commit('Keep 1.2', '2026-03-10T00:00:00Z', {
      'previous/1.2_2026-03-05/store/units.json': units('Ann', 'Bob', 'Cid', 'Dan'),
    });
    await pull();
    assert.equal((await readGame())['1.2']?.['raw/units.json'], units('Ann', 'Bob', 'Cid', 'Dan'));
    await rename(path.join(cwd, 'up/dumps/previous'), path.join(cwd, 'up/dumps/archive'));
    await upstream.commit('Move the past', '2026-03-11T00:00:00Z', {});
    const moved = await pull();
    assert.is(moved.code, 1);
    assert.match(moved.stderr, /has no previous\/1\.2_2026-03-05, .* upstream has moved or removed it/);
  });
});

test('upstream folders become others in the build, of another branch', async () => {
  await withUpstream(async ({ upstream, pull, setSource, readGame }) => {
    await upstream.commit('Start', '2026-01-01T00:00:00Z', { 'a.txt': 'a' });
    await upstream.git(['checkout', '--quiet', '-b', 'dumps/live']);
    await upstream.commit('Update 1.0', '2026-01-02T00:00:00Z', { 'store/v2/units.json': units('Ann') });
    const source = {
      git: upstream.address,
      ...BY_SUBJECT,
      branch: 'dumps/live',
      paths: { 'store/v2': 'raw' },
    };
    await setSource(source);
    const { code, stderr } = await pull();
    assert.equal([code, stderr], [0, '']);
    assert.equal((await readGame())['1.0']?.['raw/units.json'], units('Ann'));
  });
});

test('files of other repositories and branches are taken as they were at the commit of the build', async () => {
  await withUpstream(async ({ upstream, pull, setSource, readGame, cwd }) => {
    const kr = await UpstreamRepository.create(path.join(cwd, 'up', 'kr'));
    const at = (day: number) => `2026-01-${day}T00:00:00Z`;
    await upstream.commit('Update 1.0', at(10), { 'store/units.json': units('Ann') });
    await kr.commit('any', at(11), { 'store/units.json': units('Kim'), 'README.md': 'Dumps.' });
    await upstream.git(['checkout', '--quiet', '-b', 'en']);
    await upstream.commit('en', at(12), { 'store/units.json': units('Amy') });
    await upstream.git(['checkout', '--quiet', 'main']);
    await upstream.commit('Update 1.1', at(13), { 'store/units.json': units('Ann', 'Bob') });
    await kr.commit('Update 9.9', at(14), { 'store/units.json': units('Kim', 'Lee') });
    await upstream.commit('Update 1.2', at(15), { 'notes.md': 'none' });
    const source = { git: upstream.address, ...BY_SUBJECT, paths: { store: 'jp' } };
    const others = [
      { git: kr.address, paths: { store: 'kr' } },
      { git: upstream.address, branch: 'en', paths: { store: 'en' } },
    ];
    const tables = { units: { files: 'units.json', regions: true } };
    const more = {
      tables,
      regions: { jp: 'jp/', kr: 'kr/', en: 'en/' },
      roster: { from: 'units_jp', entry: "{'id': $key, 'name': name, 'stats': {'hp': hp}}" },
      datasets: { pull_planner: "{'currency': 'Gem', 'kr': $count($keys($tables.units_kr))}" },
    };
    const optional = { ...more, tables: { units: { ...tables.units, optional: true } } };
    await setSource({ ...source, others }, optional);
    const { code, stderr } = await pull('--references');
    assert.equal([code, stderr], [0, '']);
    const found = Object.entries(await readGame()).map(([build, { 'build.json': file }]) => {
      const from = [(file as { from?: Json }).from ?? []].flat() as { git: string; files: object }[];
      return [build, ...from.map(({ git, files }) => `${path.basename(git)} ${Object.keys(files)}`).sort()];
    });
    assert.equal(found, [
      // The branch begins with this commit.
      ['1.0', 'dumps en/units.json,jp/units.json'],
      ['1.1', 'dumps en/units.json', 'dumps jp/units.json', 'kr kr/units.json'],
      ['1.2', 'kr kr/units.json'],
    ]);

    await rm(path.join(cwd, 'data/game/1.2'), { recursive: true });
    await setSource({ ...source, others: [{ git: kr.address, paths: { store: 'jp' } }] }, optional);
    assert.match((await pull()).stderr, 'place two files at jp/units.json');
  });
});

test('a build with errors stops its game, not the others, until they are corrected', async () => {
  await withUpstream(async ({ upstream, pull, setSource, readGame, cwd }) => {
    await setSource({ git: upstream.address, ...BY_SUBJECT });
    await upstream.commit('Update 1.0', '2026-01-02T00:00:00Z', {
      'raw/units.json': units('Ann', 'Bob', 'Cid'),
    });
    await upstream.commit('Update 1.1', '2026-02-01T00:00:00Z', { 'raw/units.json': units('Ann') });
    await upstream.commit('Update 1.2', '2026-03-01T00:00:00Z', { 'raw/units.json': units('Ann', 'Bob') });
    const other = gameFile(
      { git: upstream.address, ...BY_SUBJECT },
      { checks: { 'records-lost': { max_lost_characters: 1, max_lost_share: 1 } } },
    );
    await writeFiles(path.join(cwd, 'data/other'), { 'game.json': other });
    const { code, stderr } = await pull();
    assert.is(code, 1);
    assert.match(
      stderr,
      /^game: with build 1\.1 it has \d errors?; 1 build after that: not added: run gamedata check game/,
    );
    assert.match(stderr, 'gamedata: 1 game not pulled completely');
    assert.equal(Object.keys(await readGame()), ['1.0', '1.1']);
    assert.equal(Object.keys(await readBuilds(path.join(cwd, 'data/other'))), ['1.0', '1.1', '1.2']);
    assert.match((await pull('game')).stderr, /the builds that it has have \d errors?; 1 build after that/);

    await setSource(
      { git: upstream.address, ...BY_SUBJECT },
      { checks: { 'records-lost': { max_lost_characters: 1, max_lost_share: 1 } } },
    );
    assert.is((await pull('game')).code, 0);
    assert.equal(Object.keys(await readGame()), ['1.0', '1.1', '1.2']);
  });
});

test('--since and --limit select builds, and what is left out is shown', async () => {
  await withUpstream(async ({ upstream, pull, setSource, readGame }) => {
    await setSource({ git: upstream.address, ...BY_SUBJECT });
    await commitAll(upstream);
    const { stdout } = await pull('--since', '2026-02-01', '--limit', '1');
    assert.match(stdout, '1 build left out because of --limit');
    assert.equal(Object.keys(await readGame()), ['1.1']);
    assert.match((await pull()).stdout, '1 build left out, older than the newest that the game has');
    assert.equal(Object.keys(await readGame()), ['1.1', '1.2']);
    await upstream.commit('Update 1.2 correctly', '2026-03-02T00:00:00Z', { 'raw/units.json': units('Zoe') });
    assert.match((await pull()).stdout, '1.2 has 1 later commit upstream');
    const at = new Date().toISOString();
    await upstream.commit('Update 1.3', at, { 'raw/units.json': units('Zoe', 'Yan') });
    assert.match((await pull()).stdout, /0 to add\n[\s\S]*\n {2}1\.3 waits until /);
  });
});

test('refuses what it cannot use, and says what to do', async () => {
  await withUpstream(async ({ upstream, pull, setSource, cwd }) => {
    const refusal = async (...args: string[]) => (await pull(...args)).stderr;
    await writeFiles(path.join(cwd, 'data/game'), { 'game.json': { title: 'Game' } });
    assert.match(await refusal('game'), 'data/game/game.json has no "source": add the repository');
    assert.match(await refusal(), 'no game in data/ has a "source"');
    await setSource({ git: 'ssh://example.org/a', ...BY_SUBJECT });
    assert.match(await refusal(), /the address of a git\s+repository/);
    await setSource({ git: upstream.address, ...BY_SUBJECT });
    assert.match(await refusal(), /cannot be fetched: fatal: .*run gamedata pull again/);
    await commitAll(upstream, ROSTERS.slice(0, 1));
    assert.match(await refusal(), 'no commit names a build: check "build"');
    await upstream.commit('Update 1.0', '2026-01-02T00:00:00Z', { 'raw/other.json': {} });
    assert.match(await refusal(), /1\.0 is left out: commit \w+ has no file of the tables/);
    await setSource({ git: upstream.address, build: { subject: '^(Update .*)' } });
    assert.match(
      (await pull()).stdout,
      /1 commit left out, such as: .* names the build "Update 1.0"; expected/,
    );
    const bare = ['pull', '--coverage', 'none'];
    const refused = await runInProcess('gamedata', bare, { cwd });
    assert.match(
      refused.stderr,
      /file:.* does not begin with https:\/\/: if you trust this game.json, pass --allow-local/,
    );
    const env = { PATH: path.join(cwd, 'nothing') };
    assert.match(
      (await runInProcess('gamedata', bare, { cwd, env })).stderr,
      'git is not installed: gamedata needs git 2.37',
    );
    await mkdir(path.join(cwd, 'old'));
    await writeFile(path.join(cwd, 'old/git'), '#!/bin/sh\necho git version 2.30.2\n', { mode: 0o755 });
    const old = await runInProcess('gamedata', bare, { cwd, env: { PATH: path.join(cwd, 'old') } });
    assert.match(old.stderr, 'git version 2.30.2 is too old: gamedata needs git 2.37');
  });
});

test('fetches over http only the files of new builds, and goes on where a server broke off', async () => {
  await withUpstream(async ({ upstream, pull, setSource, readGame, cwd }) => {
    const server = await serveRepositories(path.join(cwd, 'up'));
    try {
      await setSource({ git: `${server.address}/dumps/.git`, ...BY_SUBJECT });
      await commitAll(upstream);
      for (const breakAfter of [10, 200]) {
        server.fault = (request) => (request.startsWith('POST') ? { breakAfter } : undefined);
        const broken = await pull();
        assert.is(broken.code, 1);
        assert.match(broken.stderr, /cannot be fetched: .*run gamedata pull again: what was fetched is kept/);
        assert.equal(await readGame(), {});
      }
      server.fault = () => undefined;
      assert.equal((await pull('--limit', '1')).stderr, '');
      const uploads = () => server.requests.filter((request) => request.startsWith('POST')).length;
      const before = uploads();
      assert.equal((await pull()).stderr, '');
      assert.equal(Object.keys(await readGame()), ['1.0', '1.1', '1.2']);
      assert.ok(uploads() > before);
      const [copy = ''] = await readdir(path.join(cwd, 'var/upstream'));
      const git = ['--git-dir', path.join(cwd, 'var/upstream', copy, 'git')];
      const stored = await upstream.git([...git, 'cat-file', '--batch-check', '--batch-all-objects']);
      const [used, big] = [':raw/units.json', ':raw/big.json'].map((file) =>
        upstream.git(['rev-parse', file]),
      );
      assert.match(stored, `${await used} blob`);
      assert.not.match(stored, `${await big} blob`);

      // As the old address of a repository that has moved to a network of its own.
      server.fault = (request) => {
        const [, moved] = /^GET \/moved(.*)/.exec(request) ?? [];
        return moved === undefined ? undefined : { redirect: `${server.address}/dumps${moved}` };
      };
      await setSource({ git: `${server.address}/moved/.git`, ...BY_SUBJECT });
      assert.match((await pull()).stderr, /cannot be fetched: .*redirect|cannot be fetched: .*302/);
      assert.is(server.requests.at(-1)?.startsWith('GET /moved'), true);
    } finally {
      await server.close();
    }
  });
});

test('a server that never responds ends with a message, and nothing half-written', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const source = {
    git: `http://127.0.0.1:${port}/dumps.git`,
    build: 'date',
    limits: { fetch_seconds: 1 },
  };
  try {
    await withFolder({ 'data/game/game.json': { title: 'Game', source } }, async (cwd) => {
      const { code, stderr } = await runInProcess('gamedata', ['pull', 'game', '--allow-local'], { cwd });
      assert.is(code, 1);
      assert.match(stderr, /dumps\.git cannot be fetched: git fetch took longer than 1 s; check "source"/);
      assert.equal(await readdir(path.join(cwd, 'data/game')), ['game.json']);
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('runs nothing and follows nothing that a repository contains', async () => {
  await withUpstream(async ({ upstream, setSource, readGame, cwd }) => {
    const marker = path.join(cwd, 'ran');
    const script = `#!/bin/sh\ntouch ${marker}\ncat\n`;
    await setSource({ git: upstream.address, ...BY_SUBJECT }, { tables: { units: 'raw/**/*.json' } });
    await writeFiles(upstream.folder, {
      '.gitattributes': '*.json filter=evil export-ignore text eol=crlf\n',
      '.gitmodules': `[submodule "sub"]\n\tpath = raw/sub\n\turl = ext::sh -c 'touch ${marker}'\n`,
      'hooks/post-checkout': script,
      'raw/ann.json': '{\n"name": "Ann", "hp": 1\n}\n',
    });
    await symlink('/etc/hostname', path.join(upstream.folder, 'raw/link.json'));
    await upstream.git(['add', '--all']);
    const submodule = '160000,1234567890123456789012345678901234567890,raw/sub';
    await upstream.git(['update-index', '--add', '--cacheinfo', submodule]);
    await upstream.git(['commit', '--quiet', '--message', 'Update 1.0']);
    // What the settings of the user and of the machine could make git do.
    const home = path.join(cwd, 'home');
    await writeFiles(home, {
      '.gitconfig': `[filter "evil"]\n\tsmudge = touch ${marker}\n[core]\n\thooksPath = ${home}/hooks\n[url "ext::sh -c touch% ${marker} "]\n\tinsteadOf = file://\n`,
    });
    for (const hook of ['reference-transaction', 'post-checkout', 'post-index-change']) {
      await writeFiles(home, { [`hooks/${hook}`]: script });
      await mkdir(path.join(home, 'hooks'), { recursive: true });
    }
    const { code, stderr } = await runInProcess('gamedata', ['pull', ...COVERAGE, '--allow-local'], {
      cwd,
      env: {
        HOME: home,
        GIT_DIR: '/nowhere',
        GIT_OBJECT_DIRECTORY: '/nowhere',
        GIT_EXTERNAL_DIFF: `touch ${marker}`,
        GIT_PROXY_COMMAND: script,
      },
    });
    assert.equal([code, stderr], [0, '']);
    assert.equal(Object.keys((await readGame())['1.0'] ?? {}), ['build.json', 'raw/ann.json']);
    const text = await readFile(path.join(cwd, 'data/game/1.0/raw/ann.json'), 'utf8');
    assert.is(text, '{\n"name": "Ann", "hp": 1\n}\n');
    assert.not(await readdir(cwd).then((names) => names.includes('ran')));
  });
});

test('what a killed pull left behind is removed, and nothing of it is in data/', async () => {
  await withUpstream(async ({ upstream, pull, setSource, readGame, cwd }) => {
    await setSource({ git: upstream.address, ...BY_SUBJECT });
    await commitAll(upstream);
    await pull('--limit', '1');
    const before = await hashFolder(path.join(cwd, 'data'));
    const [copy = ''] = await readdir(path.join(cwd, 'var/upstream'));
    await writeFiles(path.join(cwd, 'var/upstream', copy), {
      'git/config.lock': '',
      'git/HEAD.lock': '',
      'git/refs/upstream/branch.lock': '',
      'git/objects/pack/tmp_pack_abc': 'PACK',
      'reader/config.lock': '',
      'dump/raw/units.json': 'half',
    });
    assert.equal((await pull('--dry-run')).code, 0);
    assert.equal(await hashFolder(path.join(cwd, 'data')), before);
    assert.equal((await pull()).stderr, '');
    assert.equal(Object.keys(await readGame()), ['1.0', '1.1', '1.2']);
    const left = await readdir(path.join(cwd, 'var/upstream', copy), { recursive: true });
    assert.equal(
      left.filter((file) => /lock$|tmp_|dump/.test(file)),
      [],
    );
  });
});

test('credentials come from the environment, and go only to hosts that the operator names', async () => {
  await withUpstream(async ({ upstream, setSource, readGame, cwd }) => {
    const server = await serveRepositories(path.join(cwd, 'up'));
    try {
      const authorization = `Basic ${Buffer.from('secret:secret').toString('base64')}`;
      server.fault = () => ({ authorization });
      await setSource({ git: `${server.address}/dumps/.git`, ...BY_SUBJECT });
      await commitAll(upstream, ROSTERS.slice(0, 3));
      await writeFile(path.join(cwd, 'askpass'), '#!/bin/sh\necho secret\n', { mode: 0o755 });
      const args = ['pull', ...COVERAGE, '--allow-local'];
      const refused = await runInProcess('gamedata', args, { cwd, env: { GIT_ASKPASS: '' } });
      assert.match(refused.stderr, /cannot be fetched: fatal: .*run gamedata pull again/);
      await writeFiles(cwd, { 'home/.netrc': 'machine 127.0.0.1 login secret password secret\n' });
      const GIT_ASKPASS = path.join(cwd, 'askpass');
      const header = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_VALUE_0: `Authorization: ${authorization}` };
      const forAll = { ...header, GIT_CONFIG_KEY_0: 'http.extraHeader' };
      const forOther = { ...header, GIT_CONFIG_KEY_0: 'http.http://localhost/.extraHeader' };
      const settings = path.join(cwd, 'settings');
      await writeFile(settings, `[http]\n\textraHeader = "Authorization: ${authorization}"\n`);
      const askPass = { ...header, GIT_CONFIG_KEY_0: 'core.askPass', GIT_CONFIG_VALUE_0: GIT_ASKPASS };
      const included = { ...header, GIT_CONFIG_KEY_0: 'include.path', GIT_CONFIG_VALUE_0: settings };
      const HOME = path.join(cwd, 'home');
      const elsewhere = { GAMEDATA_CREDENTIAL_HOSTS: 'git.example.org' };
      const others = [{ HOME }, forAll, forOther, askPass, included];
      for (const env of [{ GIT_ASKPASS, ...elsewhere }, ...others]) {
        const { code } = await runInProcess('gamedata', args, { cwd, env: { GIT_ASKPASS: '', ...env } });
        assert.equal([Object.keys(env), code], [Object.keys(env), 1]);
      }
      const named = { GAMEDATA_CREDENTIAL_HOSTS: 'git.example.org, 127.0.0.1' };
      const forThis = { ...header, GIT_CONFIG_KEY_0: `http.${server.address}/.extraHeader` };
      for (const env of [{ GIT_ASKPASS, ...named }, { ...forAll, ...named }, forThis]) {
        await rm(path.join(cwd, 'var'), { recursive: true, force: true });
        assert.equal((await runInProcess('gamedata', args, { cwd, env })).stderr, '');
      }
      assert.equal(Object.keys(await readGame()), ['1.0']);
    } finally {
      await server.close();
    }
  });
});

test('killed at any step, it leaves whole builds, and the next pull completes the game', async () => {
  await withUpstream(async ({ upstream, pull, setSource, readGame, cwd }) => {
    await setSource({ git: upstream.address, ...BY_SUBJECT });
    await commitAll(upstream);
    const args = ['pull', ...COVERAGE, '--allow-local'];
    // Before it reads files, halfway through build.json, before the first build appears, and in the second one.
    const steps: [file: string, step: number][] = [
      ['/dump', 1],
      ['.adding/build', 4],
      ['.adding/build', 5],
      ['.adding/build', 7],
    ];
    let kills = 0;
    for (const [file, step] of steps) {
      const env = interruptAt({ signal: 'SIGKILL', step, file });
      const { signal } = await startCommand('gamedata', args, { cwd, env, detached: true }).ended;
      if (signal === 'SIGKILL') kills++;
      for (const files of Object.values(await readGame())) {
        assert.equal(Object.keys(files).sort(), ['build.json', 'raw/units.json']);
      }
    }
    assert.is(kills, steps.length);
    assert.equal(Object.keys(await readGame()), ['1.0']);
    assert.equal((await pull()).code, 0);
    assert.equal(Object.keys(await readGame()), ['1.0', '1.1', '1.2']);
  });
});

pulls.run();
