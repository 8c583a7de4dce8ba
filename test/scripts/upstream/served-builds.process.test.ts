import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeFiles } from '../../support/fixtures.ts';
import { withPrograms } from '../../support/skip.ts';
import { day, gear, NAMES, scenariosOf, see, units, withWorld } from './pull-world.ts';

const scenarios = suite('builds that are served, and what upstream makes of them');
const test = withPrograms(scenarios, 'git');
const scenario = scenariosOf(test);

scenario('a forced push with the same label is asked about, or taken', {}, async (world) => {
  await world.upstream.git(['commit', '--quiet', '--amend', '--message', 'Update 1.0'], day(1));
  assert.equal((await see(world, 3)).code, 0);
  await writeFiles(world.upstream.folder, { 'units.json': units(NAMES, 50) });
  await world.upstream.git(['commit', '--quiet', '--all', '--amend', '--message', 'Update 1.0'], day(1));
  const changed = await see(world, 4);
  assert.equal([changed.code, changed.kinds], [1, ['changed']], changed.stderr);
  assert.match(
    changed.texts,
    /1\.0, which is served, is not what upstream has now: 1 file changed \(units\.json\).*--take 1\.0.*--skip 1\.0/s,
  );
  assert.equal((await see(world, 5)).kinds, []);
  assert.is((await world.run(6, 'pull', 'game', '--take', '1.0', '--skip', '1.0')).code, 2);
  await world.run(6, 'pull', 'game', '--take', '1.0');
  // The decision waits while upstream shows no build.
  const rename = (subject: string) =>
    world.edit(({ source }) => Object.assign(source as object, { build: { subject } }));
  await rename('^Other (.+)');
  await see(world, 6);
  await rename('^Update (.+)');
  const taken = await see(world, 6);
  assert.match(taken.stdout, 'run gamedata build game --amend <reason>');
  assert.is((await world.run(6, 'build', '--amend', 'As upstream has it.', '--allow-local')).code, 0);
  assert.equal((await world.newest())[0]?.stats, { hp: 150 });
  assert.is((await see(world, 7)).code, 0);
  await writeFiles(world.folder, { 'corrections.json': '' });
  const unknown = await world.run(8, 'pull', 'game', '--take', '7.7');
  assert.match(unknown.stderr, /^warning: no pull has seen a build 7\.7 of game/);
  assert.is((await world.run(8, 'pull', 'game', '--take', '7.7', '--dry-run')).code, 2);
});

scenario(
  'a correction of what a person accepted is taken, and does not stop later builds',
  {},
  async (world) => {
    const few = NAMES.slice(0, 7);
    await world.commit('1.1', 3, { 'units.json': units(few), 'gear.json': gear(34) });
    assert.equal((await see(world, 4)).kinds, ['held']);
    await world.run(5, 'pull', 'game', '--take', '1.1');
    assert.equal((await see(world, 5)).served, ['1.0', '1.1']);
    // Upstream mends the roster, and one number of the gear jumps: another question than the accepted one.
    const odd = JSON.parse(JSON.stringify(gear()).replace('"power":30', '"power":3000'));
    await world.commit('1.1', 6, { 'units.json': units(), 'gear.json': odd });
    assert.equal((await see(world, 7)).kinds, ['changed']);
    await world.run(8, 'pull', 'game', '--take', '1.1');
    // A round that is killed here has taken the files, and accepted nothing.
    await world.run(8, 'add', 'game', '1.1', '--from', 'up', '--replace');
    const taken = await see(world, 8);
    assert.is((await world.run(8, 'build', '--amend', 'As upstream has it.', '--allow-local')).code, 0);
    assert.equal([(await world.newest()).length, (await world.newest('gear'))[20]?.power], [10, 3000]);
    await world.commit('1.2', 9, { 'units.json': units(NAMES, 2) });
    const next = await see(world, 10);
    assert.equal([next.code, next.served], [0, ['1.0', '1.1', '1.2']], taken.stderr + next.stderr);
  },
);

