import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { create } from 'tar';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../../scripts/format/dist-format.ts';
import { runCommand } from '../../../support/command.ts';
import { type Files, withFolder, writeFiles } from '../../../support/fixtures.ts';
import { listen } from '../../../support/listen.ts';

const test = suite('builds from a package of the npm registry');

/** A registry on this machine, as npm's settings name it. */
interface Registry {
  /** The headers of all requests. */
  requests: IncomingHttpHeaders[];
  /** Publishes a version of the package `dump`. */
  publish(version: string, files: Files): Promise<void>;
  /** Replaces the tarball of a version; with `isStated` also what the registry says about it. */
  replace(version: string, files: Files, isStated: boolean): Promise<void>;
}

interface Place {
  cwd: string;
  registry: Registry;
  pull(...args: string[]): ReturnType<typeof runCommand>;
  setSource(source: Record<string, Json>): Promise<void>;
  read(file: string): Promise<Json>;
}

async function packFiles(folder: string, files: Files): Promise<Buffer> {
  await writeFiles(path.join(folder, 'package'), files);
  await create({ gzip: true, cwd: folder, file: path.join(folder, 'made.tgz') }, ['package']);
  return await readFile(path.join(folder, 'made.tgz'));
}

async function withRegistry(use: (place: Place) => Promise<void>): Promise<void> {
  await withFolder({}, async (cwd) => {
    const tarballs = new Map<string, Buffer>();
    const stated = new Map<string, Buffer>();
    const registry: Registry = { requests: [], publish: async () => {}, replace: async () => {} };
    let made = 0;
    const server = createServer(({ url = '', headers }, response) => {
      registry.requests.push(headers);
      const tarball = tarballs.get(url.replace('/@games/dump/-/dump-', '').replace('.tgz', ''));
      const integrity = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      if (tarball) response.end(tarball);
      else if (url !== '/@games%2fdump') response.writeHead(404).end();
      else {
        const versions = [...stated].map(([version, bytes]) => [
          version,
          { dist: { integrity: integrity(bytes) } },
        ]);
        const latest = [...stated.keys()].at(-1);
        response.end(JSON.stringify({ 'dist-tags': { latest }, versions: Object.fromEntries(versions) }));
      }
    });
    const address = `${await listen(server)}/`;
    const home = path.join(cwd, 'home');
    await mkdir(home);
    await writeFile(
      path.join(home, '.npmrc'),
      `registry=http://127.0.0.1:1/\n@games:registry=${address}\n${address.slice(5)}:_authToken=secret\n`,
    );
    // The settings of a folder with games are not the machine's.
    await writeFile(path.join(cwd, '.npmrc'), 'registry=http://127.0.0.1:1/\n');
    // As under systemd with ProtectHome: the user has no home.
    const own = { HOME: path.join(cwd, 'none'), npm_config_userconfig: path.join(home, '.npmrc') };
    const env = { ...own, npm_config_registry: '' };
    const replace: Registry['replace'] = async (version, files, isStated) => {
      const bytes = await packFiles(path.join(cwd, 'packed', String(made++)), files);
      tarballs.set(version, bytes);
      if (isStated) stated.set(version, bytes);
    };
    registry.replace = replace;
    registry.publish = (version, files) => replace(version, files, true);
    await use({
      cwd,
      registry,
      pull: (...args) => runCommand('gamedata', ['pull', '--as-is', ...args], { cwd, env }),
      setSource: (source) => writeFiles(path.join(cwd, 'data/game'), { 'game.json': gameFile(source) }),
      read: async (file) => JSON.parse(await readFile(path.join(cwd, 'data/game', file), 'utf8')) as Json,
    });
  });
}

function gameFile(source: Record<string, Json>): Json {
  return {
    title: 'Game',
    source,
    tables: {
      units: { files: 'raw/units/*.json', key: 'id' },
      sets: { files: 'raw/sets.json', optional: true },
    },
    roster: { from: 'units', entry: "{'id': id, 'name': name, 'stats': {'hp': hp}}" },
    datasets: { pull_planner: "{'currency': 'Gem', 'sets': $count(sets)}" },
  };
}

const unit = (id: string, set: string, hp = 100) => ({ id, name: `Unit ${id}`, hp, set, story: 'Long.' });
const UNITS = [unit('a', 'one'), unit('b', 'two'), unit('c', 'three')];
const PARTS = { 'large.json': { 'raw/units/*.json': { at: '/all', each: 'set' } } };
const TRIM = { 'raw/units/*.json': { columns: ['id', 'name', 'hp'] } };
const BY_VERSION = {
  npm: '@games/dump',
  parts: PARTS,
  trim: TRIM,
  versions: {
    '9.0.0': { build: '1.0', released_at: '2026-01-01' },
    '2.0.0': { build: '1.1', released_at: '2026-02-01' },
  },
};
const packageOf = (units: Json[]): Files => ({
  'package.json': { name: 'dump', scripts: { install: 'touch ../ran', postinstall: 'touch ../ran' } },
  'large.json': { all: units },
  'sets.json': {
    A: [{ code: 'one', at: '2026-01-05' }],
    B: [
      { code: 'two', at: '2026-03-01' },
      { code: 'three', at: '2026-03-01' },
    ],
  },
});

