import { cp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AmendmentChanges } from '../../../scripts/diff/diff-builds.ts';
import type { FileRef, Index, Manifest, Withdrawal } from '../../../scripts/format/dist-format.ts';
import { startFileServer } from '../../support/file-server.ts';
import { gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { hashFolder } from './hash-folder.ts';

const test = suite('recorded builds');

const FUTURE = '2999-01-01T00:00:00Z';
const FILES = inFolder(
  'data/alpha',
  gameFiles({
    '1.0/build.json': '{\n  // when it came\n  "released_at": "2026-01-01"\n}\n',
    '1.0/characters.json': [
      { id: 'ann', name: 'Ann' },
      { id: 'bob', name: 'Bob' },
    ],
    '1.1/build.json': { released_at: '2026-02-01' },
    '1.1/items.json': [{ id: 'gem' }],
    '2.0/build.json': { released_at: FUTURE },
  }),
);

function run(cwd: string, ...args: string[]): Promise<Outcome> {
  return runInProcess('gamedata', args, { cwd });
}

/** Runs a command that fails, and says each text. */
async function refused(cwd: string, args: string[], ...said: (string | RegExp)[]): Promise<void> {
  const { code, stdout, stderr } = await run(cwd, ...args);
  assert.is(code, 1, args.join(' '));
  for (const text of said) assert.match(stdout + stderr, text);
}

const amend = async (cwd: string, reason: string) =>
  assert.is((await run(cwd, 'build', '--amend', reason)).code, 0);

async function readLock(cwd: string): Promise<{ builds: Record<string, unknown> }> {
  return JSON.parse(await readFile(path.join(cwd, 'data/alpha/builds.lock.json'), 'utf8'));
}

async function readManifest(cwd: string): Promise<Manifest> {
  const read = async (file: string) => JSON.parse(await readFile(path.join(cwd, 'dist', file), 'utf8'));
  const { games } = (await read('index.json')) as Index;
  return (await read(games[0]?.manifest.file as string)) as Manifest;
}

async function readBuilds(cwd: string): Promise<Manifest['builds']> {
  return (await readManifest(cwd)).builds;
}

/** The hashes of data/ and dist/. The cache may differ. */
async function hashBoth(cwd: string): Promise<Record<string, string>[]> {
  return [await hashFolder(path.join(cwd, 'data')), await hashFolder(path.join(cwd, 'dist'))];
}

/** A folder in place of a file that every build writes. */
const IN_THE_WAY = 'dist/.unrecorded.json';

/** Amends in vain: the disk is full after the data is written, for example. */
async function failToAmend(cwd: string): Promise<void> {
  await writeFiles(cwd, { [`${IN_THE_WAY}/x`]: '' });
  await refused(cwd, ['build', '--amend', 'failed'], 'dist/ cannot be written');
  await rm(path.join(cwd, IN_THE_WAY), { recursive: true });
}

const withBuilt = (use: (cwd: string) => Promise<void>) =>
  withFolder(FILES, async (cwd) => {
    assert.is((await run(cwd, 'build')).code, 0);
    await use(cwd);
  });

test('every build is recorded, and may change until its release', async () => {
  await withBuilt(async (cwd) => {
    const lock = await readLock(cwd);
    const [first, second] = await readBuilds(cwd);
    assert.equal(lock.builds['1.1'], {
      released_at: '2026-02-01T00:00:00Z',
      roster: second?.roster.sha256,
      characters: first?.characters.sha256,
      datasets: Object.fromEntries((second?.datasets ?? []).map(({ key, sha256 }) => [key, sha256])),
    });
    await rm(path.join(cwd, 'data/alpha/builds.lock.json'));
    assert.is((await run(cwd, 'build')).code, 0);
    assert.equal(await readLock(cwd), lock);

    await writeFiles(cwd, { 'data/alpha/2.0/items.json': [{ id: 'new' }] });
    for (const command of ['check', 'build']) assert.is((await run(cwd, command)).code, 0);
    const { '2.0': before, ...released } = lock.builds;
    const { '2.0': after, ...others } = (await readLock(cwd)).builds;
    assert.equal(others, released);
    assert.not.equal(after, before);
    await rm(path.join(cwd, 'data/alpha/2.0'), { recursive: true });
    assert.is((await run(cwd, 'build')).code, 0);
    assert.equal((await readLock(cwd)).builds, released);
  });
});

test('a build that was recorded before its release may neither change nor be postponed after it', async () => {
  await withBuilt(async (cwd) => {
    const before = await hashBoth(cwd);
    const now = Date.parse(FUTURE);
    for (const [file, content, found] of [
      ['items.json', [{ id: 'new' }], 'different content in items'],
      ['build.json', { released_at: '3000-01-01' }, 'different content in released_at, items'],
      ['roster.json', {}, 'different content in released_at, items, roster'],
    ] as const) {
      await writeFiles(cwd, { [`data/alpha/2.0/${file}`]: content as never });
      const { code, stderr } = await runInProcess('gamedata', ['build'], { cwd, now });
      assert.is(code, 1);
      assert.match(stderr, `error data/alpha/2.0/build.json:1 (recorded-build)\n  found     ${found}`);
    }
    assert.equal((await hashBoth(cwd))[1], before[1]);
    const amend = ['build', '--amend', 'it was not ready'];
    assert.is((await runInProcess('gamedata', amend, { cwd, now })).code, 0);
  });
});

test('a lasting correction of a released build is an amendment, and survives the next builds', async () => {
  await withBuilt(async (cwd) => {
    const correction = {
      id: 'bob',
      attribute: 'name',
      value: 'Robert',
      reason: 'see the game',
      since: '1.1',
    };
    await writeFiles(cwd, { 'data/alpha/corrections.json': { corrections: [correction] } });
    await refused(
      cwd,
      ['build'],
      'data/alpha/1.1/build.json:1 (recorded-build)\n  found     different content in roster',
    );
    await amend(cwd, 'his full name');
    const amended = (await readBuilds(cwd)).map(({ amended }) => amended.map(({ reason }) => reason));
    assert.equal(amended, [[], ['his full name'], []]);
    // The builds before are not compiled again, and what upstream had in them is still known.
    await writeFiles(cwd, {
      'data/alpha/1.2/build.json': { released_at: '2026-03-01' },
      'data/alpha/1.2/characters.json': [
        { id: 'ann', name: 'Ann' },
        { id: 'bob', name: 'Robert' },
      ],
    });
    const next = await run(cwd, 'build');
    assert.is(next.code, 0);
    assert.match(next.stderr, /with which upstream agrees since 1.2/);
    assert.match((await run(cwd, 'build')).stderr, /with which upstream agrees since 1.2/);
  });
});

test('a recorded build that would change is an error that names its parts', async () => {
  await withBuilt(async (cwd) => {
    await writeFiles(cwd, {
      'data/alpha/1.0/characters.json': [
        { id: 'ann', name: 'Anna' },
        { id: 'bob', name: 'Bob' },
      ],
      'data/alpha/1.1/items.json': [{ id: 'gem' }, { id: 'ore' }],
    });
    const before = await hashBoth(cwd);
    const found = (build: string, text: string) =>
      `data/alpha/${build}/build.json:1 (recorded-build)\n  found     different content in ${text}\n`;
    await refused(
      cwd,
      ['build'],
      found('1.0', 'roster, characters'),
      found('1.1', 'roster, characters, items'),
      'gamedata build --amend',
    );
    await refused(cwd, ['check'], found('1.0', 'roster, characters'));
    // Nothing is amended while there are other errors.
    await writeFiles(cwd, { 'data/alpha/1.1/more.json': '[' });
    await refused(cwd, ['build', '--amend', 'why']);
    await rm(path.join(cwd, 'data/alpha/1.1/more.json'));
    assert.equal(await hashBoth(cwd), before);
    // It is an error also when the records of dist/ cannot be read.
    const folder = path.join(cwd, 'dist/alpha');
    for (const name of await readdir(folder))
      if (!name.startsWith('manifest.')) await rm(path.join(folder, name));
    await refused(cwd, ['build'], found('1.0', 'roster, characters'));
  });
});

test('one mistake that changes several recorded builds is one finding, and one amendment corrects them', async () => {
  const builds = ['1.0', '1.1', '1.2'];
  const rows = [{ id: 'ann', name: 'Ann', element: 'Fire' }];
  const roster = (entry: string) => ({
    title: 'Game',
    tables: { rows: 'rows.json' },
    roster: { from: 'rows', entry },
  });
  const files = gameFiles({
    'game.json': roster("{ 'id': id, 'name': name, 'element': element }"),
    '1.0/characters.json': undefined,
    '1.0/rows.json': rows,
    '1.1/build.json': { released_at: '2026-01-02' },
    '1.2/build.json': { released_at: '2026-01-03' },
  });
  await withFolder(inFolder('data/alpha', files), async (cwd) => {
    assert.is((await run(cwd, 'build')).code, 0);
    await writeFiles(cwd, {
      'data/alpha/game.json': roster("{ 'id': id, 'name': name, 'elment': element }"),
    });
    const { stderr } = await run(cwd, 'build');
    assert.equal(stderr.match(/\(recorded-build\)/g)?.length, 1, stderr);
    assert.match(
      stderr,
      'found     different content in roster, characters of 3 released builds: 1.0, 1.1, 1.2\n',
    );
    assert.match(stderr, 'to do     look for one mistake in game.json or in a file that these builds share,');
    assert.match(stderr, 'gamedata: 1 error found');
    await amend(cwd, 'an element was renamed');
    assert.equal(
      (await readBuilds(cwd)).map(({ build, amended }) => [build, amended.map(({ reason }) => reason)]),
      builds.map((build) => [build, ['an element was renamed']]),
    );
  });
});

test('an amended build is recorded again, with the time and the reason', async () => {
  await withBuilt(async (cwd) => {
    await writeFiles(cwd, { 'data/alpha/1.1/items.json': [{ id: 'ore' }] });
    await amend(cwd, 'the ore was forgotten');
    const [first, second, third] = await readBuilds(cwd);
    assert.equal(first?.amended, []);
    assert.is(second?.amended.length, 1);
    assert.is(second?.amended[0]?.reason, 'the ore was forgotten');
    assert.match(second?.amended[0]?.at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
    // It is not released yet, so it needs no correction.
    assert.equal(third?.amended, []);
    assert.is((await run(cwd, 'build')).code, 0);

    await writeFiles(cwd, { 'data/alpha/1.0/items.json': [{ id: 'gem' }] });
    await amend(cwd, 'and the gem');
    const text = await readFile(path.join(cwd, 'data/alpha/1.0/build.json'), 'utf8');
    assert.match(text, /\/\/ when it came[\s\S]*"reason": "and the gem"/);
  });
});

/** What each amendment of a build changed, as dist/ has it. */
async function readChanges(cwd: string, build: string): Promise<(AmendmentChanges | null)[]> {
  const entry = (await readBuilds(cwd)).find((each) => each.build === build);
  const read = async (ref: FileRef | null) =>
    ref && JSON.parse(await readFile(path.join(cwd, 'dist', ref.file), 'utf8'));
  return await Promise.all((entry?.amendments ?? []).map(read));
}

test('an amendment keeps what was served before, in data/ and in dist/, also at the second attempt', async () => {
  await withBuilt(async (cwd) => {
    const names = ['Bob', 'Rob', 'Robert'];
    for (const [index, name] of names.slice(1).entries()) {
      await writeFiles(cwd, {
        'data/alpha/1.0/characters.json': [
          { id: 'ann', name: 'Ann' },
          { id: 'bob', name },
        ],
      });
      await failToAmend(cwd);
      await amend(cwd, `name ${index}`);
    }
    const change = (from?: string, to?: string) => ({
      characters: {
        added: [],
        removed: [],
        changed: [{ id: 'bob', name: to, fields: ['name'], changes: [{ path: '/name', from, to }] }],
      },
      datasets: {},
    });
    const expected = [change(names[0], names[1]), change(names[1], names[2])];
    assert.equal(await readChanges(cwd, '1.0'), expected);
    assert.equal(await readChanges(cwd, '1.1'), expected);
    const file = 'data/alpha/amendments/1.0.2.json';
    assert.equal(JSON.parse(await readFile(path.join(cwd, file), 'utf8')), expected[1]);
    // dist/ is made of data/ alone.
    const index = await readFile(path.join(cwd, 'dist/index.json'), 'utf8');
    await rm(path.join(cwd, 'dist'), { recursive: true });
    assert.is((await run(cwd, 'build', '--no-cache')).code, 0);
    assert.is(await readFile(path.join(cwd, 'dist/index.json'), 'utf8'), index);
    assert.is((await run(cwd, 'verify')).code, 0);

    await rm(path.join(cwd, file));
    await refused(cwd, ['build'], 'found     no file data/alpha/amendments/1.0.2.json');
  });
});

test('an amendment says when it is not known what was served before', async () => {
  await withBuilt(async (cwd) => {
    await rm(path.join(cwd, 'dist'), { recursive: true });
    await writeFiles(cwd, { 'data/alpha/1.1/items.json': [{ id: 'ore' }] });
    const { stderr } = await run(cwd, 'build', '--amend', 'the ore');
    assert.match(stderr, 'note: data/alpha/1.1: dist/ does not have the build as it was published');
    assert.equal(await readChanges(cwd, '1.1'), []);
  });
});

test('removing a recorded build is an error; after an amendment it is withdrawn, with the time and the reason', async () => {
  await withBuilt(async (cwd) => {
    await writeFiles(cwd, { 'data/alpha/corrections.json': '{\n  // none yet\n  "corrections": []\n}\n' });
    await rm(path.join(cwd, 'data/alpha/1.1'), { recursive: true });
    await refused(
      cwd,
      ['build'],
      /^error data\/alpha\/builds\.lock\.json:\d+ \/builds\/1\.1 \(recorded-build\)\n {2}found {5}no build 1\.1$/m,
    );
    await failToAmend(cwd);
    await amend(cwd, 'it was a test');
    assert.equal(Object.keys((await readLock(cwd)).builds), ['1.0', '2.0']);
    const text = await readFile(path.join(cwd, 'data/alpha/corrections.json'), 'utf8');
    assert.match(text, '// none yet');
    const { withdrawn } = JSON.parse(text.replace(/\/\/.*/, '')) as { withdrawn: Withdrawal[] };
    const [{ at, ...rest }] = withdrawn as [Withdrawal];
    assert.is(withdrawn.length, 1);
    assert.equal(rest, { build: '1.1', released_at: '2026-02-01T00:00:00Z', reason: 'it was a test' });
    assert.equal((await readManifest(cwd)).withdrawn, [{ ...rest, at }]);
    assert.is((await run(cwd, 'build')).code, 0);
    await writeFiles(cwd, { 'data/alpha/1.1/build.json': { released_at: '2026-02-01' } });
    await refused(cwd, ['build'], 'found     the build 1.1, which exists');
  });
});

test('deleting builds.lock.json does not unlock what dist/ still has', async () => {
  await withBuilt(async (cwd) => {
    const lock = path.join(cwd, 'data/alpha/builds.lock.json');
    for (const [change, found] of [
      [() => writeFiles(cwd, { 'data/alpha/1.1/items.json': [{ id: 'ore' }] }), 'different content in items'],
      [() => rm(path.join(cwd, 'data/alpha/1.1'), { recursive: true }), 'no build 1.1'],
    ] as const) {
      await rm(lock);
      await change();
      for (const args of [['build'], ['build', '--no-cache']]) {
        const { code, stderr } = await run(cwd, ...args);
        assert.is(code, 1);
        assert.match(stderr, `(recorded-build)\n  found     ${found}`);
        assert.match(stderr, 'expected  the build as published in dist/');
      }
      await amend(cwd, 'why');
    }
  });
});

test('check --against compares with what is published, whatever builds.lock.json says', async () => {
  await withBuilt(async (cwd) => {
    await cp(path.join(cwd, 'dist'), path.join(cwd, 'published'), { recursive: true });
    const files = await startFileServer(path.join(cwd, 'published'));
    const check = (...against: string[]) => run(cwd, 'check', '--against', ...against);
    for (const place of ['published', files.address]) {
      assert.is((await check(place)).code, 0);
      await writeFiles(cwd, { 'data/alpha/1.1/items.json': [{ id: 'ore' }] });
      // Somebody changed both the data and the record.
      await rm(path.join(cwd, 'data/alpha/builds.lock.json'));
      await rm(path.join(cwd, 'dist'), { recursive: true });
      assert.is((await run(cwd, 'build')).code, 0);
      const { code, stdout } = await check(place);
      assert.is(code, 1);
      assert.match(
        stdout,
        `found     different content in items\n  expected  the build as published in ${place}\n`,
      );
      await writeFiles(cwd, { 'data/alpha/1.1/items.json': [{ id: 'gem' }] });
      await amend(cwd, 'back again');
      assert.is((await check(place)).code, 0);
      await writeFiles(cwd, { 'data/alpha/1.1/build.json': { released_at: '2026-02-01' } });
      await rm(path.join(cwd, 'data/alpha/builds.lock.json'));
      await rm(path.join(cwd, 'dist'), { recursive: true });
      assert.is((await run(cwd, 'build')).code, 0);
    }
    await rm(path.join(cwd, 'data/alpha/1.1'), { recursive: true });
    assert.match((await check('published')).stdout, 'found     no build 1.1');
    await amend(cwd, 'withdrawn');
    assert.is((await check('published')).code, 0);
    await rename(path.join(cwd, 'data/alpha'), path.join(cwd, 'data/beta'));
    assert.match((await check('published')).stdout, 'found     no game alpha');
    const nowhere = await check('data');
    assert.is(nowhere.code, 1);
    assert.match(
      nowhere.stderr,
      /index.json of data cannot be read: .*--against expects a dist\/ folder or its address/,
    );
  });
});

test('a draft may change until it is one no more, and is not published before', async () => {
  const definition = (draft: boolean) => ({ 'data/alpha/game.json': { title: 'Alpha', draft } });
  await withFolder({ ...FILES, ...definition(true), [`${IN_THE_WAY}/x`]: '' }, async (cwd) => {
    // Without its mark, it is not written.
    await refused(cwd, ['build'], 'dist/ cannot be written');
    await refused(cwd, ['publish', 'target'], 'no dist/index.json');
    await rm(path.join(cwd, IN_THE_WAY), { recursive: true });
    assert.is((await run(cwd, 'build')).code, 0);
    await writeFiles(cwd, { 'data/alpha/1.0/characters.json': [{ id: 'ann', name: 'Anne' }] });
    const changed = await run(cwd, 'build');
    assert.is(changed.code, 0, changed.stderr);
    await refused(cwd, ['publish', 'target'], 'its builds in dist/ are not recorded');

    await writeFiles(cwd, definition(false));
    assert.is((await run(cwd, 'build')).code, 0);
    assert.equal(Object.keys((await readLock(cwd)).builds), ['1.0', '1.1', '2.0']);
    assert.is((await run(cwd, 'publish', 'target')).code, 0);
    await writeFiles(cwd, {
      ...definition(true),
      'data/alpha/1.0/characters.json': [{ id: 'ann', name: 'Annie' }],
    });
    assert.match((await run(cwd, 'build')).stderr, '(recorded-build)');
  });
});

test('an amendment without a change, without a reason, or while watching is an error', async () => {
  await withBuilt(async (cwd) => {
    const before = await hashBoth(cwd);
    await refused(
      cwd,
      ['build', '--amend', 'why'],
      'no build differs from its record: run it without --amend',
    );
    assert.is((await run(cwd, 'build', '--amend', ' ')).code, 2);
    assert.is((await run(cwd, 'build', '--amend', 'why', '--watch')).code, 2);
    assert.equal(await hashBoth(cwd), before);
  });
});

test('a builds.lock.json or game.json that links out of the folder is not read', async () => {
  for (const name of ['builds.lock.json', 'game.json'])
    await withFolder({ ...FILES, 'outside.json': { title: 'Secret', builds: {} } }, async (cwd) => {
      await rm(path.join(cwd, 'data/alpha', name), { force: true });
      await symlink(path.join(cwd, 'outside.json'), path.join(cwd, 'data/alpha', name));
      const said = `(file-text)\n  found     data/alpha/${name}, which leads out of the folder`;
      await refused(cwd, ['build'], `data/alpha/${name}:1 ${said}`);
      assert.not.match((await run(cwd, 'build')).stderr, 'Secret');
    });
});

test('a builds.lock.json that is damaged is an error, not an empty one', async () => {
  for (const content of ['{', '[]', '{"builds": {"1.0": {}}}'])
    await withFolder({ ...FILES, 'data/alpha/builds.lock.json': content }, async (cwd) => {
      await refused(
        cwd,
        ['build'],
        /error data\/alpha\/builds\.lock\.json:1.*\((builds-lock|file-syntax)\)/,
        'to do     restore it from version control (git checkout -- data/alpha/builds.lock.json)',
      );
      assert.is(await readFile(path.join(cwd, 'data/alpha/builds.lock.json'), 'utf8'), content);
    });
});

test.run();