scenario('an older commit that is amended is asked about, and skipping keeps it', {}, async (world) => {
  await world.commit('1.1', 3, { 'units.json': units(NAMES, 1) });
  await see(world, 4);
  const git = (...args: string[]) => world.upstream.git(args, day(1));
  await git('checkout', '--quiet', '--detach', 'HEAD~1');
  await writeFiles(world.upstream.folder, { 'units.json': units(NAMES, 30) });
  await git('commit', '--quiet', '--all', '--amend', '--message', 'Update 1.0');
  await world.upstream.commit('Update 1.1', day(3), { 'units.json': units(NAMES, 1) });
  await git('branch', '--force', 'main');
  await git('checkout', '--quiet', 'main');
  const changed = await see(world, 5);
  assert.equal(
    [changed.code, changed.kinds, changed.told[0]?.build],
    [1, ['changed'], '1.0'],
    changed.stderr,
  );
  assert.match(changed.texts, '--take 1.0');
  await world.run(6, 'pull', 'game', '--skip', '1.0');
  assert.equal((await see(world, 7)).code, 0);
});

scenario(
  'a build that is taken back upstream is reported, and references to it are copied',
  { keep: 'references' },
  async (world) => {
    await world.commit('1.1', 3, { 'units.json': units(NAMES, 1) });
    await see(world, 4);
    await world.upstream.git(['reset', '--quiet', '--hard', 'HEAD~1']);
    const gone = await see(world, 5);
    assert.equal([gone.code, gone.kinds, gone.served], [1, ['changed'], ['1.0', '1.1']], gone.stderr);
    assert.match(gone.texts, /1\.1, which is served, is gone upstream.*gamedata rollback game 1\.1/s);
    assert.match(
      gone.stdout,
      'upstream does not have the commit of 1.1 any more; its files are copied to it',
    );
    await rm(path.join(world.cwd, 'var/upstream'), { recursive: true });
    const back = await world.run(6, 'rollback', 'game', '1.1', '--allow-local');
    assert.is(back.code, 0, back.stderr);
    assert.equal((await see(world, 7)).code, 0);
  },
);

scenario('a second commit with an older date is asked about, and taken in its place', {}, async (world) => {
  await world.commit('1.2', 10, { 'units.json': units(NAMES, 2) });
  await see(world, 11);
  await world.commit('1.1', 5, { 'units.json': units(NAMES, 1) });
  const late = await see(world, 12);
  assert.equal([late.code, late.kinds, late.served], [1, ['held'], ['1.0', '1.2']], late.stderr);
  assert.match(late.texts, /1\.1 came late.*--take 1\.1/s);
  await world.run(13, 'pull', 'game', '--take', '1.1');
  const taken = await see(world, 14);
  assert.equal([taken.code, taken.served], [0, ['1.0', '1.1', '1.2']], taken.stderr);
});

scenario(
  'a hotfix of the newest build is no correction if only what is trimmed changed',
  { trim: { 'units.json': { columns: ['name', 'hp'] } } },
  async (world) => {
    const noisy = Object.fromEntries(
      Object.entries(units()).map(([key, row]) => [key, { ...(row as object), noise: Math.PI }]),
    );
    await world.commit('1.0', 3, { 'units.json': noisy });
    const same = await see(world, 4);
    assert.equal([same.code, same.kinds], [0, []], same.stderr);
    await world.commit('1.0', 5, { 'units.json': units(NAMES, 7) });
    assert.equal((await see(world, 6)).kinds, ['changed']);
  },
);

scenario(
  'after a forced push, a machine without copies builds what is named by reference',
  { keep: 'references' },
  async (world) => {
    await writeFiles(world.upstream.folder, { 'units.json': units(NAMES, 50) });
    await world.upstream.git(['commit', '--quiet', '--all', '--amend', '--message', 'Update 1.0'], day(1));
    assert.equal((await see(world, 4)).kinds, ['changed']);
    for (const folder of ['var', 'dist']) await rm(path.join(world.cwd, folder), { recursive: true });
    const built = await world.run(5, 'build', '--allow-local');
    assert.is(built.code, 0, built.stderr);
    assert.equal((await world.newest())[0]?.stats, { hp: 100 });
  },
);

