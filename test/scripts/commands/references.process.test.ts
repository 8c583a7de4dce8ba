import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { runCommand } from '../../support/command.ts';
import { withFolder, writeFiles } from '../../support/fixtures.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { withPrograms } from '../../support/skip.ts';
import { type GitServer, serveRepositories, UpstreamRepository } from '../../support/upstream-repository.ts';
import { hashFolder } from './hash-folder.ts';

const references = suite('builds that name their files by reference');
const test = withPrograms(references, 'git');

function units(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), { name, hp: 100 + name.length }]));
}

interface Place {
  cwd: string;
  upstream: UpstreamRepository;
  server: GitServer;
  commits: string[];
  /** Runs a command of `gamedata` on the games `named` and `copied`. */
  run(...args: string[]): Promise<Outcome>;
  /** The build.json of a build of the game whose files are named by reference. */
  readBuild(build: string): Promise<Record<string, Json>>;
}

/** Two games that were pulled from the same three commits: one copies the files, the other names them. */
interface Pulled {
  folder: string;
  upstream: UpstreamRepository;
  server: GitServer;
  commits: string[];
}

async function pullGames(): Promise<Pulled> {
  const folder = await makeFolder('gamedata-references');
  const upstream = await UpstreamRepository.create(path.join(folder, 'up/dumps'));
  const server = await serveRepositories(path.join(folder, 'up'));
  const source = {
    git: `${server.address}/dumps/.git`,
    build: { subject: '^Update (\\d+\\.\\d+)' },
    paths: { store: 'raw' },
  };
  const game = {
    title: 'Game',
    tables: { units: 'raw/units.json', texts: 'raw/texts/*.json' },
    roster: { from: 'units', entry: "{'id': $key, 'name': name, 'stats': {'hp': hp}}" },
    datasets: {
      pull_planner: "{'currency': 'Gem'}",
      texts: { from: 'texts', entry: "{'id': $key, 'text': hello}" },
    },
  };
  await writeFiles(path.join(folder, 'games/data'), {
    'named/game.json': { ...game, source: { ...source, keep: 'references' } },
    'copied/game.json': { ...game, source },
  });
  const commits = [
    await upstream.commit('Update 1.0', '2026-01-02T00:00:00Z', {
      'store/units.json': units('Ann', 'Bob'),
      'store/texts/en.json': { hello: 'Hello' },
      'store/big.json': ['not used'],
    }),
    await upstream.commit('Update 1.1', '2026-02-01T00:00:00Z', {
      'store/units.json': units('Ann', 'Bob', 'Cid'),
    }),
    await upstream.commit('Update 1.2', '2026-03-01T00:00:00Z', { 'store/texts/en.json': { hello: 'Hi' } }),
  ];
  const cwd = path.join(folder, 'games');
  const args = ['pull', '--allow-local', '--as-is'];
  const { code, stderr } = await runInProcess('gamedata', args, { cwd });
  assert.equal([code, stderr], [0, '']);
  return { folder, upstream, server, commits };
}

let pulled: Promise<Pulled> | undefined;

/** Calls `use` with a copy of the two games. */
async function withGames(use: (place: Place) => Promise<void>): Promise<void> {
  pulled ??= pullGames();
  const { folder, upstream, server, commits } = await pulled;
  await withFolder({}, async (cwd) => {
    await cp(path.join(folder, 'games'), cwd, { recursive: true });
    const run = (...args: string[]) => runInProcess('gamedata', args, { cwd });
    const readBuild = async (build: string) =>
      JSON.parse(await readFile(path.join(cwd, 'data/named', build, 'build.json'), 'utf8'));
    await use({ cwd, upstream, server, commits, run, readBuild });
  });
}

/** The compiled files of a game, without its name. */
async function compiled(cwd: string, out: string, game: string): Promise<string[]> {
  const hashes = await hashFolder(path.join(cwd, out, game));
  return Object.entries(hashes)
    .filter(([file]) => !/^(manifest|snapshot|diff)/.test(file))
    .map(([file, hash]) => `${file} ${hash}`);
}