test('adds the versions that the table names, divided and trimmed, with their SHA-512', async () => {
  await withRegistry(async ({ registry, pull, setSource, read, cwd }) => {
    await setSource(BY_VERSION);
    await registry.publish('9.0.0', packageOf(UNITS.slice(0, 1)));
    await registry.publish('2.0.0', packageOf(UNITS));
    const { code, stdout, stderr } = await pull();
    assert.equal([code, stderr], [0, ''], stdout);
    const { story: _, set: __, ...a } = unit('a', 'one');
    assert.equal(await read('1.0/raw/units/one.json'), [a]);
    // What did not change is not stored again.
    assert.equal((await readdir(path.join(cwd, 'data/game/1.1/raw/units'))).sort(), [
      'three.json',
      'two.json',
    ]);
    const { released_at, package: origin } = (await read('1.1/build.json')) as Record<string, Json>;
    assert.is(released_at, '2026-02-01T00:00:00Z');
    assert.match(
      JSON.stringify(origin),
      /^\{"npm":"@games\/dump","version":"2\.0\.0","integrity":"sha512-[\w+/]{86}=="\}$/,
    );
    assert.equal(
      registry.requests.filter(({ authorization }) => authorization !== undefined),
      [],
    );
    assert.not.ok((await readdir(cwd, { recursive: true })).some((file) => file.endsWith('ran')));
    await registry.publish('2.0.1', packageOf(UNITS));
    const later = await pull();
    assert.match(
      later.stdout,
      /2 builds in @games\/dump, 0 to add\n.*version 2\.0\.1, the newest of @games\/dump: add the build/,
    );
    const kept = (await readdir(path.join(cwd, 'var/upstream'), { recursive: true })).join('\n');
    assert.equal(kept.match(/[^/]*\.tgz$/gm), ['2.0.0.tgz']);
  });
});

test('refuses other content of a version that a build was made from, and of one that the registry describes', async () => {
  await withRegistry(async ({ registry, pull, setSource, cwd }) => {
    await setSource(BY_VERSION);
    await registry.publish('9.0.0', packageOf(UNITS.slice(0, 1)));
    await registry.publish('2.0.0', packageOf(UNITS));
    await registry.replace('2.0.0', packageOf(UNITS.slice(1)), false);
    const wrong = await pull();
    assert.is(wrong.code, 1);
    assert.match(
      wrong.stderr,
      /is not what the registry says of @games\/dump 2\.0\.0: its SHA-512 is sha512-/,
    );
    await registry.replace('9.0.0', packageOf(UNITS), true);
    const changed = await pull();
    assert.is(changed.code, 1);
    assert.match(changed.stderr, /has something else as @games\/dump 9\.0\.0 than build 1\.0 was made from/);
    assert.equal(await readdir(path.join(cwd, 'data/game')).then((files) => files.includes('1.1')), false);
  });
});

test('splits the newest version into builds by a column of dates', async () => {
  await withRegistry(async ({ registry, pull, setSource, read }) => {
    const split = { file: 'sets.json', at: '/*', build: 'code', date: 'at' };
    await setSource({
      npm: '@games/dump',
      split,
      parts: { ...PARTS, 'sets.json': { 'raw/sets.json': { at: '/*' } } },
    });
    await registry.publish('1.0.0', packageOf(UNITS));
    const { code, stderr, stdout } = await pull();
    assert.equal([code, stderr], [0, ''], stdout);
    assert.match(stdout, /2 builds in @games\/dump, 2 to add/);
    assert.equal(await read('one/raw/units/one.json'), [unit('a', 'one')]);
    assert.equal(await read('two/raw/units/three.json'), [unit('c', 'three')]);
    const { released_at } = (await read('two/build.json')) as Record<string, Json>;
    assert.is(released_at, '2026-03-01T00:00:00Z');
  });
});

test('refuses a registry with a password in its address, and does not show it', async () => {
  await withRegistry(async ({ cwd, pull, setSource }) => {
    await setSource(BY_VERSION);
    await writeFile(path.join(cwd, 'home/.npmrc'), 'registry=https://ada:hidden@example.org/\n');
    const { code, stderr } = await pull();
    assert.is(code, 1);
    assert.match(stderr, 'set a registry without a user name and password');
    assert.not.match(stderr, 'hidden');
  });
});

test('reports what a version no longer has, and what to do', async () => {
  await withRegistry(async ({ registry, pull, setSource }) => {
    await setSource(BY_VERSION);
    const { 'large.json': _, ...without } = packageOf([]);
    await registry.publish('9.0.0', without);
    assert.match((await pull()).stderr, /dump 9\.0\.0 has no large\.json, which "parts" .* correct "parts"/);
    await registry.replace('9.0.0', { ...without, 'large.json': { others: [] } }, true);
    assert.match((await pull()).stderr, /large\.json has nothing at "\/all", which "parts"/);
    await registry.replace('9.0.0', { ...without, 'large.json': Buffer.from('{') }, true);
    assert.match((await pull()).stderr, /large\.json is no JSON/);
  });
});

test.run();