test('a tag that is moved is asked about', async () => {
  await withWorld({ build: { tag: '^v(.+)$' } }, async (world) => {
    await world.commit('1.0', 1);
    await world.upstream.git(['tag', 'v1.0']);
    assert.is((await see(world, 2)).code, 0);
    const saved = await readFile(path.join(world.cwd, 'var/upstream/pull.json'), 'utf8');
    assert.match(saved, /"remote":"[0-9a-f]{64}"/);
    await world.commit('moved', 3, { 'units.json': units(NAMES, 9) });
    await world.upstream.git(['tag', '--force', 'v1.0']);
    const moved = await see(world, 4);
    assert.equal([moved.code, moved.kinds], [1, ['changed']], moved.stderr);
    assert.match(moved.texts, /1\.0, which is served, is not what upstream has now/);
  });
});

scenario(
  'rollback takes the newest build back, publishes, and pull leaves it out until a person takes it',
  {},
  async (world) => {
    const publish = ['--publish', 'target'];
    const rollback = (...args: string[]) => world.run(5, 'rollback', 'game', '--allow-local', ...args);
    await world.commit('1.1', 3, { 'units.json': units(NAMES, 1) });
    // One that was not built is not recorded.
    await world.run(4, 'pull', 'game', '--allow-local');
    assert.is((await rollback()).code, 0);
    await world.run(4, 'pull', 'game', '--take', '1.1');
    assert.equal((await see(world, 4, ...publish)).served, ['1.0', '1.1']);
    const refused = await rollback('1.0');
    assert.is(refused.code, 2);
    assert.match(refused.stderr, '1.0 is not the newest build of game, which is 1.1');
    // A folder in place of a file that every build writes, after the data.
    await writeFiles(world.cwd, { 'dist/.unrecorded.json/x': '' });
    const impossible = await rollback(...publish);
    assert.equal([impossible.code, (await readdir(world.folder)).includes('1.1')], [1, true]);
    await rm(path.join(world.cwd, 'dist/.unrecorded.json'), { recursive: true });
    const stays = await see(world, 5);
    assert.equal([stays.code, stays.served], [0, ['1.0', '1.1']], stays.stderr);
    // Killed after its first step, and continued.
    await mkdir(path.join(world.folder, '.taken-back'));
    await rename(path.join(world.folder, '1.1'), path.join(world.folder, '.taken-back/1.1'));
    // Its file is there while it is published, so one that is killed then is continued too.
    const aside = 'data/game/.taken-back/1.1/build.json';
    const done = await rollback('--publish', aside);
    assert.match(done.stdout, 'game: 1.0 is served again; 1.1 is withdrawn');
    assert.match(done.stderr, `${aside} may still have it: run gamedata publish ${aside}`);
    assert.is((await world.run(5, 'publish', 'target')).code, 0);
    const target = JSON.parse(await readFile(path.join(world.cwd, 'target/index.json'), 'utf8'));
    assert.match(
      await readFile(path.join(world.cwd, 'target', target.games[0].manifest.file), 'utf8'),
      /"withdrawn"/,
    );
    const left = await see(world, 6, ...publish);
    assert.equal([left.code, left.served], [0, ['1.0']], left.stderr);
    await world.commit('1.2', 7, { 'units.json': units(NAMES, 2) });
    assert.equal((await see(world, 8, ...publish)).served, ['1.0', '1.2']);
    await world.run(9, 'pull', 'game', '--take', '1.1');
    const again = await see(world, 9, ...publish);
    assert.equal([again.code, again.served], [0, ['1.0', '1.1', '1.2']], again.stderr);
  },
);

scenarios.run();