test('a pull names what changed; the builds are those that copies would make', async () => {
  await withGames(async ({ cwd, commits, server, run, readBuild }) => {
    const named = await hashFolder(path.join(cwd, 'data/named'));
    assert.equal(Object.keys(named), [
      '1.0/build.json',
      '1.1/build.json',
      '1.2/build.json',
      'game.json',
      'held.json',
    ]);
    const { from } = (await readBuild('1.1')) as {
      from: { git: string; commit: string; files: Record<string, { path: string }> };
    };
    assert.equal([from.git, from.commit], [`${server.address}/dumps/.git`, commits[1]]);
    assert.equal(
      Object.entries(from.files).map(([file, { path: inside }]) => [file, inside]),
      [['raw/units.json', 'store/units.json']],
    );

    // What a pull has just fetched is in the cache: nobody is asked.
    const asked = server.requests.length;
    assert.equal((await run('build')).code, 0);
    assert.is(server.requests.length, asked);
    const first = await compiled(cwd, 'dist', 'named');
    assert.equal(first, await compiled(cwd, 'dist', 'copied'));
    assert.ok(first.length > 3);

    // On another machine.
    await rm(path.join(cwd, 'var'), { recursive: true });
    const refused = await run('check', 'named');
    assert.is(refused.code, 1);
    assert.match(
      refused.stderr + refused.stdout,
      /named\/1\.0\/build\.json.*\(upstream-file\)(?:\n.*)*cannot be fetched: .*http:.* in "from"/,
    );
    const built = await run('build', '--allow-local', '--out', 'other', '--no-cache');
    assert.is(built.code, 0);
    assert.equal(await hashFolder(path.join(cwd, 'other')), await hashFolder(path.join(cwd, 'dist')));
    assert.equal((await run('build', '--out', 'other')).code, 0);
  });
});

test('what builds name is fetched once', async () => {
  await withGames(async ({ cwd, server, run }) => {
    const cache = path.join(cwd, 'elsewhere');
    const env = { GAMEDATA_UPSTREAM: cache };
    const tried = await runInProcess(
      'gamedata',
      ['try', 'named', '$', '--from', 'units', '--build', '1.1', '--allow-local', '--row', 'cid'],
      { cwd, env },
    );
    assert.equal([tried.code, tried.stderr], [0, '']);
    assert.match(tried.stdout, '"name": "Cid"');
    assert.is((await readdir(path.join(cache, 'files'))).length, 4);
    const asked = server.requests.length;
    assert.is((await run('try', 'named', '$', '--build', '1.1', '--upstream', cache)).code, 0);
    assert.is(server.requests.length, asked);
  });
});

test('nothing else than the named content is used, wherever it comes from', async () => {
  await withGames(async ({ cwd, upstream, server, run, readBuild }) => {
    const files = path.join(cwd, 'var/upstream/files');
    const file = path.join(cwd, 'data/named/1.1/build.json');
    const written = await readFile(file, 'utf8');
    const [sha256 = ''] = /[0-9a-f]{64}/.exec(written.replace(/"commit": "[^"]*"/, '')) ?? [];
    const damage = () => writeFile(path.join(files, sha256, 'units.json'), JSON.stringify(units('Eve')));
    await damage();
    // A damaged copy is removed, and fetched again by the next run, if that is allowed.
    assert.match((await run('check', 'named')).stdout, /\(upstream-file\)\n(?:.*\n)*.*run it again/);
    const refused = await run('check', 'named');
    assert.match(refused.stdout, /\(upstream-file\)\n.*that cannot be fetched: (?:.*\n)*.*--allow-local/);
    const mended = await run('check', 'named', '--allow-local');
    assert.equal([mended.code, /upstream-file/.test(mended.stdout)], [0, false]);
    await damage();
    await run('check', 'named');
    assert.is((await run('check', 'named', '--allow-local')).code, 0);

    await writeFile(file, written.replace(sha256, '0'.repeat(64)));
    const wrong = await run('check', 'named', '--allow-local');
    assert.match(wrong.stdout, `is not the file that "from" in build.json names: its SHA-256 is ${sha256}`);
    await writeFile(
      file,
      written.replace('"store/units.json"', '"store/gone.json"').replace(sha256, '0'.repeat(64)),
    );
    assert.match((await run('check', 'named', '--allow-local')).stdout, 'the commit has no such file');
    await writeFile(file, written);

    // Upstream is gone: with the cache nothing changes, without it the error says what to do, and other games go on.
    await rename(upstream.folder, `${upstream.folder}-gone`);
    assert.is((await run('check', 'named', '--allow-local')).code, 0);
    await rm(path.join(cwd, 'var'), { recursive: true });
    const gone = await run('check', '--allow-local');
    assert.match(gone.stdout, /cannot be fetched: http:.*(?:\n.*)*add the dumps again/);
    assert.match(gone.stderr, '1 error found');
    assert.equal(Object.keys((await readBuild('1.1')) as object).includes('from'), true);
    await rename(`${upstream.folder}-gone`, upstream.folder);

    // A server that breaks off, and two processes at the same time.
    server.fault = (request) => (request.startsWith('POST') ? { breakAfter: 10 } : undefined);
    const broken = await run('check', 'named', '--allow-local');
    server.fault = () => undefined;
    assert.match(broken.stdout, 'cannot be fetched: http:');
    const both = [1, 2].map(() => runCommand('gamedata', ['check', 'named', '--allow-local'], { cwd }));
    assert.equal(
      (await Promise.all(both)).map(({ code }) => code),
      [0, 0],
    );
  });
});

references.run();
